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
    /// The bytes of all records.
    fileprivate var bytes: [UInt8] = []
    var records: [Entry] = []

    /// Roles in a fixed order; an unknown role is the last.
    var roleOrder: Int { role.map { Int($0.rawValue) } ?? .max }

    subscript(index: Int) -> HeldRecord {
      let end = index + 1 < records.count ? records[index + 1].start : bytes.count
      return (records[index], Array(bytes[records[index].start..<end]))
    }

    fileprivate mutating func add(_ record: Record, _ data: Span<UInt8>) {
      role = role ?? record.role
      records.append(
        Entry(
          start: bytes.count, offset: record.offset, count: record.count, content: record.content,
          number: UInt32(clamping: record.number), input: UInt32(clamping: record.input),
          packet: UInt32(clamping: record.packets.first?.number ?? 0), line: record.positions.first?.line ?? 0))
      bytes.append(contentsOf: data)
    }
  }

  /// A record with its bytes.
  typealias HeldRecord = (record: Entry, bytes: [UInt8])

  /// A record without its bytes. It is small, since there may be many.
  struct Entry: Sendable {
    /// Where its bytes begin.
    fileprivate let start: Int
    /// The offset in the stream.
    let offset: Int
    /// The number of its bytes in the stream; for a gap, of missing ones.
    let count: Int
    let content: Record.Content
    /// The number of the record in its stream, counted from 1.
    let number: UInt32
    let input: UInt32
    /// The number of its first packet; 0 outside captures.
    let packet: UInt32
    /// The line of its first byte; 0 if it did not come from text.
    let line: UInt32

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

  /// An empty log.
  package init() {}

  /// Whether there are no records.
  package var isEmpty: Bool { streams.isEmpty }

  /// Adds a record and its bytes.
  package mutating func add(_ record: Record, _ bytes: Span<UInt8>) {
    streams[record.stream.number, default: Stream(stream: record.stream)].add(record, bytes)
  }

  /// The connections in the order of their numbers: their streams in the order of their roles, then of their numbers.
  func connections() -> [[Stream]] {
    let connections = Dictionary(grouping: streams.values, by: \.stream.connection).sorted { $0.key < $1.key }
    return connections.map { $1.sorted { ($0.roleOrder, $0.stream.number) < ($1.roleOrder, $1.stream.number) } }
  }
}
