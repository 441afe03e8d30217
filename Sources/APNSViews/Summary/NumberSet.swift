/// Counts the different numbers of streams or connections, with a bit for each. Numbers from `limit` on are not
/// counted.
package struct NumberSet: Sendable {
  package private(set) var count = 0
  /// Whether there were numbers that are not counted.
  package private(set) var isPartial = false
  private var words: [UInt64] = []

  /// 256 KiB of bits.
  private static let limit = 1 << 21

  mutating func insert(_ number: Int) {
    guard (0..<Self.limit).contains(number) else {
      isPartial = true
      return
    }
    while words.count <= number >> 6 { words.append(0) }
    let bit: UInt64 = 1 << UInt64(number & 63)
    guard words[number >> 6] & bit == 0 else { return }
    words[number >> 6] |= bit
    count += 1
  }
}
