import APNSDiagnosis
import APNSInput
import APNSWire

/// Compares two inputs record by record and field by field.
///
/// Connections are paired by content, then by order, and their streams by role. In a pair of streams, records are paired
/// by identifier, then by token, then by order.
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
    /// Whether the position of the record relative to the others changed.
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

    init(_ stream: RecordLog.Stream, _ index: Int) {
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
  ///   - visit: receives each difference: connection by connection, in the order of the first input.
  /// - Returns: the number of records of each kind.
  public func compare(_ a: RecordLog, _ b: RecordLog, _ visit: (Difference) -> Void) -> Counts {
    var counts = Counts()
    var connections = ConnectionPairing(a.connections(), b.connections(), parts)
    connections.visitPairs { connections, step in
      switch step {
      case .equal(let one, _): counts.equal += connections.a[one].streams.reduce(0) { $0 + $1.records.count }
      case .pair(let one, let other, let isMoved):
        compare(connections.a[one], connections.b[other], isMoved: isMoved, &counts, visit)
      case .onlyA(let one): compare(connections.a[one], nil, &counts, visit)
      case .onlyB(let other): compare(nil, connections.b[other], &counts, visit)
      }
    }
    return counts
  }

  /// Compares the streams of two connections that have the same role.
  private func compare(
    _ a: RecordLog.Connection?, _ b: RecordLog.Connection?, isMoved: Bool = false, _ counts: inout Counts,
    _ visit: (Difference) -> Void
  ) {
    let (ones, others) = (a?.streams ?? [], b?.streams ?? [])
    for role in Set(ones.map(\.roleOrder)).union(others.map(\.roleOrder)).sorted() {
      let (ones, others) = (ones.filter { $0.roleOrder == role }, others.filter { $0.roleOrder == role })
      for index in 0..<max(ones.count, others.count) {
        let one = index < ones.count ? ones[index] : nil
        let other = index < others.count ? others[index] : nil
        RecordPairing(one, other, parts).visit(isMoved: isMoved, &counts, visit)
      }
    }
  }
}
