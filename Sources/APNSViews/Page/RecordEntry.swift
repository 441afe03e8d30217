import APNSDiagnosis
import APNSInput
import APNSWire

/// Writes a record's data for the page: the object that `dissect -T ndjson` writes, and the bytes. The script finds the
/// fields in the bytes. The size of an entry is limited, so that a few large records do not fill the page.
struct RecordEntry {
  private var object: NDJSONView

  /// The bytes of a record that are embedded.
  private static let byteLimit = 1 << 16
  /// The size of an object that is embedded with its values.
  private static let objectLimit = 2 * byteLimit

  init(_ catalog: Catalog, inputs: [String]) { object = NDJSONView(catalog, inputs: inputs) }

  /// Writes the object and a line end.
  mutating func write(
    _ record: Record, _ bytes: Span<UInt8>, fate: Conversation.Fate?, role: String?, to out: inout Output
  ) {
    out.line { out in
      writeObject(of: record, bytes, to: &out)
      out.member("number", record.number)
      if record.stream.route != nil { out.member("connection", record.stream.connection) }
      out.member("stream", record.stream.number)
      out.member("role", role)
      out.member("lane", record.isFromService.map { $0 ? "in" : "out" })
      out.member("fate", fate?.rawValue)
      if record.findings.contains(where: { $0.answer != nil }) {
        out.member("answers", record.findings.map { $0.answer?.sentence ?? "" })
      }
      out.member("at", record.packets.first?.time?.clamped.milliseconds)
      out.member("base", record.firstByte)
      out.member("hex", hex: bytes.extracting(0..<min(bytes.count, Self.byteLimit)))
      if bytes.count > Self.byteLimit { out.member("bytes", bytes.count) }
    }
  }

  private mutating func writeObject(of record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
    out.key("record")
    let start = out.count
    object.writeObject(record, bytes, to: &out)
    guard out.count - start > Self.objectLimit else { return }
    out.cut(to: start)
    object.writeObject(record, nil, to: &out)
    out.member("left_out", "values")
  }
}
