/// Pairs the elements of two lists: by key, then equal ones in order, then those of one kind in order.
struct Pairing {
  /// What is known about the elements of a list, by index.
  struct List {
    /// A hash of all that is compared. The key of ``Hasher`` is random, so no input can be made in which different
    /// contents have the same hash.
    var contents: [Int] = []
    /// A hash of the type of the record, or the service of the connection.
    var kind: (Int) -> Int = { _ in 0 }
    /// Hashes of values that identify an element, the best first. Nil if the element does not have the value.
    var keys: [(Int) -> Int?] = []
  }

  /// Elements of each list that are compared at once. The time and the memory of the standard library's difference are
  /// quadratic.
  private static let window = 500
  /// Instead of a partner: the element may still be paired.
  private static let free = -1
  /// Instead of a partner: the element has an equal one elsewhere, so it was removed here and added there.
  private static let elsewhere = -2

  private let a: List
  private let b: List
  /// The index of the partner of each element.
  private var partners: (a: [Int], b: [Int])

  /// Visits all elements in the order of `a`. Between pairs in order, what only `b` has is visited last.
  static func visit(_ a: List, _ b: List, _ visit: (Int?, Int?) -> Void) {
    var pairing = Pairing(
      a: a, b: b, partners: (a.contents.map { _ in Self.free }, b.contents.map { _ in Self.free }))
    for (key, otherKey) in zip(a.keys, b.keys) { pairing.pairUnique(key, otherKey) }
    pairing.pairUnique({ a.contents[$0] }, { b.contents[$0] })
    pairing.visitPairs(a.contents.indices, b.contents.indices, areEqual: true, visit)
  }

  /// Pairs elements with the same key if no other element of their list has it.
  private mutating func pairUnique(_ key: (Int) -> Int?, _ otherKey: (Int) -> Int?) {
    let several = -1
    func find(_ partners: [Int], _ key: (Int) -> Int?) -> [Int: Int] {
      partners.indices.reduce(into: [:]) { found, index in
        guard partners[index] == Self.free, let key = key(index) else { return }
        found[key] = found[key] == nil ? index : several
      }
    }
    let others = find(partners.b, otherKey)
    for (key, one) in find(partners.a, key) where one != several {
      if let other = others[key], other != several { pair(one, other) }
    }
  }

  private mutating func pair(_ one: Int, _ other: Int) { (partners.a[one], partners.b[other]) = (other, one) }

  /// Divides the ranges by as many pairs as can be in order. Pairs of equal elements are first, so that no pair of
  /// changed ones separates them. Equal elements that are not in order are no pair.
  private mutating func visitPairs(
    _ ones: Range<Int>, _ others: Range<Int>, areEqual: Bool, _ visit: (Int?, Int?) -> Void
  ) {
    let pairs = ones.filter {
      others.contains(partners.a[$0]) && (!areEqual || a.contents[$0] == b.contents[partners.a[$0]])
    }
    let chain = longestChain(of: pairs)
    if areEqual {
      for one in Set(pairs).subtracting(chain) {
        partners.b[partners.a[one]] = Self.elsewhere
        partners.a[one] = Self.elsewhere
      }
    }
    var (one, other) = (ones.lowerBound, others.lowerBound)
    for next in chain + [ones.upperBound] {
      let partner = next < ones.upperBound ? partners.a[next] : others.upperBound
      if areEqual {
        visitFree(one..<next, other..<partner, visit)
      } else {
        visitByKind(one..<next, other..<partner, visit)
      }
      if next < ones.upperBound { visit(next, partner) }
      (one, other) = (next + 1, partner + 1)
    }
  }

  /// The longest list of these indices in `a` whose partners rise.
  private func longestChain(of indices: [Int]) -> [Int] {
    /// By length: the position in `indices` of the end of the chain of this length whose partner is the least.
    var ends: [Int] = []
    var previous = [Int](repeating: -1, count: indices.count)
    for (position, one) in indices.enumerated() {
      let length = ends.partitioningIndex(where: { partners.a[indices[$0]] >= partners.a[one] })
      if length > 0 { previous[position] = ends[length - 1] }
      if length == ends.count { ends.append(position) } else { ends[length] = position }
    }
    return sequence(first: ends.last ?? -1) { previous[$0] }.prefix { $0 >= 0 }.reversed().map { indices[$0] }
  }

  /// Pairs equal elements that are not unique, window by window.
  private mutating func visitFree(_ ones: Range<Int>, _ others: Range<Int>, _ visit: (Int?, Int?) -> Void) {
    var (start, otherStart) = (ones.lowerBound, others.lowerBound)
    var rest = ones.filter { partners.a[$0] == Self.free }[...]
    var otherRest = others.filter { partners.b[$0] == Self.free }[...]
    while !rest.isEmpty, !otherRest.isEmpty {
      let isLast = max(rest.count, otherRest.count) <= Self.window
      let (kept, otherKept) = equal(rest.prefix(Self.window), otherRest.prefix(Self.window))
      for (one, other) in zip(kept, otherKept) {
        visitPairs(start..<one, otherStart..<other, areEqual: false, visit)
        visit(one, other)
        pair(one, other)
        (start, otherStart) = (one + 1, other + 1)
      }
      if isLast { break }
      // What follows the last equal elements is compared again, except for what would make the work quadratic.
      let (middle, otherMiddle) = (rest.dropFirst(Self.window / 2).first, otherRest.dropFirst(Self.window / 2).first)
      rest = rest.drop { $0 < max(start, middle ?? 0) }
      otherRest = otherRest.drop { $0 < max(otherStart, otherMiddle ?? 0) }
    }
    visitPairs(start..<ones.upperBound, otherStart..<others.upperBound, areEqual: false, visit)
  }

  /// The elements of both lists that the standard library's difference keeps.
  private func equal(_ ones: ArraySlice<Int>, _ others: ArraySlice<Int>) -> ([Int], [Int]) {
    let difference = others.map { b.contents[$0] }.difference(from: ones.map { a.contents[$0] })
    var (kept, otherKept) = (Array(ones), Array(others))
    for case .remove(let offset, _, _) in difference.removals.reversed() { kept.remove(at: offset) }
    for case .insert(let offset, _, _) in difference.insertions.reversed() { otherKept.remove(at: offset) }
    return (kept, otherKept)
  }

  /// Pairs what remains by kind, the first with the first.
  private mutating func visitByKind(_ ones: Range<Int>, _ others: Range<Int>, _ visit: (Int?, Int?) -> Void) {
    var waiting = Dictionary(grouping: others.reversed().filter { partners.b[$0] == Self.free }) { b.kind($0) }
    for one in ones {
      if partners.a[one] == Self.free, let other = waiting[a.kind(one)]?.popLast() { pair(one, other) }
      visit(one, partners.a[one] >= 0 ? partners.a[one] : nil)
    }
    for other in others where partners.b[other] < 0 { visit(nil, other) }
  }
}
