import APNSInput
import APNSWire
import Octets

/// The unit that every view shows: one frame, bytes that belong to no frame, or missing bytes. Records tile a stream.
public struct Record: Sendable {
  /// The stream that contains it.
  public let stream: ByteStream
  /// The index of the input that its first byte came from, counted from 0.
  public let input: Int
  /// The sender of the stream; nil if it could not be determined.
  public let role: StreamRole?
  /// The number of the record in its stream, counted from 1.
  public let number: Int
  /// The offset of its first byte in the stream.
  public let offset: Int
  /// The number of its bytes in the stream. For a gap, the number of missing bytes.
  public let count: Int
  /// The frame or bytes that the record describes.
  public let content: Content
  /// The findings about it, in the order of their first byte.
  public package(set) var findings: [Finding]
  /// The packets that carried it, in stream order; empty outside captures.
  public package(set) var packets: [Origin.Packet]
  /// The line and column of each byte, for bytes that came from text.
  package var positions: [Origin.TextPosition]

  /// The kinds of record.
  public enum Content: Sendable, Hashable {
    /// A frame. Its offsets count from the record's first byte. The condition is nil if the frame is complete and
    /// well-formed.
    case frame(FrameRef, Condition?)
    /// Bytes that belong to no frame, and the reason in kebab case: a code such as `unknown-command`, or the
    /// ``Rule/id`` of another protocol.
    case unparsed(reason: String)
    /// Bytes that are missing from the input.
    case gap
    /// Different bytes for a part of the stream that was received before, at this offset. They count no byte of the
    /// stream.
    case overlap(at: Int)
  }

  /// Whether this is a frame of which the stream contains only a part. If it is known what was meant by its bytes, they
  /// are all there.
  package var isCut: Bool {
    if case .frame(_, .truncated?) = content { meant?.isEmpty ?? true } else { false }
  }

  /// Whether a frame seems to begin with these bytes, but they are known to belong to none.
  package var isForeign: Bool { meant?.isEmpty ?? false }

  /// What was meant by the bytes of a faulty frame; nil if it is not certain.
  private var meant: [UInt8]? { findings.lazy.compactMap(\.cause?.repaired).first }

  /// The first finding for which the push gateway refuses the record; nil if it accepts the record, or if the record is
  /// cut.
  public var refusal: Finding? { isCut ? nil : findings.first { $0.answer != nil } }

  /// The reason of bytes that follow a frame whose length is too small.
  static let restOfFrame = "rest-of-frame"

  /// The number in the first field with this role in the frame; nil if the field is missing or cut.
  public func number(_ role: Field.Role, in bytes: Span<UInt8>, _ catalog: Catalog) -> UInt64? {
    guard case .frame(let frame, _) = content else { return nil }
    return catalog.leaf(role, of: frame, in: bytes)?.integer(in: bytes)
  }

  /// A hash of the token and the payload of a notification; 0 for a frame of which only a part is known.
  public func contentHash(in bytes: Span<UInt8>, _ catalog: Catalog) -> UInt64 {
    guard !isCut, case .frame(let frame, _) = content else { return 0 }
    return bytes.hash(of: [Field.Role.token, .payload].compactMap { catalog.leaf($0, of: frame, in: bytes)?.range })
  }

  /// The offset in the stream of the first byte that is passed with the record.
  package var firstByte: Int {
    if case .overlap(let place) = content { place } else { offset }
  }

  /// The structural condition of a frame that is not complete and well-formed.
  public enum Condition: String, Sendable, CaseIterable {
    /// The bytes end before the frame does.
    case truncated
    /// The frame's structure is defective.
    case malformed
  }
}

extension Span<UInt8> {
  /// A hash of the bytes in all these ranges.
  func hash(of values: [Range<Int>]) -> UInt64 {
    var hash = FNV1a()
    for index in values.joined() { hash.add(self[index]) }
    return hash.value
  }
}

/// Receives records and their bytes, in order.
public protocol RecordSink: ~Copyable {
  /// Receives a record.
  ///
  /// - Parameters:
  ///   - record: the record.
  ///   - bytes: the bytes of the record; empty for a gap.
  mutating func take(_ record: Record, _ bytes: Span<UInt8>)
  /// Receives the number of frames that are not reported as records. See ``Counting``.
  mutating func count(_ frames: CountedFrames)
  /// Receives the end of a stream. `role` is nil if it was never determined.
  mutating func end(of stream: ByteStream, _ role: StreamRole?, _ ending: StreamEnding)
  /// Receives the end of a connection. Before the end of the input, only captures report it.
  mutating func end(of connection: Int)
  /// Whether more records are wanted.
  var wantsMore: Bool { get }
  /// Whether more input should be read. What was read already is still processed.
  var wantsInput: Bool { get }
  /// Notes that no more input is available for now.
  mutating func pause()
}

extension RecordSink where Self: ~Copyable {
  /// By default, more input is wanted if more records are.
  public var wantsInput: Bool { wantsMore }
  /// By default, counted frames are ignored.
  public mutating func count(_ frames: CountedFrames) {}
  /// By default, the end of a stream is ignored.
  public mutating func end(of stream: ByteStream, _ role: StreamRole?, _ ending: StreamEnding) {}
  /// By default, the end of a connection is ignored.
  public mutating func end(of connection: Int) {}
  /// By default, a pause is ignored.
  public mutating func pause() {}
}
