import APNSDiagnosis
import APNSInput
import APNSWire
import Octets

/// Compares two inputs record by record and field by field.
///
/// Streams of the same role are paired in the order of their numbers. In a pair of streams, records are paired by
/// identifier, then by token, then by order.
public struct Comparison: Sendable {
  private let parts: RecordParts

  /// - Parameters:
  ///   - catalog: the frame types that the records were decoded with.
  ///   - names: the fields that are not compared, as in ``fields(of:)``.
  public init(_ catalog: Catalog, ignoring names: [String] = []) {
    parts = RecordParts(catalog, ignoring: names)
  }

  /// The names of the fields that can be ignored.
  public static func fields(of catalog: Catalog) -> [String] {
    catalog.fields.reduce(into: []) { names, field in
      if !field.isList, !names.contains(field.name.member) { names.append(field.name.member) }
    }
  }

  /// The number of records of each kind.
  public struct Counts: Sendable, Hashable {
    /// Pairs without a difference.
    public internal(set) var equal = 0
    /// Pairs that differ in a field.
    public internal(set) var changed = 0
    /// Pairs that differ only in their order.
    public internal(set) var moved = 0
    /// Records that only the first input has.
    public internal(set) var removed = 0
    /// Records that only the second input has.
    public internal(set) var added = 0

    /// Whether there is no difference.
    public var isEqual: Bool { changed == 0 && moved == 0 && removed == 0 && added == 0 }
  }

  /// A difference between the inputs.
  public struct Difference: Sendable {
    /// The kind of difference.
    public let change: Change
    /// Whether the records are in another order.
    public let isMoved: Bool
    /// The record in the first input; nil if it was added.
    let a: HeldRecord?
    /// The record in the second input; nil if it was removed.
    let b: HeldRecord?
    /// The streams that are compared. One of them is nil if only one input has such a stream.
    let streams: StreamPair
    /// The parts that differ; all of them if only one input has the record.
    let parts: [PartDifference]

    /// The kinds of difference.
    public enum Change: String, Sendable {
      /// The records of a pair differ in a field.
      case changed
      /// The records of a pair are equal, but in another order.
      case moved
      /// Only the first input has the record.
      case removed
      /// Only the second input has the record.
      case added
    }
  }

  struct StreamPair: Sendable, Hashable {
    let role: StreamRole?
    let a: ByteStream?
    let b: ByteStream?
  }

  /// A record of a ``RecordLog``.
  struct HeldRecord: Sendable {
    let stream: RecordLog.Stream
    let record: RecordLog.Entry

    fileprivate init(_ stream: RecordLog.Stream, _ index: Int) {
      self.stream = stream
      record = stream.records[index]
    }

    func read<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
      body(stream.bytes.span.extracting(record.range))
    }
  }

  /// Compares two inputs.
  ///
  /// - Parameters:
  ///   - a: the first input.
  ///   - b: the second input.
  ///   - visit: receives each difference: stream by stream, in the order of the first input.
  /// - Returns: the number of records of each kind.
  public func compare(_ a: RecordLog, _ b: RecordLog, _ visit: (Difference) -> Void) -> Counts {
    var counts = Counts()
    let (ones, others) = (a.streamsInOrder(), b.streamsInOrder())
    let roles = Set(ones.keys).union(others.keys).sorted { $0?.rawValue ?? .max < $1?.rawValue ?? .max }
    for role in roles {
      let (streams, otherStreams) = (ones[role] ?? [], others[role] ?? [])
      for index in 0..<max(streams.count, otherStreams.count) {
        let one = index < streams.count ? a.streams[streams[index]] : nil
        let other = index < otherStreams.count ? b.streams[otherStreams[index]] : nil
        StreamComparison(one, other, role, parts).visit(&counts, visit)
      }
    }
    return counts
  }
}

/// Compares two streams.
private struct StreamComparison {
  private let a: RecordLog.Stream
  private let b: RecordLog.Stream
  private let streams: Comparison.StreamPair
  private let parts: RecordParts

