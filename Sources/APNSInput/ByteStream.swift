/// One direction of a connection, or the single stream of a file or of pasted text.
///
/// Streams are identified by number because ports are reused. Streams `2k` and `2k + 1` are the two directions of
/// connection `k`; the even one is sent by the side that opened the connection, as far as the capture shows.
public struct ByteStream: Sendable, Hashable {
  /// The number that identifies the stream in an input, counted from 0.
  public let number: Int
  /// The number that the stream has when its file is read alone. With several files, `number` keeps their streams
  /// apart. A connection that continues in the next file keeps the number from the file in which it began.
  package let numberInFile: Int
  /// Sender and receiver. Nil for files and pasted text.
  package let route: Route?
  /// Whether the parity of the number shows the direction: an even stream is sent by the side that opened the
  /// connection.
  package let isDirected: Bool
  /// Whether the stream's first byte is the first one that its sender wrote.
  package var beginning = Beginning.unknown

  /// Whether an input has a stream from its first byte on.
  package enum Beginning: Sendable {
    /// The input does not say: pasted text, or streams exported without TCP.
    case unknown
    /// It is: a TCP handshake gives the sequence number of the first byte.
    case handshake
    /// Probably not: there is no TCP handshake, so the capture began while the connection was open.
    case midway
  }

  /// A stream whose beginning is unknown.
  /// - Parameters:
  ///   - number: The number that identifies the stream in the input.
  ///   - numberInFile: The number that it has when its file is read alone; nil if that is the same.
  ///   - route: Sender and receiver; nil if the input does not say.
  ///   - isDirected: Whether the parity of the number shows the direction; nil if it does whenever there is a route.
  public init(number: Int, inFile numberInFile: Int? = nil, route: Route? = nil, isDirected: Bool? = nil) {
    self.number = number
    self.numberInFile = numberInFile ?? number
    self.route = route
    self.isDirected = isDirected ?? (route != nil)
  }

  /// The number of the connection, counted from 0.
  public var connection: Int { number / 2 }

  /// Sender and receiver of a stream.
  public struct Route: Sendable, Hashable {
    /// The sender.
    public let source: Endpoint
    /// The receiver.
    public let destination: Endpoint

    /// A route from `source` to `destination`.
    public init(source: Endpoint, destination: Endpoint) {
      self.source = source
      self.destination = destination
    }

    /// The route of the other direction.
    public var reversed: Route { Route(source: destination, destination: source) }
  }
}

/// How a stream ends.
public enum StreamEnding: Sendable {
  /// The input ended; the stream may have continued.
  case open
  /// The sender closed the stream (FIN).
  case finished
  /// The sender closed the stream (FIN) after the other side had closed.
  case finishedAfterPeer
  /// The sender aborted the connection (RST).
  case reset
}

/// Receives what an input reads: numbered streams of bytes in order, each byte with its origin.
///
/// For one stream, `open` comes first, then `append` and `gap` in stream order, then `close`. Calls for different
/// streams interleave. Offsets in a stream count appended bytes and gaps.
public protocol StreamSink: ~Copyable {
  /// Begins a stream.
  mutating func open(_ stream: ByteStream)
  /// The next bytes of the stream.
  mutating func append(_ bytes: Span<UInt8>, from origin: Origin, to stream: Int)
  /// The next `count` bytes of the stream are missing from the capture.
  mutating func gap(of count: Int, in stream: Int)
  /// A retransmission that differs from the bytes already appended at this offset of the stream. The sender, or someone
  /// else on the network, sent the same range twice.
  mutating func overlap(_ bytes: Span<UInt8>, at offset: Int, from origin: Origin, in stream: Int)
  /// Ends a stream.
  mutating func close(_ stream: Int, _ ending: StreamEnding)
  /// No further stream of this connection will be opened. An input that does not track connections need not call this.
  mutating func forget(connection: Int)
  /// False if no further input is needed. Inputs check it between calls of `append` and stop.
  var wantsMore: Bool { get }
  /// No data is available at the moment: a live view should show what has arrived so far.
  mutating func pause()
  /// The rest of the input is unreadable. Streams that are closed after this may have continued in it.
  mutating func breakOff()
  /// The user stopped reading. Streams may have continued in the unread input.
  mutating func stop()
  /// Bytes that the sink has received but not processed yet, over all streams. Inputs that can choose keep this small.
  var heldBytes: Int { get }
  /// Bytes of one stream that the sink has received but not processed yet.
  func heldBytes(of stream: Int) -> Int
}

extension StreamSink where Self: ~Copyable {
  public mutating func overlap(_ bytes: Span<UInt8>, at offset: Int, from origin: Origin, in stream: Int) {}
  public mutating func pause() {}
  public mutating func forget(connection: Int) {}
  public mutating func breakOff() {}
  public mutating func stop() { breakOff() }
  public var heldBytes: Int { 0 }
  public func heldBytes(of stream: Int) -> Int { 0 }
}
