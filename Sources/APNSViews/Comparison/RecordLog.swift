import APNSDiagnosis
import APNSInput
import APNSWire
import Octets

/// The records of one input in memory, by stream, so that they can be compared with those of another input.
package struct RecordLog: Sendable {
  /// By number.
  private var streams: [Int: Stream] = [:]

  /// The records of one stream, in order.
  struct Stream: Sendable {
    let stream: ByteStream
    var role: StreamRole?
    var records: [HeldRecord] = []

    /// Roles in a fixed order; an unknown role is the last.
    var roleOrder: Int { role.map { Int($0.rawValue) } ?? .max }
  }

  /// A record with its bytes.
  typealias HeldRecord = (record: Record, bytes: [UInt8])

  /// An empty log.
  package init() {}

  /// Whether there are no records.
  package var isEmpty: Bool { streams.isEmpty }

  /// Adds a record and its bytes.
  package mutating func add(_ record: Record, _ bytes: Span<UInt8>) {
    let number = record.stream.number
    streams[number, default: Stream(stream: record.stream, role: record.role)].records
      .append((record, [UInt8](copying: bytes)))
    if streams[number]?.role == nil { streams[number]?.role = record.role }
  }

  /// The connections in the order of their numbers: their streams in the order of their roles, then of their numbers.
  func connections() -> [[Stream]] {
    let connections = Dictionary(grouping: streams.values, by: \.stream.connection).sorted { $0.key < $1.key }
    return connections.map { $1.sorted { ($0.roleOrder, $0.stream.number) < ($1.roleOrder, $1.stream.number) } }
  }
}
