import APNSDiagnosis
import APNSInput
import APNSWire

/// The records of one input in memory, by stream.
package struct RecordLog: Sendable {
  /// By number.
  package private(set) var streams: [Int: Stream] = [:]

  /// The records of one stream, in order.
  package struct Stream: Sendable {
    let stream: ByteStream
    /// The role of the stream's sender, as far as a record says.
    package fileprivate(set) var role: StreamRole?
    /// The records, without their findings, and with the place of their first byte alone.
    package private(set) var records = RecordBatch()
    var indices: Range<Int> { 0..<records.count }

    /// Roles in a fixed order; an unknown role is the last.
    var roleOrder: Int { role.map { Int($0.rawValue) } ?? .max }

    subscript(index: Int) -> HeldRecord { records[index] }

    fileprivate mutating func add(_ record: Record, _ bytes: Span<UInt8>) {
      role = role ?? record.role
      var record = record
      record.findings = []
      (record.packets, record.positions) = (Array(record.packets.prefix(1)), Array(record.positions.prefix(1)))
      records.add(record, bytes)
    }
  }

  typealias HeldRecord = (record: Record, bytes: [UInt8])

  package init() {}

  /// Adds a record without its findings, and its bytes.
  package mutating func add(_ record: Record, _ bytes: Span<UInt8>) {
    streams[record.stream.number, default: Stream(stream: record.stream)].add(record, bytes)
  }

  /// The connections in the order of their numbers: their streams in the order of their roles, then of their numbers.
  func connections() -> [[Stream]] {
    let connections = Dictionary(grouping: streams.values, by: \.stream.connection).sorted { $0.key < $1.key }
    return connections.map { $1.sorted { ($0.roleOrder, $0.stream.number) < ($1.roleOrder, $1.stream.number) } }
  }
}

extension Record {
  /// Whether it is a frame whose structure is defective.
  var isDefective: Bool { if case .frame(_, _?) = content { true } else { false } }

  /// What the bytes do not contain: the size of a gap, and how far back an overlap is.
  var distance: Int {
    switch content {
    case .frame, .unparsed: 0
    case .gap: count
    case .overlap(let at): offset - at
    }
  }
}
