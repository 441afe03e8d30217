import Octets

/// Calls to a sink, kept to be made later: by another thread, while more of the input is read.
///
/// Only where the sink would not have been asked for anything: it is taken to want more, and to hold little.
public struct RecordedStreams: StreamSink, ~Copyable {
  private var bytes: [UInt8] = []
  private var calls: [Call] = []

  private enum Call {
    case open(ByteStream)
    case append(count: Int, Origin.Packet, stream: Int)
    case gap(Int, stream: Int)
    case overlap(count: Int, at: Int, Origin, stream: Int)
    case close(Int, StreamEnding)
    case forget(Int)
    /// With positions in a text, which captures have not.
    case appendOther(count: Int, Origin, stream: Int)
  }

  public init() {}

  public var wantsMore: Bool { true }
  public mutating func open(_ stream: ByteStream) { calls.append(.open(stream)) }

  public mutating func append(_ span: Span<UInt8>, from origin: Origin, to stream: Int) {
    bytes.append(contentsOf: span)
    if case .packet(let packet) = origin {
      calls.append(.append(count: span.count, packet, stream: stream))
    } else {
      calls.append(.appendOther(count: span.count, origin, stream: stream))
    }
  }

  public mutating func gap(of count: Int, in stream: Int) { calls.append(.gap(count, stream: stream)) }

  public mutating func overlap(_ span: Span<UInt8>, at offset: Int, from origin: Origin, in stream: Int) {
    bytes.append(contentsOf: span)
    calls.append(.overlap(count: span.count, at: offset, origin, stream: stream))
  }

  public mutating func close(_ stream: Int, _ ending: StreamEnding) { calls.append(.close(stream, ending)) }
  public mutating func forget(connection: Int) { calls.append(.forget(connection)) }

  /// Makes the calls, and forgets them.
  /// - Parameter ahead: what was found out about them.
  public mutating func replay<Sink: ForecastingSink & ~Copyable>(into sink: inout Sink, _ ahead: inout Sink.Ahead) {
    sink.exchange(&ahead)
    makeCalls(to: &sink)
    sink.exchange(&ahead)
    bytes.removeAll(keepingCapacity: true)
    calls.removeAll(keepingCapacity: true)
  }

  /// The bytes of packets, by their place in those of all calls, one after the other.
  public func forEachPacket(_ body: (_ all: Span<UInt8>, Range<Int>, Origin.Packet) -> Void) {
    var position = 0
    let bytes = bytes.span
    for call in calls {
      switch call {
      case .append(let count, let packet, _):
        body(bytes, position..<(position + count), packet)
        position += count
      case .appendOther(let count, _, _), .overlap(let count, _, _, _): position += count
      case .open, .gap, .close, .forget: break
      }
    }
  }

  private func makeCalls(to sink: inout some StreamSink & ~Copyable) {
    var position = 0
    let bytes = bytes.span
    func next(_ count: Int) -> Range<Int> {
      position += count
      return (position - count)..<position
    }
    for call in calls {
      switch call {
      case .open(let stream): sink.open(stream)
      case .append(let count, let packet, let stream):
        sink.append(bytes.extracting(next(count)), from: .packet(packet), to: stream)
      case .appendOther(let count, let origin, let stream):
        sink.append(bytes.extracting(next(count)), from: origin, to: stream)
      case .gap(let count, let stream): sink.gap(of: count, in: stream)
      case .overlap(let count, let offset, let origin, let stream):
        sink.overlap(bytes.extracting(next(count)), at: offset, from: origin, in: stream)
      case .close(let stream, let ending): sink.close(stream, ending)
      case .forget(let connection): sink.forget(connection: connection)
      }
    }
  }
}

/// A sink that another thread helps: what does not depend on earlier streams is found out about recorded ones while those
/// are still read.
public protocol ForecastingSink: StreamSink, ~Copyable {
  associatedtype Ahead: StreamsAhead
  /// A new one.
  var ahead: Ahead { get }
  /// The calls to come are those of streams that were looked at; the same, when they are over. Exchanges what it has.
  mutating func exchange(_ ahead: inout Ahead)
}

/// What is found out about recorded streams.
public protocol StreamsAhead {
  /// Looks at so much of them, as a part of one; forgets what it knew of others.
  mutating func look(at streams: borrowing RecordedStreams, part: Double)
}
