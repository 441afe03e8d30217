import Octets

/// Writes streams as a synthetic TCP capture, for tools that read captures.
///
/// The format is classic pcap, little-endian, with Ethernet packets, a handshake, acknowledgements and valid checksums.
/// The time unit is the nanosecond if the first time has nanoseconds, otherwise the microsecond. Both sides start at
/// sequence number 0, so the offset in a stream is the sequence number minus 1. The output depends only on the sequence
/// of calls.
public struct CaptureWriter: Sendable {
  /// The largest payload of one packet, in bytes.
  package static let segmentSize = 1460

  private var connections: [EndpointPair: WrittenConnection] = [:]
  private var connectionCount = 0
  private var clock = Clock()
  private var hasHeader = false
  private var file = PcapWriter(isNanosecondFile: false)
  /// Number of times that lost their nanoseconds because the file uses microseconds.
  package private(set) var cutTimes = 0
  /// Number of times outside the range of pcap (1970 to 2106) that were moved to the nearest end of the range.
  package private(set) var clampedTimes = 0

  /// A writer that has written nothing. The first segment is preceded by the file header.
  public init() {}

  /// Writes bytes of one direction, in as many packets as needed.
  ///
  /// The first bytes of a connection, in either direction, are preceded by a handshake. The side that talks to port
  /// 2195 or 2196 opens the connection; if neither or both do, the sender of the first bytes opens it.
  /// - Parameters:
  ///   - bytes: The next bytes of the direction.
  ///   - route: Sender and receiver.
  ///   - time: The time of all packets written by this call. If nil, each packet is one millisecond after the preceding
  ///     one.
  ///   - out: The capture, to which the packets are appended.
  public mutating func segment(
    _ bytes: Span<UInt8>, on route: ByteStream.Route, at time: CaptureTime?, into out: inout [UInt8]
  ) {
    at(time) { writer in
      let (pair, side) = writer.connection(on: route, into: &out)
      var start = 0
      while start < bytes.count {
        let end = min(start + Self.segmentSize, bytes.count)
        writer.write([.psh, .ack], from: side, bytes.extracting(start..<end), on: pair, into: &out)
        start = end
      }
    }
  }

  /// Opens a connection with a handshake by the sender.
  ///
  /// The first sequence numbers are the number of the connection, so that no reader takes its packets for repetitions
  /// of an earlier connection between the same ports.
  /// - Parameters:
  ///   - route: The side that opens the connection, and the other one.
  ///   - time: The time of all packets written by this call; nil as for ``segment(_:on:at:into:)``.
  ///   - out: The capture, to which the packets are appended.
  public mutating func open(_ route: ByteStream.Route, at time: CaptureTime?, into out: inout [UInt8]) {
    at(time) { writer in
      let (pair, sender) = EndpointPair.between(route.source, route.destination, isLower: true)
      writer.open(pair, by: sender, firstSequence: UInt32(truncatingIfNeeded: writer.connectionCount), into: &out)
    }
  }

  /// Ends one direction of an open connection. After a reset, or once both directions have ended, a packet on the same
  /// route belongs to a new connection.
  ///
  /// - Parameters:
  ///   - route: The side that ends its direction, and the other one.
  ///   - isReset: Whether the sender aborts the connection (RST) instead of closing its direction (FIN).
  ///   - time: The time of all packets written by this call; nil as for ``segment(_:on:at:into:)``.
  ///   - out: The capture, to which the packets are appended.
  public mutating func close(
    _ route: ByteStream.Route, isReset: Bool = false, at time: CaptureTime?, into out: inout [UInt8]
  ) {
    let (pair, side) = EndpointPair.between(route.source, route.destination, isLower: true)
    guard let connection = connections[pair], !connection.isClosed(side) else { return }
    at(time) { writer in
      writer.write(isReset ? [.rst, .ack] : [.fin, .ack], from: side, Span(), on: pair, into: &out)
      guard isReset || connection.isClosed(side.opposite) else { return }
      if !isReset { writer.write(.ack, from: side.opposite, Span(), on: pair, into: &out) }
      writer.connections[pair] = nil
    }
  }

  private mutating func at(_ time: CaptureTime?, _ write: (inout Self) -> Void) {
    if let time { set(time) }
    write(&self)
    if time != nil { clock.release() }
  }

  private mutating func set(_ time: CaptureTime) {
    if !hasHeader { file = PcapWriter(isNanosecondFile: time.digits == 9) }
    if !file.isNanosecondFile, time.nanoseconds % 1000 != 0 { cutTimes += 1 }
    if clock.set(time) { clampedTimes += 1 }
  }

