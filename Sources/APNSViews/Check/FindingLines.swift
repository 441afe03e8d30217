import APNSDiagnosis
import APNSInput
import APNSQuery
import APNSWire
import Octets

extension Record {
  /// Identifies a finding across runs and inputs, in 16 hexadecimal digits: a hash of the rule, the frame type, the
  /// bytes of the frame, and the offset within the frame. It does not depend on other frames, ports or packets.
  ///
  /// The hash is 64-bit FNV-1a, which distinguishes the findings of a report but does not resist forgery.
  package func fingerprint(of finding: Finding, _ bytes: Span<UInt8>, _ catalog: Catalog) -> String {
    var hash = FNV1a()
    for byte in "\(finding.rule)\0\(content.typeName(catalog))\0".utf8 { hash.add(byte) }
    hash.add(finding.range.lowerBound - firstByte)
    hash.add(count)
    for index in bytes.indices { hash.add(bytes[index]) }
    return Output.text { $0.hex(Int(truncatingIfNeeded: hash.value), digits: 16) }
  }
}

/// Known findings, which are not reported again.
package struct Baseline: Sendable {
  private var known: Set<String> = []
  private var line = NDJSONLine(RecordWords())

  package init() {}

  /// Adds the finding in one line of `check -T ndjson`; blank lines are ignored. `number`: that of the line, from 1.
  package mutating func add(_ text: [UInt8], number: Int) throws(ReadError) {
    if text.span.isBlank { return }
    try line.read(text.span, number: number)
    try line.checkSchema()
    guard let text = try line.string(.fingerprint), text.utf8.count == 16, UInt64(text, radix: 16) != nil else {
      throw line.error(
        "this is not a finding with a fingerprint; write a baseline with apnscope check -T ndjson", at: 0)
    }
    known.insert(text)
  }

  package func knows(_ finding: Finding, in record: Record, _ bytes: Span<UInt8>, _ catalog: Catalog) -> Bool {
    known.contains(record.fingerprint(of: finding, bytes, catalog))
  }
}

/// Writes the report of `check -T ndjson`: one finding a line, with the members that it has in a record and members
/// that identify its frame. A `Baseline` reads these lines.
public struct FindingLinesView: View {
  public static var recordsOfEachRule: Int? { .max }

  private let catalog: Catalog
  private let inputs: [String]

  /// The names of the inputs are written if there are several.
  public init(_ catalog: Catalog, inputs: [String] = []) {
    (self.catalog, self.inputs) = (catalog, inputs)
  }

  public mutating func show(_ record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
    for finding in record.findings {
      out.line { out in
        out.member("schema", NDJSONView.schema)
        out.findingMembers(finding)
        out.originMembers(of: record, inputs, inFile: true)
        out.member("frame_offset", record.offset)
        out.member("type", record.content.typeName(catalog))
        out.member("identifier", record.number(.identifier, in: bytes, catalog))
        if let position = record.position(of: finding) {
          out.member("line", Int(position.line))
          out.member("column", Int(position.column))
        }
        out.member("fingerprint", record.fingerprint(of: finding, bytes, catalog))
      }
    }
  }
}
