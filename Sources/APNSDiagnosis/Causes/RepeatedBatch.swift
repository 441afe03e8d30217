let batchRepeated = RootCause(
  "batch-repeated", "the whole batch is written once for each notification in it",
  why: "Every device gets each notification as often as the batch has notifications.",
  remedy: "write the batch once, behind the loop that builds it", source: "jpoz/APNS core.rb, send_notifications"
) { _, _, _ in nil }

let repeatedBatch = Rule(
  "repeated-batch", .warning, "a run of frames is written a second time",
  why: "Devices show each notification as often as it is sent.", source: "jpoz/APNS core.rb, send_notifications",
  remedy: "write each notification once, and again only those that an error response leaves open",
  bad: [
    .notification(identifier: 1) + .notification(identifier: 2) + .notification(identifier: 1)
      + .notification(identifier: 2)
  ],
  good: [
    .notification(identifier: 1) + .notification(identifier: 2) + .notification(identifier: 1)
      + .notification(identifier: 3)
  ])

/// The last frames of a stream, to see when a run of them comes again. Takes memory only where there are several.
struct RepeatedRun: Sendable {
  private var hashes: [UInt32] = []
  private var next = 0
  private var distance = 0
  private var length = 0
  private var isSaid = false

  private static let longest = 64

  /// Takes note of a whole frame. Returns how many frames the run has that is complete for the second time with it: once for
  /// a stream.
  mutating func see(_ bytes: Span<UInt8>) -> Int? {
    guard !isSaid else { return nil }
    let hash = Self.hash(bytes)
    var found = 0
    // The last one that is the same.
    for back in 1...Self.longest where back <= hashes.count {
      if hashes[(next + Self.longest - back) % Self.longest] == hash {
        found = back
        break
      }
    }
    if hashes.count < Self.longest { hashes.append(hash) } else { hashes[next] = hash }
    next = (next + 1) % Self.longest
    length = found > 0 && found == distance ? length + 1 : found > 0 ? 1 : 0
    distance = found
    guard distance > 1, length == distance else { return nil }
    isSaid = true
    hashes = []
    return distance
  }

  private static func hash(_ bytes: Span<UInt8>) -> UInt32 {
    var hash: UInt64 = UInt64(truncatingIfNeeded: bytes.count)
    var index = 0
    while index + 8 <= bytes.count {
      var word: UInt64 = 0
      for offset in 0..<8 { word = word << 8 | UInt64(bytes[index + offset]) }
      hash = (hash ^ word) &* 0x9e37_79b9_7f4a_7c15
      hash ^= hash >> 29
      index += 8
    }
    while index < bytes.count {
      hash = (hash ^ UInt64(bytes[index])) &* 0x9e37_79b9_7f4a_7c15
      hash ^= hash >> 29
      index += 1
    }
    return UInt32(truncatingIfNeeded: hash >> 32 ^ hash)
  }
}
