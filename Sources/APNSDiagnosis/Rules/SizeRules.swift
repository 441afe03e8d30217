import APNSWire
import Octets

/// Rules about the sizes of payloads. Tokens have a separate family.
let sizeRules = RuleFamily([.emptyPayload, .payloadTooLong], dependsOn: .form) { facts, _, report in
  guard let payload = facts.payload, !ordinaryPayloads.contains(payload.count), facts.isSent else { return }
  if payload.count == 0 {
    report.add(.emptyPayload, at: payload.range, "the payload has no bytes")
    return
  }
  let command = facts.schema?.command
  guard let limit = Limit.broken(by: payload.count, .payload, of: command, in: facts.edition) else { return }
  let most = limit.sizes.upperBound
  let excess = (payload.start + most)..<payload.end
  if limit.isRefused {
    let later = limit.successor.map { ", \($0.sizes.upperBound) by the edition of \($0.since.rawValue)" } ?? ""
    report.add(
      .payloadTooLong, at: excess, "the payload has \(payload.count) bytes; at most \(most) are allowed\(later)",
      fix: "shorten it by \(plural(payload.count - most, "byte")) of UTF-8 text, or keep data on your server")
  } else {
    report.add(
      .payloadTooLong, .warning, at: excess,
      "the payload has \(payload.count) bytes; at most \(most) are documented for command \(command?.rawValue ?? 0)",
      fix: "send it with command 2, which allows more")
  }
}

/// Sizes within the limits of every edition and command.
let ordinaryPayloads = Limit.all.filter { $0.value == .payload }.map(\.sizes).reduce(0...Int.max) { $0.clamped(to: $1) }

extension Rule {
  package static let emptyPayload = Rule(
    "empty-payload", .error, "the payload has no bytes",
    why: "There is nothing to deliver.", source: Guide.statuses + ": 4, Missing payload",
    fix: #"write the payload, for example {"aps":{"alert":"Hi"}}; look for an encoder that failed silently"#,
    refusals: [.status(4)], bad: ["", .legacy(""), .enhanced("")], good: [#"{"aps":{}}"#])

  package static let payloadTooLong = Rule(
    "payload-too-long", .error, "the payload is longer than allowed",
    why: "The gateway refuses it and discards what was sent after it on the connection. The limit counts the payload "
      + "alone, not the token or other fields.",
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
}

/// An alert whose JSON has this many bytes.
private func payload(of count: Int) -> String {
  let frame = #"{"aps":{"alert":""}}"#
  return frame.dropLast(3) + String(repeating: "a", count: count - frame.utf8.count) + "\"}}"
}
