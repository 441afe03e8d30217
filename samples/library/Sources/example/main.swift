import APNSCapture
import APNSDiagnosis
import APNSInput
import APNSWire

// What is wrong with bytes, as a sender wrote them.
let bytes: [UInt8] = [8, 8, 0, 0, 4, 210, 9]
for finding in findings(in: bytes, role: .gateway) {
  print("\(finding.severity) \(finding.rule) at \(finding.range.lowerBound): \(finding.message)")
}

// The frames of all connections in a capture, here from standard input.
struct FrameCount: RecordSink {
  var count = 0
  var wantsMore: Bool { true }

  mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
    if case .frame = record.content { count += 1 }
  }
}

var capture = try CaptureReader(ByteSource(descriptor: 0))
var reassembler = Reassembler()
var dissector = Dissector(.standard, into: FrameCount())
try capture.read(into: &reassembler, &dissector)
reassembler.finish(into: &dissector)
dissector.finish()
print("\(dissector.records.count) frames")
