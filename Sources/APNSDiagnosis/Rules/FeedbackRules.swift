import APNSWire
import Octets

/// Rules about whether a feedback tuple can be true. The token rules check its token.
let feedbackRules = RuleFamily([.feedbackTime, .feedbackShifted], dependsOn: .form) { facts, bytes, report in
  guard let leaf = facts.timestamp, leaf.count == 4, let number = leaf.integer(in: bytes) else { return }
  let value = Int(number)
  let sent = facts.time.flatMap(Times.clock)
  let isTrue = Times.ofFeedback.contains(value) && sent.map { value <= $0 } ?? true
  if isTrue, let token = facts.token, token.count <= Field.tokenSizes.upperBound { return }
  if let shift = shift(of: facts, bytes) {
    report.add(
      .feedbackShifted, at: facts.frame.start..<leaf.end,
      shift < 0
        ? "the stream is off by one: a byte is missing before this tuple"
        : "the stream is off by one: an extra \(hex(bytes[facts.frame.start])) precedes this tuple")
  } else if !isTrue {
    let swapped = Int(UInt32(truncatingIfNeeded: value).byteSwapped)
    let meant = Evidence.dates.contains(swapped) ? swapped : nil
    report.add(
      .feedbackTime, at: leaf.range,
      "the time is \(UTC.text(value)) UTC, \(why(value, sent))"
        + (meant.map { "; byte-swapped it is \(UTC.text($0)) UTC" } ?? ""),
      fix: meant.map { "write it big-endian (htonl): \(wireBytes($0, width: 4))" })
  }
}

private func why(_ value: Int, _ sent: Int?) -> String {
  if value < Catalog.serviceBegan { return Times.beforeService }
  guard let sent, value > sent else { return "negative as a time_t of four bytes" }
  return "\(duration(value - sent)) after it was captured"
}

/// The offset error of a tuple of time, length and token: -1 or 1, or nil if neither reading is better. Other layouts
/// have no offset error.
private func shift(of facts: borrowing FrameFacts, _ bytes: Span<UInt8>) -> Int? {
  guard let parts = facts.schema?.parts, parts.count == 2, case .fixed(let time) = parts[0],
    case .counted(let token, width: 2, _) = parts[1], time.role == .timestamp,
    token.role == .token
  else { return nil }
  let start = facts.frame.start
  func number(_ at: Int, _ width: Int) -> Int? {
    start + at + width <= bytes.count ? Int(bytes.bigEndian(start + at, width: width)) : nil
  }
  guard let length = number(4, 2), !Field.tokenSizes.contains(length) else { return nil }
  if let time = number(1, 4), Times.ofFeedback.contains(time) {
    // If the tuple seems to end here, only the first byte of the length is visible.
    if let next = number(5, 2) { if Field.tokenSizes.contains(next) { return 1 } } else if length == 0 { return 1 }
  }
  // The first byte of the time is missing, so only the length can be compared.
  return number(3, 2) == 32 ? -1 : nil
}

extension Rule {
  package static let feedbackTime = Rule(
    "feedback-time", .warning, "the time of a feedback tuple is impossible",
    why:
      "A provider compares it with the time when the token was registered: a wrong one deletes good tokens, or keeps "
      + "bad ones.",
    source: Guide.feedbackService + ": \"a four-byte time_t value\" that says \"when APNs determined that the "
      + "application no longer exists on the device\"; Document Revision History: the guide began on 2009-03-15",
    fix: "check that the stream is read from its first byte on, and that a test server writes seconds, big-endian",
    bad: [.feedback(443_779_200), .feedback(0xffff_ffff), .feedback(1_384_732_801).time(1_384_732_800)],
    good: [
      .feedback(), .feedback(1_384_732_800).time(1_384_732_800), .feedback().time(0), .feedback(1_795_000_000),
      .feedback(1_795_000_000).time(1_795_000_000),
    ])

  package static let feedbackShifted = Rule(
    "feedback-shifted", .error, "a feedback tuple is read from a wrong byte on",
    why: "Times and tokens come out wrong from here on, so the provider deletes the tokens of other devices.",
    source: Guide.feedbackService + ", Figure 5-3: four bytes of time, two of length, the token; observed in programs "
      + "that read 37 bytes instead of 38, or trim white space from both ends of binary data",
    fix: "read exactly 6 bytes, then exactly as many as the length says, and change none of them",
    bad: [
      .hex("00 528aaa00 0020", .feedback, zeros: 20), .hex("00 528aaa12 0020", .feedback, zeros: 20),
      .hex("8aaa00 0020 fc13adff", .feedback, zeros: 28),
    ], good: [.feedback(), .feedback(443_779_200), .hex("528aaa00 0020 fc13adff", .feedback, zeros: 28)])
}
