/// Pairs the records of two streams: by identifier, then by token, then by order.
///
/// A repeated content is compared with at most ``repetitions`` others before and after its counterpart, each in
/// logarithmic time; so no input makes the work quadratic.
package struct Alignment: Sendable {
  /// A record of either stream. Equal numbers represent equal values in both streams.
  package struct Item: Sendable, Hashable {
    /// All that is compared of the record.
    package var content: Int32
    /// -1 if the record has none.
    package var identifier: Int32
    /// -1 if the record has none.
    package var token: Int32
    /// The frame type, or the kind of other record. Records are paired by order only if they are of the same kind.
    package var kind: Int32

    package init(content: Int32, identifier: Int32 = -1, token: Int32 = -1, kind: Int32 = 0) {
      self.content = content
      self.identifier = identifier
      self.token = token
      self.kind = kind
    }
  }

  /// For each record of the first stream, the index of its partner in the second; -1 if there is none.
  package private(set) var partners: [Int32]
  /// The pairs that divide both streams, in order.
  package private(set) var inOrder: [(first: Int, second: Int)] = []
  /// For each record of the first stream, whether its position relative to the other records changed.
  package private(set) var isMoved: [Bool] = []

  /// A repeated content is compared with this many repetitions before and after its counterpart. The result is a longest
  /// common subsequence unless a content is repeated more often.
  package static let repetitions = 4

  private let first: [Item]
  private let second: [Item]
  /// For each record of the second stream, the index of its partner in the first; -1 if there is none.
  private(set) var secondPartners: [Int32]

  package init(_ first: [Item], _ second: [Item]) {
    self.first = first
    self.second = second
    partners = [Int32](repeating: -1, count: first.count)
    secondPartners = [Int32](repeating: -1, count: second.count)
    pairUnique(\.identifier)
    pairUnique(\.token)
    pairInOrder()
    pairMoved()
    pairByKind()
  }

  private mutating func pair(_ one: Int, _ other: Int) {
    partners[one] = Int32(other)
    secondPartners[other] = Int32(one)
  }

  /// Pairs records with the same value if only one unpaired record of each stream has it.
  private mutating func pairUnique(_ value: KeyPath<Item, Int32>) {
    let ones = Self.uniques(first, partners, value)
    let others = Self.uniques(second, secondPartners, value)
    for (value, one) in ones.enumerated() where one >= 0 && value < others.count && others[value] >= 0 {
      pair(one, others[value])
    }
  }

  /// By value: the index of the only unpaired record with it; negative if there is none, or if there are several.
  private static func uniques(_ items: [Item], _ partners: [Int32], _ value: KeyPath<Item, Int32>) -> [Int] {
    var found: [Int] = []
    for (index, item) in items.enumerated() where partners[index] < 0 && item[keyPath: value] >= 0 {
      let value = Int(item[keyPath: value])
      if value >= found.count { found += [Int](repeating: -1, count: max(value + 1 - found.count, found.count)) }
      found[value] = found[value] == -1 ? index : -2
    }
    return found
  }

  /// Finds the longest chain of pairs that are in the same order in both streams. Records without a partner are paired
  /// with equal ones.
  private mutating func pairInOrder() {
    let positions = Positions(second, secondPartners)
    var ranks = [Int32](repeating: 0, count: positions.contents)
    inOrder = Self.longestChain(first.count) { index, visit in
      if partners[index] >= 0 { return visit(Int(partners[index])) }
      let content = Int(first[index].content)
      guard content < positions.contents else { return }
      let equal = positions[content]
      let rank = equal.lowerBound + Int(ranks[content])
      ranks[content] += 1
      let near = equal.clamped(to: (rank - Self.repetitions)..<(rank + Self.repetitions + 1))
      for position in near.reversed() { visit(Int(positions.all[position])) }
    }
    for (one, other) in inOrder { pair(one, other) }
  }

  /// Pairs the remaining records with equal ones, which are elsewhere.
  private mutating func pairMoved() {
    let positions = Positions(second, secondPartners)
    var ranks = [Int32](repeating: 0, count: positions.contents)
    for index in first.indices where partners[index] < 0 {
      let content = Int(first[index].content)
      guard content < positions.contents, Int(ranks[content]) < positions[content].count else { continue }
      pair(index, Int(positions.all[positions[content].lowerBound + Int(ranks[content])]))
      ranks[content] += 1
    }
    isMoved = partners.map { $0 >= 0 }
    for (one, _) in inOrder { isMoved[one] = false }
  }

  /// Pairs the remaining records between two pairs of `inOrder` with those of the same kind, by order.
  private mutating func pairByKind() {
    var (one, other) = (0, 0)
    for next in inOrder + [(first.count, second.count)] {
      if one < next.first, other < next.second { pairByKind(one..<next.first, other..<next.second) }
      (one, other) = (next.first + 1, next.second + 1)
    }
  }

  private mutating func pairByKind(_ ones: Range<Int>, _ others: Range<Int>) {
    var waiting: [Int32: (list: [Int], next: Int)] = [:]
    for other in others where secondPartners[other] < 0 {
      waiting[second[other].kind, default: ([], 0)].list.append(other)
    }
    guard !waiting.isEmpty else { return }
    for one in ones where partners[one] < 0 {
      let kind = first[one].kind
      guard let (list, next) = waiting[kind], next < list.count else { continue }
      waiting[kind]?.next += 1
      pair(one, list[next])
    }
  }

  /// The positions of unpaired records, by content.
  private struct Positions {
    private var starts: [Int]
    private(set) var all: [Int32]

    var contents: Int { starts.count - 1 }

    init(_ items: [Item], _ partners: [Int32]) {
      starts = [Int](repeating: 0, count: Int(items.map(\.content).max() ?? -1) + 2)
      for (index, item) in items.enumerated() where partners[index] < 0 { starts[Int(item.content) + 1] += 1 }
      for content in starts.indices.dropFirst() { starts[content] += starts[content - 1] }
      all = [Int32](repeating: 0, count: starts.last ?? 0)
      var next = starts
      for (index, item) in items.enumerated() where partners[index] < 0 {
        all[next[Int(item.content)]] = Int32(index)
        next[Int(item.content)] += 1
      }
    }

    subscript(content: Int) -> Range<Int> { starts[content]..<starts[content + 1] }
  }

  /// The longest chain of pairs in which both numbers rise, by the method of Hunt and Szymanski (1977).
  ///
  /// - Parameter candidates: visits the numbers that may be paired with a number below `count`, in falling order.
  static func longestChain(
    _ count: Int, _ candidates: (Int, (Int) -> Void) -> Void
  ) -> [(first: Int, second: Int)] {
    var links: [(first: Int32, second: Int32, previous: Int32)] = []
    /// By length: the link at the end of the chain of that length that ends earliest.
    var ends: [Int32] = []
    for first in 0..<count {
      candidates(first) { second in
        var (low, high) = (0, ends.count)
        while low < high {
          let middle = (low + high) / 2
          if links[Int(ends[middle])].second < second { low = middle + 1 } else { high = middle }
        }
        if low < ends.count, links[Int(ends[low])].second == second { return }
        links.append((Int32(first), Int32(second), low > 0 ? ends[low - 1] : -1))
        if low == ends.count { ends.append(0) }
        ends[low] = Int32(links.count - 1)
      }
    }
    var chain: [(first: Int, second: Int)] = []
    var link = ends.last ?? -1
    while link >= 0 {
      chain.append((Int(links[Int(link)].first), Int(links[Int(link)].second)))
      link = links[Int(link)].previous
    }
    return chain.reversed()
  }
}
