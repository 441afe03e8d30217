import APNSDiagnosis
import APNSInput
import APNSQuery
import APNSWire

/// Where a finding is, as a person looks it up: small enough to be kept after its record is gone.
struct FindingPlace: Sendable {
  /// Which of the inputs, counted from 0.
  let input: Int
  /// The record, counted from 1 in its stream.
  let number: Int
  /// In its file; nil where there is but one.
  let stream: Int?
  /// In the stream.
  let offset: Int
  let position: Origin.TextPosition?
  let packet: Int?
  /// What the sender called the notification.
  let identifier: UInt64?

  init(of finding: Finding, in record: Record, _ bytes: Span<UInt8>, _ catalog: Catalog) {
    input = record.input
    number = record.number
    stream = record.stream.isDirected ? record.stream.numberInFile : nil
    offset = finding.range.lowerBound
    position = record.position(of: finding)
    packet = record.packets.first?.number
    identifier = record.number(.identifier, in: bytes, catalog)
  }

  /// `#3 at 0x1f (line 2, column 63)`.
  var words: String {
    var parts: [String] = []
    if let stream { parts.append("stream \(stream)") }
    if let packet { parts.append("packet \(packet)") }
    if let position { parts.append("line \(position.line), column \(position.column)") }
    if let identifier { parts.append("identifier \(identifier)") }
    return "#\(number) at \(hexText(offset, digits: 1))"
      + (parts.isEmpty ? "" : " (" + parts.joined(separator: ", ") + ")")
  }
}

extension Record {
  /// Of the finding's first byte in a text; of the last byte there is, where something is missing behind it.
  public func position(of finding: Finding) -> Origin.TextPosition? {
    let index = min(finding.range.lowerBound - firstByte, positions.count - 1)
    return index >= 0 ? positions[index] : nil
  }

  /// The frame type, or what it is instead of a frame; as NDJSON has it.
  func typeName(_ catalog: Catalog) -> String {
    switch content {
    case .frame(let frame, _): catalog.schema(of: frame)?.name ?? "frame"
    case .unparsed: TypeCode.unparsed.word
    case .gap: TypeCode.gap.word
    case .overlap: TypeCode.overlap.word
    }
  }
}

extension GatewayReply {
  /// One line for people.
  var words: String {
    switch self {
    case .close: "the service closes the connection without an error response"
    case .errorResponse: "an error response with an undocumented status, then the service closes the connection"
    case .status(let code): "\(statusWords(code)), then the service closes the connection"
    }
  }
}

/// `status 8, Invalid token`.
func statusWords(_ code: UInt8) -> String {
  "status \(code)" + (ErrorResponse.title(of: code).map { ", \($0)" } ?? "")
}

/// How an input is called where it is named; `-` is no name.
func inputWords(_ number: Int, _ inputs: [String]) -> String {
  guard inputs.indices.contains(number) else { return "" }
  return inputs[number] == "-" ? "standard input" : printable(inputs[number])
}
