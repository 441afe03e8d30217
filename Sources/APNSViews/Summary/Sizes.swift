/// The distribution of sizes: exact up to 255, within 1 % above.
package struct Sizes: Sendable {
  package private(set) var count = 0
  package private(set) var smallest = Int.max
  package private(set) var largest = 0
  /// The number of sizes by size, of which only the first eight bits are kept. So there are fewer than 8,192 entries.
  private var counts: [Int: Int] = [:]

  package init() {}

  package mutating func add(_ size: Int) {
    let size = max(size, 0)
    count += 1
    smallest = min(smallest, size)
    largest = max(largest, size)
    counts[size - size % Self.step(size), default: 0] += 1
  }

  /// The size that `share` percent of the sizes do not exceed, and whether it is exact; nil if there are no sizes.
  package func percentile(_ share: Int) -> (size: Int, isExact: Bool)? {
    guard count > 0 else { return nil }
    // The same as count * share / 100 rounded up, without overflow.
    let rank = max(1, count / 100 * share + (count % 100 * share + 99) / 100)
    var seen = 0
    for (size, number) in counts.sorted(by: { $0.key < $1.key }) {
      seen += number
      guard seen >= rank else { continue }
      let step = Self.step(size)
      return (min(max(size + (step - 1) / 2, smallest), largest), step == 1 || smallest == largest)
    }
    return (largest, true)
  }

  /// The number of sizes in each doubling (0, 1, 2 to 3, 4 to 7 and so on), from that of the smallest size to that of
  /// the largest. The index is the number of bits.
  package var histogram: ArraySlice<Int> {
    guard count > 0 else { return [] }
    var doublings = [Int](repeating: 0, count: Int.bitWidth)
    for (size, number) in counts { doublings[Self.bits(size)] += number }
    return doublings[Self.bits(smallest)...Self.bits(largest)]
  }

  private static func bits(_ size: Int) -> Int { Int.bitWidth - size.leadingZeroBitCount }

  /// The number of sizes that share the first eight bits with this one.
  private static func step(_ size: Int) -> Int { 1 << max(bits(size) - 8, 0) }
}