  /// Skips `count` bytes of one direction, so that they are missing from the capture.
  public mutating func gap(of count: Int, on route: ByteStream.Route, into out: inout [UInt8]) {
    let (pair, side) = connection(on: route, into: &out)
    connections[pair]?.skip(count, from: side)
  }

  /// Closes all connections in the order in which they began.
  public mutating func finish(into out: inout [UInt8]) {
    header(into: &out)
    for connection in connections.values.sorted(by: { $0.number < $1.number }) {
      let opener = connection.opener
      for side in [opener, opener.opposite] where !connection.isClosed(side) {
        write([.fin, .ack], from: side, Span(), on: connection.pair, into: &out)
      }
      write(.ack, from: opener, Span(), on: connection.pair, into: &out)
    }
    connections = [:]
  }

  private mutating func header(into out: inout [UInt8]) {
    guard !hasHeader else { return }
    hasHeader = true
    file.header(.ethernet, into: &out)
  }

  private mutating func connection(
    on route: ByteStream.Route, into out: inout [UInt8]
  ) -> (pair: EndpointPair, sender: EndpointPair.Side) {
    let (pair, sender) = EndpointPair.between(route.source, route.destination, isLower: true)
    if connections[pair] == nil { open(pair, by: pair.service?.opposite ?? sender, into: &out) }
    return (pair, sender)
  }

  private mutating func open(
    _ pair: EndpointPair, by opener: EndpointPair.Side, firstSequence: UInt32 = 0, into out: inout [UInt8]
  ) {
    header(into: &out)
    connections[pair] = WrittenConnection(
      number: connectionCount, pair: pair, opener: opener, firstSequence: firstSequence)
    connectionCount += 1
    write(.syn, from: opener, Span(), on: pair, into: &out)
    write([.syn, .ack], from: opener.opposite, Span(), on: pair, into: &out)
    write(.ack, from: opener, Span(), on: pair, into: &out)
  }

  private mutating func write(
    _ flags: TCPSegment.Flags, from side: EndpointPair.Side, _ payload: Span<UInt8>, on pair: EndpointPair,
    into out: inout [UInt8]
  ) {
    guard let packet = connections[pair]?.packet(flags, from: side, payload) else { return }
    let (seconds, nanoseconds) = clock.tick()
    file.packet(packet.span, sent: packet.count, seconds: seconds, nanoseconds: nanoseconds, into: &out)
  }
}

extension CaptureWriter {
  /// The time of the next packet, in nanoseconds since 1970.
  private struct Clock: Sendable {
    private var now = 0
    /// The caller set the time, so it does not advance between packets.
    private var isFixed = false

    /// Returns whether the time had to be moved into the range of pcap.
    mutating func set(_ time: CaptureTime) -> Bool {
      let seconds = max(0, min(time.seconds, Int(UInt32.max)))
      now = seconds * Self.second + time.nanoseconds
      isFixed = true
      return seconds != time.seconds
    }

    mutating func release() {
      isFixed = false
      now += Self.second / 1000
    }

    mutating func tick() -> (seconds: Int, nanoseconds: Int) {
      defer { if !isFixed { now += Self.second / 1000 } }
      return (now / Self.second, now % Self.second)
    }

    private static let second = 1_000_000_000
  }

  private struct WrittenConnection: Sendable {
    let number: Int
    let pair: EndpointPair
    let opener: EndpointPair.Side
    /// The next sequence number of each side.
    private var next: [UInt32]
    /// Whether each side sent a FIN.
    private var closed = [false, false]

    init(number: Int, pair: EndpointPair, opener: EndpointPair.Side, firstSequence: UInt32) {
      self.number = number
      self.pair = pair
      self.opener = opener
      next = [firstSequence, firstSequence]
    }

    mutating func skip(_ count: Int, from side: EndpointPair.Side) {
      next[side.rawValue] &+= UInt32(truncatingIfNeeded: count)
    }

    func isClosed(_ side: EndpointPair.Side) -> Bool { closed[side.rawValue] }

    mutating func packet(_ flags: TCPSegment.Flags, from side: EndpointPair.Side, _ payload: Span<UInt8>) -> [UInt8] {
      let route = pair.route(from: side)
      var writer = PacketWriter(from: route.source, to: route.destination, isFirstSide: side == opener)
      writer.sequence = next[side.rawValue]
      writer.acknowledgement = flags.contains(.ack) ? next[side.opposite.rawValue] : 0
      writer.flags = flags.rawValue
      if flags.contains(.fin) { closed[side.rawValue] = true }
      next[side.rawValue] &+= UInt32(payload.count) &+ (flags.isDisjoint(with: [.syn, .fin]) ? 0 : 1)
      return writer.packet(payload).bytes
    }
  }
}
