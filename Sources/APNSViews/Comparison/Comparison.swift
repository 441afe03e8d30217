import APNSDiagnosis
import APNSInput
import APNSWire

/// Compares two inputs record by record and field by field.
///
/// Connections are paired by what their providers sent, then by order, and their streams by role. In a pair of streams,
/// records are paired by identifier, then by token, then by order.
package struct Comparison: Sendable {
  let catalog: Catalog
  /// The names of the fields that are not compared. If there are none, records must be equal in all bytes.
  let ignored: Set<String>

  /// `names`: the fields that are not compared, as in ``fields(of:)``.
  package init(_ catalog: Catalog, ignoring names: [String] = []) {
    (self.catalog, ignored) = (catalog, Set(names))
  }

  /// The names of the fields that can be ignored.
  package static func fields(of catalog: Catalog) -> [String] {
    catalog.fields.reduce(into: []) { names, field in
      if !field.isList, !names.contains(field.name.member) { names.append(field.name.member) }
    }
  }

  /// The number of records of each kind.
  package struct Counts: Sendable, Hashable {
    /// Pairs without a difference.
    package internal(set) var equal = 0
    /// Pairs that differ in a field.
    package internal(set) var changed = 0
    /// Records that only the first input has.
    package internal(set) var removed = 0
    /// Records that only the second input has.
    package internal(set) var added = 0

    /// Whether there is no difference.
    package var isEqual: Bool { changed == 0 && removed == 0 && added == 0 }
  }

  /// A difference between the inputs.
  package struct Difference: Sendable {
    /// The record in the first input; nil if it was added.
    let a: RecordLog.HeldRecord?
    /// The record in the second input; nil if it was removed.
    let b: RecordLog.HeldRecord?
    /// The streams that are compared. One of them is nil if only one input has such a stream.
    let streams: StreamPair
    /// The parts that differ; all of them if only one input has the record.
    let parts: [PartDifference]
  }

  struct StreamPair: Sendable, Hashable {
    let role: StreamRole?
    let a: ByteStream?
    let b: ByteStream?
  }

  /// Compares two inputs. Visits each difference, connection by connection, in the order of the first input.
  package func compare(_ a: RecordLog, _ b: RecordLog, _ visit: (Difference) -> Void) -> Counts {
    var counts = Counts()
    let (a, b) = (a.connections(), b.connections())
    Pairing.visit(list(of: a), list(of: b)) { one, other in
      let (ones, others) = (one.map { a[$0] } ?? [], other.map { b[$0] } ?? [])
      for role in Set((ones + others).map(\.roleOrder)).sorted() {
        let (ones, others) = (ones.filter { $0.roleOrder == role }, others.filter { $0.roleOrder == role })
        for index in 0..<max(ones.count, others.count) {
          compare(
            index < ones.count ? ones[index] : nil, index < others.count ? others[index] : nil, &counts, visit)
        }
      }
    }
    return counts
  }

  private func compare(
    _ a: RecordLog.Stream?, _ b: RecordLog.Stream?, _ counts: inout Counts, _ visit: (Difference) -> Void
  ) {
    let streams = StreamPair(role: (a ?? b)?.role, a: a?.stream, b: b?.stream)
    let (ones, others) = (a.map(list) ?? Pairing.List(), b.map(list) ?? Pairing.List())
    Pairing.visit(ones, others) { one, other in
      if let one, let other, ones.contents[one] == others.contents[other] {
        counts.equal += 1
        return
      }
      let (record, otherRecord) = (one.flatMap { a?[$0] }, other.flatMap { b?[$0] })
      let kind = record == nil ? \Counts.added : otherRecord == nil ? \.removed : \.changed
      counts[keyPath: kind] += 1
      visit(Difference(a: record, b: otherRecord, streams: streams, parts: differences(record, otherRecord)))
    }
  }

  /// Replies don't count: a connection whose replies changed has the same partner. By order, connections are paired
  /// only if they are with the same service; either side of a connection to the gateway may be missing.
  private func list(of connections: [[RecordLog.Stream]]) -> Pairing.List {
    let senders = connections.map { $0[0] }
    return Pairing.List(
      contents: senders.map { hash($0, $0.indices) },
      kind: { senders[$0].role == .gateway ? Int(StreamRole.provider.rawValue) : senders[$0].roleOrder })
  }

  private func list(of stream: RecordLog.Stream) -> Pairing.List {
    Pairing.List(
      contents: stream.indices.map { hash(stream, $0..<$0 + 1) },
      kind: { stream[$0].record.content.typeName(catalog).hashValue },
      keys: [Field.Role.identifier, .token].map { role in { key(role, of: stream[$0]) } })
  }
}
