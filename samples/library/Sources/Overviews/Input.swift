import APNSInput
import APNSWire

/// The bytes of all streams in a text, such as a dump that was pasted.
public func bytes(in text: String) throws(ReadError) -> [UInt8] {
  var reader = TextReader(.standard)
  var collected = CollectedBytes()
  try reader.read(Array(text.utf8).span, into: &collected)
  try reader.finish(into: &collected)
  return collected.bytes
}

struct CollectedBytes: StreamSink {
  var bytes: [UInt8] = []
  var wantsMore: Bool { true }

  mutating func open(_ stream: ByteStream) {}
  mutating func append(_ run: Span<UInt8>, from origin: Origin, to stream: Int) {
    for index in run.indices { bytes.append(run[index]) }
  }
  mutating func gap(of count: Int, in stream: Int) {}
  mutating func overlap(_ run: Span<UInt8>, at offset: Int, from origin: Origin, in stream: Int) {}
  mutating func close(_ stream: Int, _ ending: StreamEnding) {}
}
