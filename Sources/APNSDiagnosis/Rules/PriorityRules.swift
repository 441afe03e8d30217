import APNSWire

let priorityRules = RuleFamily([.priorityValue], dependsOn: .form) { facts, bytes, report in
  guard let leaf = facts.priority, leaf.count == 1 else { return }
  let value = bytes[leaf.start]
  if isDocumentedPriority(value) { return }
  report.add(.priorityValue, at: leaf.range, "priority must be 10 or 5, not \(value)")
}

func isDocumentedPriority(_ value: UInt8) -> Bool { value == 10 || value == 5 }

extension Rule {
  // Only a warning: no document says that the service refuses it, and no report of a refusal is known.
  package static let priorityValue = Rule(
    "priority-value", .warning, "the priority is neither 5 nor 10",
    why: "No document says what the service makes of another value. 10 sends at once, 5 when it saves power.",
    source: Guide.binaryInterface + ", item 5: "
      + "\"Provide one of the following values\", 10 and 5; 0 was observed in two libraries where none is chosen",
    fix: "write 10, or 5 if aps contains only content-available, or leave item 5 out",
    bad: [.notification(priority: 0), .notification(priority: 1), .notification(priority: 7)],
    good: [.notification(priority: 5), .notification(priority: 10), .notification()])
}