  init(_ a: RecordLog.Stream?, _ b: RecordLog.Stream?, _ role: StreamRole?, _ parts: RecordParts) {
    let missing = RecordLog.Stream(stream: ByteStream(number: 0))
    self.a = a ?? missing
    self.b = b ?? missing
    streams = Comparison.StreamPair(role: role, a: a?.stream, b: b?.stream)
    self.parts = parts
  }

  func visit(_ counts: inout Comparison.Counts, _ visit: (Comparison.Difference) -> Void) {
    if parts.ignoresNothing, a.isEqual(to: b) {
      counts.equal += a.records.count
      return
    }
    let most = min(a.records.count, b.records.count)
    var comparer = ContentComparer(parts)
    var before = 0
    while before < most, comparer.isEqual(a, before, b, before) { before += 1 }
    var after = 0
    while after < most - before,
      comparer.isEqual(a, a.records.count - 1 - after, b, b.records.count - 1 - after)
    {
      after += 1
    }
    counts.equal += before + after
    let (ones, others) = (before..<(a.records.count - after), before..<(b.records.count - after))
    let partners = partners(ones, others)
    // What only `b` has is visited before the pair that follows it in both streams.
    var next = others.lowerBound
    for one in ones {
      guard let pair = partners.pairs[one - ones.lowerBound] else {
        counts.removed += 1
        visit(difference(.removed, one, nil))
        continue
      }
      let other = pair.partner + others.lowerBound
      if pair.isDivider { visitAdded(next..<other, partners, from: others.lowerBound, &counts, visit) }
      if pair.isDivider { next = other + 1 }
      if !comparer.isEqual(a, one, b, other) {
        counts.changed += 1
        visit(difference(.changed, isMoved: pair.isMoved, one, other))
      } else if pair.isMoved {
        counts.moved += 1
        visit(difference(.moved, isMoved: true, one, other))
      } else {
        counts.equal += 1
      }
    }
    visitAdded(next..<others.upperBound, partners, from: others.lowerBound, &counts, visit)
  }

