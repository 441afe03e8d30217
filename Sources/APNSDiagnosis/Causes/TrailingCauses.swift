import APNSWire

/// What ends a string or a line, written with a payload or after a frame.
let trailingCauses = [trailingNUL, trailingNewline]

private let trailingNUL = RootCause(
  .trailingNUL, "a terminating NUL is written with the payload or after the frame",
  why: "The service reads it as part of the payload, or as the command of the next frame.",
  fix: "write exactly the bytes of the payload: strlen(payload), not strlen(payload) + 1 or sizeof buffer",
  source:
    "Local and Push Notification Programming Guide (2013), The Binary Interface and Notification Format: \"The payload must "
    + "not be null-terminated\""
) { place, reading, bytes in
  terminated(by: [0], "a NUL", place, reading, bytes)
}

private let trailingNewline = RootCause(
  .trailingNewline, "a line end is written with the payload or after the frame",
  why: "After a frame, the service reads it as the command of the next one.",
  fix: "write bytes, not lines: write instead of puts and println, and no PHP_EOL after the payload",
  source:
    "Local and Push Notification Programming Guide (2013), The Binary Interface and Notification Format: the next byte is a "
    + "command, and 0x0a and 0x0d are none"
) { place, reading, bytes in
  terminated(by: [0x0a], "a line end", place, reading, bytes)
    ?? terminated(
      by: [0x0d, 0x0a], "a line end", place, reading, bytes)
}

private func terminated(
  by terminator: [UInt8], _ name: String, _ place: borrowing Place, _ reading: ContentReading?, _ bytes: Span<UInt8>
) -> Explanation? {
  if let reading, reading.terminator > 0 {
    return insideFrame(reading, terminator, name, bytes)
  }
  guard place.followsFrame, bytes.holds(terminator, at: place.start, limit: place.limit) else { return nil }
  let end = place.start + terminator.count
  // A single 0 at the end of the stream could also be the beginning of a frame.
  if end == place.limit, terminator[0] == 0 { return nil }
  let count = terminator.count
  return Explanation(
    end: end, weight: .terminator, isFrame: false,
    evidence: { "\(name) of \(plural(count, "byte")) follows a complete frame" }, repaired: { _ in [] })
}

private func insideFrame(
  _ reading: ContentReading, _ terminator: [UInt8], _ name: String, _ bytes: Span<UInt8>
) -> Explanation? {
  guard let payload = reading.payload, payload.terminator == terminator.count, let declared = payload.declared,
    bytes.holds(terminator, at: payload.range.upperBound, limit: payload.range.upperBound + terminator.count),
    reading.values.allSatisfy({ $0.kind == .payload || $0.isTrue })
  else { return nil }
  let isCounted = declared == payload.count + terminator.count
  guard isCounted || declared == payload.count else { return nil }
  if let frameLength = reading.frameLength {
    guard frameLength == reading.itemsSize || (!isCounted && frameLength == reading.itemsSize - terminator.count) else {
      return nil
    }
  }
  return reading.explanation(.terminator) {
    "\(name) follows the payload, and the payload length \(isCounted ? "counts it" : "does not count it")"
  }
}

extension Span<UInt8> {
  fileprivate func holds(_ other: [UInt8], at start: Int, limit: Int) -> Bool {
    guard start + other.count <= limit else { return false }
    for (index, byte) in other.enumerated() where self[start + index] != byte { return false }
    return true
  }
}
