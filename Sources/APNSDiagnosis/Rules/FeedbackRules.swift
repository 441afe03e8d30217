import APNSWire

/// Whether what the feedback service says can be true. Its tokens are judged with all others.
let feedbackRules = RuleFamily([feedbackTime, feedbackShifted]) { facts, bytes, _, report in
  guard let leaf = facts.timestamp, leaf.count == 4, let number = leaf.integer(in: bytes) else { return }
  let value = Int(number)
  let sent = facts.time.flatMap { Times.served.contains($0) ? $0 : nil }
  let isTrue = feedbackTimes.contains(value) && sent.map { value <= $0 } ?? true
  if isTrue, let token = facts.token, token.count <= 100 { return }
  if let shift = shift(of: facts, bytes) {
    report.add(
      feedbackShifted, at: facts.frame.start..<leaf.end,
      shift < 0
        ? "a byte is missing before this tuple: one byte earlier, a length of 32 stands in its place"
        : "a byte too many stands before this tuple: one byte later, time and length are as they should be")
  } else if !isTrue {
    let isLate = sent.map { value > $0 } ?? false && feedbackTimes.contains(value)
    report.add(
      feedbackTime, at: leaf.range,
      "the time \(UTC.text(value)) UTC is "
        + (isLate ? "later than the capture" : "none of the feedback service's, which ran from 2009 to 2021"))
  }
}

/// From 2009-03-01 to 2021-04-01, in seconds since 1970.
private let feedbackTimes = Catalog.serviceBegan...1_617_235_200

/// By how many bytes a tuple of time, length and token was missed: -1, 1, or nil where neither reading is better. Only
/// of frame types that are laid out so.
private func shift(of facts: borrowing FrameFacts, _ bytes: Span<UInt8>) -> Int? {
  guard let parts = facts.schema?.parts, parts.count == 2, case .fixed(let time) = parts[0],
    case .counted(let token, width: 2, _) = parts[1], time.name == Field.timestamp.name,
    token.name == Field.deviceToken.name
  else { return nil }
  let start = facts.frame.start
  func number(_ at: Int, _ width: Int) -> Int? {
    guard start + at + width <= bytes.count else { return nil }
    return (0..<width).reduce(0) { $0 << 8 | Int(bytes[start + at + $1]) }
  }
  guard let length = number(4, 2), !(1...100).contains(length) else { return nil }
  if let time = number(1, 4), feedbackTimes.contains(time) {
    // Of a tuple that seems to end here, only the length's first byte is in sight.
    if let behind = number(5, 2) { if (1...100).contains(behind) { return 1 } } else if length == 0 { return 1 }
  }
  // The time's first byte is the missing one, so that only the length can tell.
  return number(3, 2) == 32 ? -1 : nil
}

private let guide = "Local and Push Notification Programming Guide, The feedback service"

private let feedbackTime = Rule(
  "feedback-time", .warning, "the time of a feedback tuple cannot be",
  why:
    "Compared with the day when a token was registered, it gives the wrong answer: good tokens are deleted, or bad ones kept.",
  source: guide + ": seconds since 1970; the service ran from 2009 to 2021",
  fix: "check that the stream is read from its first byte on, and that a test server writes seconds",
  bad: [.feedback(443_779_200), .feedback(0xffff_ffff), .feedback(1_384_732_801).time(1_384_732_800)],
  good: [.feedback(), .feedback(1_384_732_800).time(1_384_732_800), .feedback().time(0)])

private let feedbackShifted = Rule(
  "feedback-shifted", .warning, "a feedback tuple is read from a wrong byte on",
  why: "Times and tokens come out wrong, and the tokens of others are deleted.",
  source: guide + "; programs that read 37 bytes for 38, or cut white space from both ends of binary data",
  fix: "read 6 bytes, then as many as the length says, and change nothing in them",
  bad: [
    .hex("00 528aaa00 0020", .feedback, zeros: 20), .hex("00 528aaa12 0020", .feedback, zeros: 20),
    .hex("8aaa00 0020 fc13adff", .feedback, zeros: 28),
  ],
  good: [.feedback(), .feedback(443_779_200), .hex("528aaa00 0020 fc13adff", .feedback, zeros: 28)])
