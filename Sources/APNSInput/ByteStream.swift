/// One direction of a conversation, or the one stream of a file or a paste.
///
/// Ports get reused, so the number is a stream's name: streams `2k` and `2k + 1` are the two directions of
/// connection `k`, and the even one is the side that opened the connection, as far as the capture tells.
public struct ByteStream: Sendable, Hashable {
  public let number: Int
  /// The number that it has when its file is read alone: several files keep their streams apart by `number`. A connection
  /// that goes on in the next file keeps that of the file in which it began.
  public let numberInFile: Int
  /// Absent for files and pasted text.
  public let route: Route?
  /// The number's parity tells the direction: even is the side that opened the connection.
  public let isDirected: Bool
  /// Whether its first byte is the first one that its sender wrote.
  public var beginning = Beginning.unknown

  public enum Beginning: Sendable {
    /// Nothing says so: pasted text, or streams that were exported without TCP.
    case unknown
    /// A TCP handshake gives its number.
    case handshake
    /// TCP packets without a handshake: the capture began when the connection was open.
    case midway
  }

  /// - Parameter isDirected: Where it is not said, a stream with a route is.
  public init(number: Int, inFile numberInFile: Int? = nil, route: Route? = nil, isDirected: Bool? = nil) {
    self.number = number
    self.numberInFile = numberInFile ?? number
    self.route = route
    self.isDirected = isDirected ?? (route != nil)
  }

  public var connection: Int { number / 2 }

  /// From whom to whom.
  public struct Route: Sendable, Hashable {
    public let source: Endpoint
    public let destination: Endpoint

    public init(source: Endpoint, destination: Endpoint) {
      self.source = source
      self.destination = destination
    }
  }
}

/// How a stream ends.
public enum StreamEnding: Sendable {
  /// The input is over, and the stream may have gone on.
  case open
  /// Its sender had no more to say (FIN).
  case finished
  /// The same, after the other side had closed.
  case finishedAfterPeer
  /// Its sender broke the connection off (RST).
  case reset
}

/// Takes what an input reads: numbered streams of bytes in order, each byte with its origin.
///
/// Calls for one stream come as `open`, then `append` and `gap` in stream order, then `close`; calls for several
/// streams interleave. Offsets in a stream count appended bytes and gaps.
public protocol StreamSink: ~Copyable {
  mutating func open(_ stream: ByteStream)
  mutating func append(_ bytes: Span<UInt8>, from origin: Origin, to stream: Int)
  /// `count` bytes of the stream that the capture lacks.
  mutating func gap(of count: Int, in stream: Int)
  /// Other bytes than those handed on before, at this offset of the stream: the sender, or somebody else, sent the
  /// same place twice.
  mutating func overlap(_ bytes: Span<UInt8>, at offset: Int, from origin: Origin, in stream: Int)
  mutating func close(_ stream: Int, _ ending: StreamEnding)
  /// No stream of this connection is opened any more. Inputs that need not remember connections may leave it out.
  mutating func forget(connection: Int)
  /// False when whoever reads has seen enough; inputs ask between appends and stop.
  var wantsMore: Bool { get }
  /// Nothing more has come for now: whoever looks on should see what came so far.
  mutating func pause()
  /// The input cannot be read on: streams that are closed now go on behind what could be read.
  mutating func breakOff()
  /// Reading was stopped by the user: bytes may follow that were not read.
  mutating func stop()
  /// Bytes that were taken and not handed on yet: of all streams, and of one. Inputs that can choose keep the sum small.
  var heldBytes: Int { get }
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
