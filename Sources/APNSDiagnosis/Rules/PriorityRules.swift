import APNSWire

/// Whether a priority is one that is documented.
let priorityRules = RuleFamily([priorityValue]) { facts, bytes, _, report in
  guard let leaf = facts.priority, leaf.count == 1 else { return }
  let value = bytes[leaf.start]
  if isDocumentedPriority(value) { return }
  let remark =
    switch value {
    case 0: ": what a variable holds that nobody set"
    case 1: ": that one belongs to HTTP/2"
    default: ""
    }
  report.add(priorityValue, at: leaf.range, "the priority is \(value), and neither 5 nor 10\(remark)")
}

func isDocumentedPriority(_ value: UInt8) -> Bool { value == 10 || value == 5 }

// A warning: no report of a refusal was found, and two libraries send 0 wherever nobody chooses.
private let priorityValue = Rule(
  "priority-value", .warning, "the priority is neither 5 nor 10",
  why: "What the service makes of it is said nowhere; 10 sends at once, 5 when it saves power.",
  source: "Local and Push Notification Programming Guide (2013), item 5; libraries that leave it 0",
  fix: "write 10, or 5 where only content-available is sent, or leave item 5 out",
  bad: [.notification(priority: 0), .notification(priority: 1), .notification(priority: 7)],
  good: [.notification(priority: 5), .notification(priority: 10), .notification()])
