import Octets

extension Rule {
  package static let repeatedBatch = Rule(
    "repeated-batch", .warning, "a batch of notifications is sent as often as it has notifications",
    why: "Each device shows its notification as often as it is sent.",
    source: "observed: jpoz/APNS, core.rb, send_notifications writes the packed batch inside notifications.each",
    fix:
      "write a batch once, after the loop that builds it; send a notification again only if an error response says "
      + "that it was discarded",
    bad: [
      .notification(identifier: 1) + .notification(identifier: 2) + .notification(identifier: 1)
        + .notification(identifier: 2),
      .twice(.legacy() + .legacy(#"{"aps":{"badge":1}}"#)).time(1_384_732_800),
    ],
    good: [
      .notification(identifier: 1) + .notification(identifier: 2) + .notification(identifier: 1)
        + .notification(identifier: 3),
      .twice(.notification(identifier: 1) + .notification(identifier: 2) + .notification(identifier: 3)),
      .twice(.notification(identifier: 1) + .notification(#"{"aps":{"badge":1}}"#, identifier: 1)),
      .twice(.legacy() + .legacy(#"{"aps":{"badge":1}}"#)),
    ])
}

/// The last frames of a stream, used to detect that a run of `n` frames was sent `n` times. A loop over a batch does
/// that if it writes the complete batch in each iteration. Memory is used only for streams of several frames.
///
/// Senders also have good reasons to send the same text to a few devices again. So one of two conditions must hold:
/// identifiers that differ within the run are repeated with it, or the capture's clock shows that all frames were
/// written at once.
struct RepeatedRun: Sendable {
  private var hashes: [UInt32] = []
  private var distance = 0
  private var length = 0
  private var isReported = false
  /// Whether some identifiers were repeated together with their frames (`areRepeated`), and whether one was sent more
  /// recently than its frame (`areShared`).
  private var areRepeated = false
  private var areShared = false
  /// The time of the last frame in seconds; nil without a clock.
  private var time: Int?
  /// The number of frames since the sender last paused.
  private var sincePause = 0

  private static let longest = 64
  /// In seconds. Anything longer is a pause.
  private static let longestBreak = 1

  /// Adds a complete frame by its mark.
  ///
  /// - Parameters:
  ///   - hash: the mark of the frame.
  ///   - framesAgo: how many frames ago the frame's identifier was sent; 0 if it was not, or if there is none.
  ///   - time: the time of capture in seconds.
  /// - Returns: the length of the run that the frame completes for the last time; nil otherwise. A run is reported once
  ///   per stream.
  mutating func add(_ hash: UInt32, framesAgo: Int, time: Int?) -> Int? {
    guard !isReported else { return nil }
    let isSoon = self.time.map { 0...Self.longestBreak ~= (time ?? .max) &- $0 } ?? false
    sincePause = isSoon ? sincePause + 1 : 1
    self.time = time
    // The distance to the most recent equal frame.
    let found = isKnown(hash) ? hashes.lastIndex(of: hash).map { hashes.count - $0 } ?? 0 : 0
    if hashes.count == Self.longest { hashes.removeFirst() }
    hashes.append(hash)
    if found == 0 || found != distance { (length, areRepeated, areShared) = (0, false, false) }
    distance = found
    guard found > 1 else { return nil }
    length += 1
    if framesAgo == found { areRepeated = true } else if framesAgo > 0 { areShared = true }
    guard length == distance * (distance - 1), !areShared, time == nil ? areRepeated : sincePause >= length + distance
    else {
      return nil
    }
    isReported = true
    hashes = []
    return distance
  }

  /// Most frames are new, so all slots are compared without a branch.
  private func isKnown(_ hash: UInt32) -> Bool {
    let hashes = hashes.span
    var equal: UInt32 = 0
    for index in hashes.indices { equal |= hashes[index] == hash ? 1 : 0 }
    return equal != 0
  }

  /// A hash of a frame.
  static func mark(of bytes: Span<UInt8>) -> UInt32 {
    var hash = UInt64(truncatingIfNeeded: bytes.count)
    for index in stride(from: 0, to: bytes.count, by: 16) {
      let rest = index..<bytes.count
      let second = bytes.firstWord(of: min(index + 8, rest.upperBound)..<rest.upperBound)
      let product = (hash ^ bytes.firstWord(of: rest) ^ 0x9e37_79b9_7f4a_7c15)
        .multipliedFullWidth(by: second ^ 0xff51_afd7_ed55_8ccd)
      hash = product.high ^ product.low
    }
    return UInt32(truncatingIfNeeded: hash >> 32 ^ hash)
  }
}
