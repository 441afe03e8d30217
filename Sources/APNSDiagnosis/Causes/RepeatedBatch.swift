let batchRepeated = RootCause(
  "batch-repeated", "the whole batch is written once for each notification in it",
  why: "Every device gets each notification as often as the batch has notifications.",
  fix: "write the batch once, behind the loop that builds it", source: "jpoz/APNS core.rb, send_notifications"
) { _, _, _ in nil }

let repeatedBatch = Rule(
  "repeated-batch", .warning, "a run of frames is written a second time",
  why: "Devices show each notification as often as it is sent.", source: "jpoz/APNS core.rb, send_notifications",
  fix: "write each notification once, and again only those that an error response leaves open",
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
  mutating func see(_ bytes: Span<UInt8>) -> Int? { isSaid ? nil : see(Self.mark(of: bytes)) }

  /// The same by a frame's mark.
  mutating func see(_ hash: UInt32) -> Int? {
    guard !isSaid else { return nil }
    // The last one that is the same.
    let found = isKnown(hash) ? (1...hashes.count).first { hashes[place(back: $0)] == hash } ?? 0 : 0
    if hashes.count < Self.longest { hashes.append(hash) } else { hashes[next] = hash }
    next = (next + 1) % Self.longest
    length = found > 0 && found == distance ? length + 1 : found > 0 ? 1 : 0
    distance = found
    guard distance > 1, length == distance else { return nil }
    isSaid = true
    hashes = []
    return distance
  }

  /// A place behind the newest holds the oldest.
  private func place(back count: Int) -> Int { (next + Self.longest - count) % Self.longest }

  /// Hardly any frame is: so all are looked at, without a branch.
  private func isKnown(_ hash: UInt32) -> Bool {
    let hashes = hashes.span
    var equal: UInt32 = 0
    for index in hashes.indices { equal |= hashes[index] == hash ? 1 : 0 }
    return equal != 0
  }

  /// What frames are told apart by. Two numbers side by side: a multiplication waits for the one before.
  static func mark(of bytes: Span<UInt8>) -> UInt32 {
    var (one, other) = (UInt64(truncatingIfNeeded: bytes.count), 0x243f_6a88_85a3_08d3 as UInt64)
    var index = 0
    while index + 32 <= bytes.count {
      mix(bytes.words(at: index), into: &one, &other)
      index += 32
    }
    if bytes.count >= 32 {
      // The last ones once more, whatever of them is left.
      mix(bytes.words(at: bytes.count - 32), into: &one, &other)
    } else {
      for index in bytes.indices { one = mixed(one, UInt64(bytes[index])) }
    }
    let hash = mixed(one, other)
    return UInt32(truncatingIfNeeded: hash >> 32 ^ hash)
  }

  @inline(__always)
  private static func mix(_ words: Words, into one: inout UInt64, _ other: inout UInt64) {
    one = mixed(one ^ UInt64(littleEndian: words.first), UInt64(littleEndian: words.second))
    other = mixed(other ^ UInt64(littleEndian: words.third), UInt64(littleEndian: words.fourth))
  }

  @inline(__always)
  private static func mixed(_ one: UInt64, _ other: UInt64) -> UInt64 {
    let product = (one ^ 0x9e37_79b9_7f4a_7c15).multipliedFullWidth(by: other ^ 0xff51_afd7_ed55_8ccd)
    return product.high ^ product.low
  }
}

/// Thirty-two bytes, as they stand in memory.
private struct Words: BitwiseCopyable {
  let (first, second, third, fourth): (UInt64, UInt64, UInt64, UInt64)
}

extension Span<UInt8> {
  @inline(__always)
  fileprivate func words(at index: Int) -> Words {
    // The bounds are checked, and any bytes are numbers.
    unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: Words.self)
  }
}
