import APNSDiagnosis
import APNSInput
import APNSQuery
import APNSWire

/// Writes each record as a JSON object on one line (schema 1), for other programs. ``NDJSONReader`` reads it back to
/// the same bytes.
public struct NDJSONView: View {
  public static var showsEachAlone: Bool { true }
  /// The number of the schema, which a change raises that would break readers.
  public static let schema = 1

  private let members: FrameMembers
  private let text: RecordText
  private let isArray: Bool
  private let inputs: [String]
  private var isFirst = true
  /// The stream of the last record, and its members, which several records have in common.
  private var stream: ByteStream?
  private var streamMembers = Output()

  /// - Parameters:
  ///   - catalog: the frame types that the records were decoded with.
  ///   - asArray: write one JSON array of the objects.
  ///   - inputs: the names of the inputs, by number; written if there are several.
  public init(_ catalog: Catalog, asArray: Bool = false, inputs: [String] = []) {
    self.inputs = inputs
    text = RecordText(catalog)
    members = FrameMembers(catalog, text)
    self.isArray = asArray
  }

  public mutating func show(_ record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
    if isArray { out.write(isFirst ? "[\n" : ",\n") }
    isFirst = false
    writeObject(record, bytes, to: &out)
    if !isArray { out.write("\n") }
  }

  public mutating func finish(to out: inout Output) {
    if isArray { out.write(isFirst ? "[]\n" : "\n]\n") }
  }

  /// Writes the object of a record without a line end. If `bytes` is nil, it has no values from the bytes.
  package mutating func writeObject(_ record: Record, _ bytes: Span<UInt8>?, to out: inout Output) {
    switch record.content {
    case .frame(let frame, let condition):
      if let type = members.catalog.index(of: frame) {
        out.write(text.text, text.heads[type])
        out.decimal(record.offset)
      } else {
        writeHead(of: "frame", record, to: &out)
      }
      out.member("length", record.count)
      out.member("condition", condition?.rawValue)
      if condition == .truncated { out.member("needed", frame.needed) }
      if let bytes { members.write(frame, bytes, to: &out) }
    case .unparsed(let reason):
      writeHead(of: "unparsed", record, to: &out)
      out.member("length", record.count)
      if let bytes { out.member("hex", hex: bytes) }
      out.member("reason", reason)
    case .gap:
      writeHead(of: "gap", record, to: &out)
      out.member("missing", record.count)
    case .overlap(let offset):
      writeHead(of: "overlap", record, to: &out)
      out.member("at", offset)
      if let bytes { out.member("hex", hex: bytes) }
    }
    writeOrigin(of: record, to: &out)
    writeFindings(record.findings, to: &out)
    out.write("}")
  }

  private mutating func writeOrigin(of record: Record, to out: inout Output) {
    guard inputs.count < 2, record.stream.isDirected else { return out.originMembers(of: record, inputs) }
    if stream != record.stream {
      stream = record.stream
      streamMembers.cut(to: 0)
      streamMembers.streamMembers(of: record.stream)
    }
    streamMembers.read { out.write($0) }
    out.arrivalMembers(of: record)
  }

  private func writeHead(of type: StaticString, _ record: Record, to out: inout Output) {
    out.write(RecordText.opening)
    out.write(type)
    out.write("\"")
    out.member("offset", record.offset)
  }

  private func writeFindings(_ findings: [Finding], to out: inout Output) {
    guard !findings.isEmpty else { return }
    out.array("findings") { out in
      for finding in findings { out.object { $0.findingMembers(finding) } }
    }
  }
}
