import APNSDiagnosis
import APNSInput
import APNSViews
import APNSWire

/// The records of a stream as `dissect` prints them in a view, such as `TreeView(.standard)`.
public func text(of bytes: [UInt8], in view: some View) -> String {
  var dissector = Dissector(.standard, into: Written(view: view))
  dissector.open(ByteStream(number: 0))
  dissector.append(bytes.span, from: .input(offset: 0), to: 0)
  dissector.finish()
  var written = dissector.records
  written.view.finish(to: &written.output)
  return String(decoding: written.output.bytes, as: UTF8.self)
}

struct Written<V: View>: RecordSink {
  var view: V
  var output = Output()
  var wantsMore: Bool { true }

  mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
    view.show(record, bytes, to: &output)
  }
}
