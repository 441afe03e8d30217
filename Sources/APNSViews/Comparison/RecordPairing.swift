import APNSInput

/// Pairs the records of two streams, and compares them.
struct RecordPairing: Pairing {
  private let a: RecordLog.Stream
  private let b: RecordLog.Stream
  private let streams: Comparison.StreamPair
  private let parts: RecordParts
  private var comparer: ContentComparer

  init(_ a: RecordLog.Stream?, _ b: RecordLog.Stream?, _ parts: RecordParts) {
    let missing = RecordLog.Stream(stream: ByteStream(number: 0))
    self.a = a ?? missing
    self.b = b ?? missing
    streams = Comparison.StreamPair(role: (a ?? b)?.role, a: a?.stream, b: b?.stream)
    self.parts = parts
    comparer = ContentComparer(parts)
  }

  /// - Parameter isMoved: whether the position of the connection relative to the others changed.
  consuming func visit(
    isMoved: Bool, _ counts: inout Comparison.Counts, _ visit: (Comparison.Difference) -> Void
  ) {
    if !isMoved, parts.ignoresNothing, comparer.isEqual(a, b) {
      counts.equal += a.records.count
      return
    }
    visitPairs { pairing, step in
      switch step {
      case .equal(let one, let other):
        if isMoved {
          counts.moved += 1
          visit(pairing.difference(.moved, isMoved: true, one, other))
        } else {
          counts.equal += 1
        }
      case .pair(let one, let other, let isMovedInStream):
        let isMoved = isMoved || isMovedInStream
        if !pairing.isEqual(one, other) {
          counts.changed += 1
          visit(pairing.difference(.changed, isMoved: isMoved, one, other))
        } else if isMoved {
          counts.moved += 1
          visit(pairing.difference(.moved, isMoved: true, one, other))
        } else {
          counts.equal += 1
        }
      case .onlyA(let one):
        counts.removed += 1
        visit(pairing.difference(.removed, one, nil))
      case .onlyB(let other):
        counts.added += 1
        visit(pairing.difference(.added, nil, other))
      }
    }
  }

  private func difference(
    _ change: Comparison.Difference.Change, isMoved: Bool = false, _ one: Int?, _ other: Int?
  ) -> Comparison.Difference {
    let held = one.map { Comparison.HeldRecord(a, $0) }
    let otherHeld = other.map { Comparison.HeldRecord(b, $0) }
    return Comparison.Difference(
      change: change, isMoved: isMoved, a: held, b: otherHeld, streams: streams,
      parts: change == .moved ? [] : parts.differences(held, otherHeld))
  }

  // MARK: Pairing

  var count: (a: Int, b: Int) { (a.records.count, b.records.count) }

  mutating func isEqual(_ one: Int, _ other: Int) -> Bool { comparer.isEqual(a, one, b, other) }

  func isGreater(_ one: Int, than other: Int) -> Bool { a.isGreater(from: one, than: b, from: other) ?? false }

  func items(_ ones: Range<Int>, _ others: Range<Int>) -> (a: [Alignment.Item], b: [Alignment.Item]) {
    var numbering = ContentNumbering(parts)
    return (numbering.items(a, ones), numbering.items(b, others))
  }
}
