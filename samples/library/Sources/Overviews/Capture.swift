import APNSCapture
import APNSDiagnosis
import APNSInput
import APNSWire

/// The number of frames in a capture, whose file or pipe is open at `descriptor`.
public func frameCount(ofCapture descriptor: Int32) throws(ReadError) -> Int {
  var capture = try CaptureReader(ByteSource(descriptor: descriptor), filter: "tcp port 2195")
  var reassembler = Reassembler()
  var dissector = Dissector(.standard, into: FrameCount())
  try capture.read(into: &reassembler, &dissector)
  reassembler.finish(into: &dissector)
  dissector.finish()
  return dissector.records.count
}

struct FrameCount: RecordSink {
  var count = 0
  var wantsMore: Bool { true }

  mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
    if case .frame = record.content { count += 1 }
  }
}
