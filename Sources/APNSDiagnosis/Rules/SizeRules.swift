import APNSWire

/// Whether payloads are as long as the service took them. Tokens have a family of their own.
let sizeRules = RuleFamily([emptyPayload, payloadTooLong]) { facts, _, _, report in
  guard let payload = facts.payload, !ordinaryPayloads.contains(payload.count), facts.isSent else { return }
  if payload.count == 0 {
    report.add(emptyPayload, at: payload.range, "the payload has no bytes")
    return
  }
  let command = facts.schema?.command
  guard let limit = Limit.broken(by: payload.count, .payload, of: command, in: facts.edition) else { return }
  let most = limit.sizes.upperBound
  let excess = (payload.start + most)..<payload.end
  if limit.isRefused {
    let later = limit.successor.map { ", \($0.sizes.upperBound) from \($0.year) on" } ?? ""
    report.add(
      payloadTooLong, at: excess, "the payload has \(payload.count) bytes; at most \(most) are allowed\(later)")
  } else {
    report.add(
      payloadTooLong, .warning, at: excess,
      "the payload has \(payload.count) bytes, but \(most) are documented for command \(command?.rawValue ?? 0)",
      fix: "send it with command 2, which is documented for 2048 bytes")
  }
}

/// No edition and no command minds these sizes.
let ordinaryPayloads = 1...256

private let emptyPayload = Rule(
  "empty-payload", .error, "the payload has no bytes",
  why: "There is nothing to deliver; the service calls the payload missing.",
  source: "Local and Push Notification Programming Guide, Format of error-response packet: status 4",
  fix: #"write at least {"aps":{}}, and look for an encoder that failed silently"#, refusals: [.status(4)],
  bad: [.notification(""), .legacy(""), .enhanced("")], good: [.notification(#"{"aps":{}}"#)])

private let payloadTooLong = Rule(
  "payload-too-long", .error, "the payload is longer than the service takes",
  why: "The service refuses it with status 7, before 2010 without a word, and drops what was sent behind it.",
  source: Limit.all.filter { $0.value == .payload }.map(\.source).joined(separator: "; "),
  fix: "shorten the text or keep data on your server; count the bytes of the UTF-8 text, not its characters",
  refusals: [.status(7)],
  bad: [
    .notification(payload(of: 257)), .enhanced(payload(of: 257)), .legacy(payload(of: 257)).edition(.year2009),
    .notification(payload(of: 2049)).edition(.year2017), .enhanced(payload(of: 257)).edition(.year2017),
  ],
  good: [
    .notification(payload(of: 256)), .legacy(payload(of: 256)).edition(.year2009),
    .notification(payload(of: 2048)).edition(.year2017),
  ])

/// An alert in so many bytes of JSON.
private func payload(of count: Int) -> String {
  let frame = #"{"aps":{"alert":""}}"#
  return frame.dropLast(3) + String(repeating: "a", count: count - frame.utf8.count) + "\"}}"
}
