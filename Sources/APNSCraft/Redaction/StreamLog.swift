import APNSDiagnosis
import APNSInput
import Octets

/// Records the streams of an input, so that they can be read again, also with other bytes.
public struct StreamLog: StreamSink, Sendable {
  /// The streams in the order in which they were opened.
  package var streams: [LoggedStream] = []
  /// The calls of `append`, in order.
  package private(set) var pieces: [Piece] = []
  private var indices: [Int: Int] = [:]
  private var isBroken = false

  /// The bytes of one call of `append`.
  package struct Piece: Sendable {
    /// Index in ``StreamLog/streams``.
    package let stream: Int
    /// Offset in the stream, which counts gaps.
    package let offset: Int
    /// Range in the captured bytes of the stream.
    package let range: Range<Int>
    /// The packet; nil if the input is not a capture.
    package let packet: Origin.Packet?
  }

  /// A recorded stream.
  public struct LoggedStream: Sendable {
    /// Its number, and sender and receiver if the input is a capture.
    package let stream: ByteStream
    /// The captured bytes, without gaps.
    public package(set) var bytes: [UInt8] = []
    fileprivate var events: [Event] = []
    /// Captured and missing bytes so far.
    fileprivate var length = 0
    fileprivate var ending = StreamEnding.open
    fileprivate var isBrokenOff = false
  }

  fileprivate enum Event: Sendable {
    case bytes(Piece)
    case gap(Int)
    case overlap([UInt8], at: Int, Origin)
  }

  /// An empty log.
  package init() {}

  public var wantsMore: Bool { true }

  public mutating func open(_ stream: ByteStream) {
    indices[stream.number] = streams.count
    streams.append(LoggedStream(stream: stream))
  }

  public mutating func append(_ bytes: Span<UInt8>, from origin: Origin, to stream: Int) {
    guard let index = indices[stream] else { return }
    let start = streams[index].bytes.count
    let packet: Origin.Packet? = if case .packet(let packet) = origin { packet } else { nil }
    let range = start..<(start + bytes.count)
    let piece = Piece(stream: index, offset: streams[index].length, range: range, packet: packet)
    pieces.append(piece)
    streams[index].bytes.append(contentsOf: bytes)
    streams[index].length += bytes.count
    streams[index].events.append(.bytes(piece))
  }

  public mutating func gap(of count: Int, in stream: Int) {
    guard let index = indices[stream] else { return }
    streams[index].events.append(.gap(count))
    streams[index].length += count
  }

  public mutating func overlap(_ bytes: Span<UInt8>, at offset: Int, from origin: Origin, in stream: Int) {
    if let index = indices[stream] {
      streams[index].events.append(.overlap([UInt8](copying: bytes), at: offset, origin))
    }
  }

  public mutating func close(_ stream: Int, _ ending: StreamEnding) {
    guard let index = indices.removeValue(forKey: stream) else { return }
    streams[index].ending = ending
    streams[index].isBrokenOff = isBroken
  }

  public mutating func breakOff() { isBroken = true }
}

extension StreamLog.LoggedStream {
  /// Passes the stream to a dissector.
  func replay(into dissector: inout Dissector<some RecordSink & ~Copyable>) {
    dissector.open(stream)
    for event in events {
      switch event {
      case .bytes(let piece):
        // Lines and columns would not fit other bytes.
        let origin = piece.packet.map { Origin.packet($0) } ?? .input(offset: piece.range.lowerBound)
        dissector.append(bytes.span.extracting(piece.range), from: origin, to: stream.number)
      case .gap(let count): dissector.gap(of: count, in: stream.number)
      case .overlap(let other, let place, let origin):
        dissector.overlap(other.span, at: place, from: origin, in: stream.number)
      }
    }
    if isBrokenOff { dissector.breakOff() }
    dissector.close(stream.number, ending)
    dissector.finish()
  }
}
