// MARK: Writing
import APNSDiagnosis
import APNSInput
import APNSViews
import APNSWire

/// A provider's bytes as a view shows them: `TreeView(catalog)`, `NDJSONView(catalog)` and so on.
public func text(of bytes: [UInt8], in view: some View) -> String {
  var dissector = Dissector(
    definitions, policy: RolePolicy(role: .provider), into: Written(view: view))
  dissector.open(ByteStream(number: 0))
  dissector.append(bytes.span, from: .input(offset: 0), to: 0)
  dissector.finish()
  var written = dissector.records
  written.view.finish(to: &written.output)
  return String(decoding: written.output.bytes, as: UTF8.self)
}

/// Collects the text of a view.
struct Written<V: View>: RecordSink {
  var view: V
  var output = Output()
  var wantsMore: Bool { true }

  mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
    view.show(record, bytes, to: &output)
  }
}

// MARK: Reading
/// The bytes of the frame in a line of NDJSON; nil if the line holds no frame.
public func frame(ndjson line: String) throws -> [UInt8]? {
  var reader = NDJSONReader(catalog)
  switch try reader.read(Array(line.utf8).span, number: 1)?.content {
  case .frame(let draft): return try draft.bytes()
  case .written(let bytes), .bytes(let bytes): return bytes
  case .gap, .overlap, nil: return nil
  }
}
