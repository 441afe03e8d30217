import APNSCapture
import APNSDiagnosis
import APNSInput
import APNSWire

// What is wrong with bytes, as a sender wrote them.
let bytes: [UInt8] = [8, 8, 0, 0, 4, 210, 9]
for finding in findings(in: bytes, role: .gateway, by: .standard) {
  print("\(finding.severity) \(finding.rule) at \(finding.range.lowerBound): \(finding.message)")
}

// Items and rules of your own, for a gateway of yours.
let topic = Item(6, "topic", Field("topic", "topic", .text))
let unhurried = Rule(
  "our-priority", .warning, "priority 10", why: "Our gateway delivers nothing at once.",
  source: "our gateway", fix: "write priority 5")
var ours = Definitions(Catalog.standard.adding(Notification.schema.adding(topic)))
ours.families.append(
  RuleFamily([unhurried]) { facts, bytes, report in
    guard let priority = facts.priority, bytes[priority.start] == 10 else { return }
    report.add(unhurried, at: priority.range, "the priority is 10")
  })
let notification: [UInt8] = [2, 0, 0, 0, 10, 5, 0, 1, 10, 6, 0, 3, 97, 98, 99]
print(findings(in: notification, role: .provider, by: ours).map(\.rule).joined(separator: ", "))

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
