/// Two sequences, `a` and `b`, whose elements are paired.
protocol Pairing {
  var count: (a: Int, b: Int) { get }
  mutating func isEqual(_ one: Int, _ other: Int) -> Bool
  /// Whether an element of `a` comes after one of `b` in an order that depends on contents alone.
  func isGreater(_ one: Int, than other: Int) -> Bool
  /// What ``Alignment`` needs to know about the elements.
  mutating func items(_ ones: Range<Int>, _ others: Range<Int>) -> (a: [Alignment.Item], b: [Alignment.Item])
}

/// An element, or a pair of elements, by index.
enum PairingStep {
  case equal(Int, Int)
  /// A pair that may be equal. It is moved if its position relative to the others changed.
  case pair(Int, Int, isMoved: Bool)
  case onlyA(Int)
  case onlyB(Int)
}

extension Pairing {
  /// Visits all elements in the order of `a`. What only `b` has is visited before the pair that follows it in both.
  mutating func visitPairs(_ visit: (inout Self, PairingStep) -> Void) {
    let most = min(count.a, count.b)
    var start = 0
    while start < most, isEqual(start, start) {
      visit(&self, .equal(start, start))
      start += 1
    }
    var after = 0
    while after < most - start, isEqual(count.a - 1 - after, count.b - 1 - after) { after += 1 }
    align(start..<(count.a - after), start..<(count.b - after), visit)
    for index in (0..<after).reversed() { visit(&self, .equal(count.a - 1 - index, count.b - 1 - index)) }
  }

  /// Aligns two ranges of which neither begins or ends with equal elements.
  private mutating func align(
    _ ones: Range<Int>, _ others: Range<Int>, _ visit: (inout Self, PairingStep) -> Void
  ) {
    guard !ones.isEmpty, !others.isEmpty else {
      for one in ones { visit(&self, .onlyA(one)) }
      for other in others { visit(&self, .onlyB(other)) }
      return
    }
    // Which of several equally good alignments is found must not depend on the order of the inputs.
    let isSwapped = isGreater(ones.lowerBound, than: others.lowerBound)
    let items = items(ones, others)
    let alignment = isSwapped ? Alignment(items.b, items.a) : Alignment(items.a, items.b)
    let (partners, otherPartners) =
      isSwapped
      ? (alignment.secondPartners, alignment.partners) : (alignment.partners, alignment.secondPartners)
    var next = 0
    func visitAdded(upTo end: Int) {
      while next < end {
        if otherPartners[next] < 0 { visit(&self, .onlyB(others.lowerBound + next)) }
        next += 1
      }
    }
    for (one, partner) in partners.enumerated() {
      guard partner >= 0 else {
        visit(&self, .onlyA(ones.lowerBound + one))
        continue
      }
      let other = Int(partner)
      let isMoved = alignment.isMoved[isSwapped ? other : one]
      if !isMoved { visitAdded(upTo: other) }
      visit(&self, .pair(ones.lowerBound + one, others.lowerBound + other, isMoved: isMoved))
    }
    visitAdded(upTo: others.count)
  }
}
