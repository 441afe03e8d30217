import APNSPayload
import APNSWire

/// Whether payloads are JSON as RFC 8259 has it.
let jsonRules = RuleFamily([payloadNotJSON]) { facts, bytes, _, report in
  if let payload = facts.payload, let error = facts.outline.error {
    report.add(error, in: payload, called: Field.payload.name.title)
  }
  for leaf in facts.otherJSON {
    guard let error = JSONScanner.firstError(in: bytes, range: leaf.range) else { continue }
    report.add(error, in: leaf, called: facts.catalog.field(of: leaf)?.name.title ?? "field")
  }
}

private let payloadNotJSON = Rule(
  "payload-not-json", .error, "the payload is not JSON",
  why: "The service and the device parse it strictly; nothing is shown.",
  source: "Local and Push Notification Programming Guide, The notification payload; RFC 8259",
  remedy: "write it with a JSON encoder, and count its bytes after encoding",
  answer: .unreadable, bad: [.notification(#"{"aps":{"alert":"Hi"}"#), .notification("{aps:{}}")],
  good: [.notification()])

extension Report {
  fileprivate mutating func add(_ error: JSONError, in leaf: FieldRef, called name: String) {
    let at = max(min(error.offset, leaf.end - 1), leaf.start)
    add(
      payloadNotJSON, at: at..<(at + (leaf.count == 0 ? 0 : 1)),
      "the \(name) is not JSON at its byte \(error.offset - leaf.start): \(error.code.rawValue)")
  }
}
