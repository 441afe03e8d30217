import APNSInput
import APNSWire

/// What every view shows: one frame, or bytes that belong to none, or bytes that are missing. Records tile a stream.
public struct Record: Sendable {
  public let stream: ByteStream
  /// Which of the inputs its first byte came from, counted from 0.
  public let input: Int
  /// Who wrote the stream; nil where it could not be told.
  public let role: StreamRole?
  /// Counted from 1 within the stream.
  public let number: Int
  /// In the stream, of the first byte.
  public let offset: Int
  /// Bytes of the stream; of a gap, the missing ones.
  public let count: Int
  public let content: Content
  public package(set) var findings: [Finding]
  /// The packets that carried it, in stream order; empty outside captures.
  public let packets: [Origin.Packet]
  /// Line and column of each byte, for bytes that were written as text.
  public let positions: [Origin.TextPosition]

  public enum Content: Sendable {
    /// Its offsets count from the record's first byte.
    case frame(FrameRef, Condition?)
    case unparsed(reason: String)
    case gap
    /// Other bytes for a place of the stream that was taken already, at this offset. It counts no byte of the stream.
    case overlap(at: Int)
  }

  /// The number in the first field of a frame that has this role; nil if that is missing or cut.
  package func number(_ role: Field.Role, in bytes: Span<UInt8>, _ catalog: Catalog) -> UInt64? {
    guard case .frame(let frame, _) = content else { return nil }
    return catalog.leaf(role, of: frame, in: bytes)?.integer(in: bytes)
  }

  /// In the stream, of the first byte that comes with the record.
  public var firstByte: Int {
    if case .overlap(let place) = content { place } else { offset }
  }

  /// What is wrong with the structure of a frame; nil for a whole one.
  public enum Condition: String, Sendable {
    case truncated
    case malformed
  }
}

/// Takes records with their bytes, in order.
public protocol RecordSink: ~Copyable {
  mutating func take(_ record: Record, _ bytes: Span<UInt8>)
  /// Frames of a stream that do not come as records: see ``Counting``.
  mutating func count(_ frames: CountedFrames)
  /// Nothing more comes of this stream, whose role may never have been told.
  mutating func end(of stream: ByteStream, _ role: StreamRole?, _ ending: StreamEnding)
  /// Nothing more comes of this connection. Only captures say so before the input is over.
  mutating func end(of connection: Int)
  var wantsMore: Bool { get }
  /// Whether more input should be read; what was read is still taken.
  var wantsInput: Bool { get }
  /// Nothing more has come for now.
  mutating func pause()
}

extension RecordSink where Self: ~Copyable {
  public var wantsInput: Bool { wantsMore }
  public mutating func count(_ frames: CountedFrames) {}
  public mutating func end(of stream: ByteStream, _ role: StreamRole?, _ ending: StreamEnding) {}
  public mutating func end(of connection: Int) {}
  public mutating func pause() {}
}
