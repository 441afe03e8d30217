/// The distribution of sizes, in constant memory: exact up to 255, within 1 % above.
package struct Sizes: Sendable {
  package private(set) var count = 0
  package private(set) var smallest = Int.max
  package private(set) var largest = 0
  private var buckets: [Int] = []
  /// The number of sizes by number of bits: sizes of 0, 1, 2 to 3, 4 to 7 and so on.
  private var doublings = [Int](repeating: 0, count: Int.bitWidth)

  /// Buckets for each doubling.
  private static let steps = 128

  package init() {}

  package mutating func add(_ size: Int) {
    let size = max(size, 0)
    count += 1
    smallest = min(smallest, size)
    largest = max(largest, size)
    doublings[Self.bits(size)] += 1
    let bucket = Self.bucket(of: size)
    while buckets.count <= bucket { buckets.append(0) }
    buckets[bucket] += 1
  }

  /// The size that `share` percent of the sizes do not exceed, and whether it is exact; nil if there are no sizes.
  package func percentile(_ share: Int) -> (size: Int, isExact: Bool)? {
    guard count > 0 else { return nil }
    // The same as count * share / 100 rounded up, without overflow.
    let rank = max(1, count / 100 * share + (count % 100 * share + 99) / 100)
    var seen = 0
    for (bucket, number) in buckets.enumerated() {
      seen += number
      guard seen >= rank else { continue }
      let sizes = Self.sizes(in: bucket)
      let middle = sizes.lowerBound + (sizes.upperBound - sizes.lowerBound) / 2
      let isExact = sizes.count == 1 || smallest == largest
      return (min(max(middle, smallest), largest), isExact)
    }
    return (largest, true)
  }

  /// The number of sizes in each doubling, from that of the smallest size to that of the largest.
  package var histogram: ArraySlice<Int> {
    count > 0 ? doublings[Self.bits(smallest)...Self.bits(largest)] : []
  }

  private static func bits(_ size: Int) -> Int { Int.bitWidth - size.leadingZeroBitCount }

  private static func bucket(of size: Int) -> Int {
    guard size >= steps * 2 else { return size }
    let shift = bits(size) - bits(steps)
    return shift * steps + (size >> shift)
  }

  private static func sizes(in bucket: Int) -> ClosedRange<Int> {
    guard bucket >= steps * 2 else { return bucket...bucket }
    let shift = bucket / steps - 1
    let low = (bucket - shift * steps) << shift
    return low...(low + ((1 << shift) - 1))
  }
}
