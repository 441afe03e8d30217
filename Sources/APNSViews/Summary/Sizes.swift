/// The distribution of sizes in bytes. An input of n bytes has at most the root of 2n different ones.
package struct Sizes: Sendable {
  private var counts: [Int: Int] = [:]

  package init() {}

  package mutating func add(_ size: Int) {
    counts[max(size, 0), default: 0] += 1
  }

  /// The sizes that these percentages of all sizes do not exceed, which are 0 for the smallest one; nil if there are no
  /// sizes.
  package func percentiles(_ shares: [Int]) -> [Int]? {
    let count = counts.values.reduce(0, +)
    guard count > 0 else { return nil }
    let sorted = counts.sorted { $0.key < $1.key }
    return shares.map { share in
      var rest = max(1, (count * share + 99) / 100)
      let found = sorted.first { size, number in
        rest -= number
        return rest <= 0
      }
      return found?.key ?? 0
    }
  }

  /// The number of sizes in each doubling (0, 1, 2 to 3, 4 to 7 and so on), from that of the smallest size to that of
  /// the largest. The index is the number of bits.
  package var histogram: ArraySlice<Int> {
    var doublings = [Int](repeating: 0, count: Int.bitWidth)
    for (size, number) in counts { doublings[Int.bitWidth - size.leadingZeroBitCount] += number }
    guard let first = doublings.firstIndex(where: { $0 > 0 }) else { return [] }
    return doublings[first...(doublings.lastIndex { $0 > 0 } ?? first)]
  }
}
