import APNSDiagnosis
import APNSInput
import APNSWire
import Octets

/// Names a finding by what is wrong with which bytes, wherever they stand: the rule, the bytes of the frame, and the
/// place within it. Other frames around it, other ports and other packets change nothing.
///
/// 64 bits of FNV-1a: enough to tell a report's findings apart, and no protection against somebody who forges one.
public struct Fingerprint: Sendable, Hashable, CustomStringConvertible {
  private let value: UInt64

  public init(_ finding: Finding, in record: Record, _ bytes: Span<UInt8>, _ catalog: Catalog = .standard) {
    var hash = FNV1a()
    for byte in finding.rule.utf8 { hash.add(byte) }
    hash.add(0 as UInt8)
    for byte in record.typeName(catalog).utf8 { hash.add(byte) }
    hash.add(0 as UInt8)
    hash.add(finding.range.lowerBound - record.firstByte)
    hash.add(record.count)
    for index in bytes.indices { hash.add(bytes[index]) }
    value = hash.value
  }

  init?(_ text: String) {
    guard text.utf8.count == 16, let value = UInt64(text, radix: 16) else { return nil }
    self.value = value
  }

  /// 16 hexadecimal digits.
  public var description: String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: 16 - text.count) + text
  }
}

/// Findings that are known already: not told of again.
public struct Baseline: Sendable {
  private var known: Set<Fingerprint> = []
  private var line = NDJSONLine(RecordWords())

  public init() {}

  /// Takes one line of `check -T ndjson`; a blank one is none.
  public mutating func add(_ text: [UInt8], number: Int) throws(ReadError) {
    if text.span.isBlank { return }
    guard try line.read(text.span, number: number) else { throw Self.error(number) }
    try line.checkSchema()
    guard let text = try line.string(.fingerprint), let fingerprint = Fingerprint(text) else {
      throw Self.error(number)
    }
    known.insert(fingerprint)
  }

  private static func error(_ number: Int) -> ReadError {
    ReadError(
      .notRecord, "this is not a finding with a fingerprint; write a baseline with apnscope check -T ndjson",
      position: Origin.TextPosition(line: number, column: 1))
  }

  public func knows(_ finding: Finding, in record: Record, _ bytes: Span<UInt8>) -> Bool {
    known.contains(Fingerprint(finding, in: record, bytes))
  }
}