  private func visitAdded(
    _ range: Range<Int>, _ partners: Partners, from start: Int, _ counts: inout Comparison.Counts,
    _ visit: (Comparison.Difference) -> Void
  ) {
    for other in range where !partners.isTaken[other - start] {
      counts.added += 1
      visit(difference(.added, nil, other))
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

  /// The pairs of records, by index in the first range.
  private struct Partners {
    var pairs: [(partner: Int, isMoved: Bool, isDivider: Bool)?]
    /// By index in the second range.
    var isTaken: [Bool]
  }

  /// Aligns the records in two ranges, of which neither begins or ends with equal records.
  private func partners(_ ones: Range<Int>, _ others: Range<Int>) -> Partners {
    var result = Partners(
      pairs: Array(repeating: nil, count: ones.count), isTaken: [Bool](repeating: false, count: others.count))
    guard !ones.isEmpty, !others.isEmpty else { return result }
    var numbering = ContentNumbering(parts)
    // Which of several equally good alignments is found must not depend on the order of the inputs.
    let isSwapped = isGreater(a, ones.lowerBound, than: b, others.lowerBound)
    let firsts = isSwapped ? numbering.items(b, others) : numbering.items(a, ones)
    let seconds = isSwapped ? numbering.items(a, ones) : numbering.items(b, others)
    let alignment = Alignment(firsts, seconds)
    var isDivider = [Bool](repeating: false, count: firsts.count)
    for (first, _) in alignment.inOrder { isDivider[first] = true }
    for (first, second) in alignment.partners.enumerated() where second >= 0 {
      let (one, other) = isSwapped ? (Int(second), first) : (first, Int(second))
      result.pairs[one] = (other, alignment.isMoved[first], isDivider[first])
      result.isTaken[other] = true
    }
    return result
  }

  /// An order of records that differ.
  private func isGreater(
    _ a: RecordLog.Stream, _ one: Int, than b: RecordLog.Stream, _ other: Int
  ) -> Bool {
    let (x, y) = (a.records[one], b.records[other])
    if (x.kind, x.distance) != (y.kind, y.distance) { return (x.kind, x.distance) > (y.kind, y.distance) }
    return b.bytes[y.range].lexicographicallyPrecedes(a.bytes[x.range])
  }
}

extension RecordLog.Stream {
  /// Whether all bytes are equal, even if they were framed in different ways.
  fileprivate func isEqual(to other: Self) -> Bool {
    guard bytes == other.bytes else { return false }
    let (losses, otherLosses) = (records.filter(\.isLoss), other.records.filter(\.isLoss))
    return losses.elementsEqual(otherLosses) {
      $0.kind == $1.kind && $0.range == $1.range && $0.distance == $1.distance
    }
  }
}

extension RecordLog.Entry {
  /// Whether it is not a part of the stream: missing bytes, or other bytes for an earlier part.
  fileprivate var isLoss: Bool { kind > 256 }
}

/// Compares what is compared of records.
private struct ContentComparer {
  private let parts: RecordParts
  private var content = Output()
  private var otherContent = Output()

  init(_ parts: RecordParts) { self.parts = parts }

  mutating func isEqual(_ a: RecordLog.Stream, _ one: Int, _ b: RecordLog.Stream, _ other: Int) -> Bool {
    let (x, y) = (a.records[one], b.records[other])
    guard x.kind == y.kind, x.distance == y.distance else { return false }
    let (bytes, otherBytes) = (a.bytes.span, b.bytes.span)
    if bytes.isEqual(x.range, to: otherBytes, y.range) { return true }
    if parts.ignoresNothing { return false }
    content.clear()
    otherContent.clear()
    parts.appendContent(of: x, bytes.extracting(x.range), to: &content)
    parts.appendContent(of: y, otherBytes.extracting(y.range), to: &otherContent)
    return content.read { one in otherContent.read { one.isEqual(one.indices, to: $0, $0.indices) } }
  }
}

/// Numbers contents, identifiers and tokens, so that equal ones have equal numbers.
private struct ContentNumbering {
  private let parts: RecordParts
  private var contents = ByteNumbering()
  private var tokens = ByteNumbering()
  private var identifiers: [UInt64: Int32] = [:]
  private var content = Output()

  init(_ parts: RecordParts) { self.parts = parts }

  mutating func items(_ stream: RecordLog.Stream, _ range: Range<Int>) -> [Alignment.Item] {
    let all = stream.bytes.span
    return range.map { index in
      let record = stream.records[index]
      let bytes = all.extracting(record.range)
      content.clear()
      parts.appendContent(of: record, bytes, to: &content)
      var item = Alignment.Item(content: content.read { contents.number($0) }, kind: record.kind)
      guard let frame = record.frame else { return item }
      if let identifier = parts.leaf(.identifier, of: frame, in: bytes)?.integer(in: bytes) {
        item.identifier = identifiers[identifier] ?? Int32(identifiers.count)
        identifiers[identifier] = item.identifier
      }
      if let token = parts.leaf(.token, of: frame, in: bytes), token.state != .cut, token.count > 0 {
        item.token = tokens.number(bytes.extracting(token.range))
      }
      return item
    }
  }
}

/// Numbers different strings of bytes from 0 on.
private struct ByteNumbering {
  /// By hash, which is chosen anew if two strings have the same.
  private var numbers: [Int: Int32] = [:]
  private var bytes: [UInt8] = []
  private var ends: [Int] = []

  mutating func number(_ string: Span<UInt8>) -> Int32 {
    // Seeded at random in each run, so an input cannot be made to collide.
    var hasher = Hasher()
    unsafe string.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }  // lives as long as the call
    var hash = hasher.finalize()
    while let number = numbers[hash] {
      let range = (number == 0 ? 0 : ends[Int(number) - 1])..<ends[Int(number)]
      if string.isEqual(string.indices, to: bytes.span, range) { return number }
      hash &+= 1
    }
    let number = Int32(ends.count)
    bytes.append(contentsOf: string)
    ends.append(bytes.count)
    numbers[hash] = number
    return number
  }
}
