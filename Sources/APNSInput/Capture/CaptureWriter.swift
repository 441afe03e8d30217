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

  private var sides: [ByteStream.Route: Side] = [:]
  private var connectionCount = 0
  /// The time of the next packet, in nanoseconds since 1970, and how far each packet moves it.
  private var now = 0
  private var step = Self.millisecond
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
      writer.connect(route, into: &out)
      for start in stride(from: 0, to: bytes.count, by: Self.segmentSize) {
        let end = min(start + Self.segmentSize, bytes.count)
        writer.write([.psh, .ack], on: route, bytes.extracting(start..<end), into: &out)
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
      writer.open(route, firstSequence: UInt32(truncatingIfNeeded: writer.connectionCount), into: &out)
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
    guard sides[route]?.isClosed == false else { return }
    at(time) { writer in
      writer.write(isReset ? [.rst, .ack] : [.fin, .ack], on: route, into: &out)
      guard isReset || writer.sides[route.reversed]?.isClosed == true else { return }
      if !isReset { writer.write(.ack, on: route.reversed, into: &out) }
      (writer.sides[route], writer.sides[route.reversed]) = (nil, nil)
    }
  }

  private mutating func at(_ time: CaptureTime?, _ write: (inout Self) -> Void) {
    if let time { (step, now) = (0, clamped(time)) }
    write(&self)
    if time != nil { (step, now) = (Self.millisecond, now + Self.millisecond) }
  }

  /// The nanoseconds of a time, moved into the range of pcap.
  private mutating func clamped(_ time: CaptureTime) -> Int {
    if !hasHeader { file = PcapWriter(isNanosecondFile: time.digits == 9) }
    if !file.isNanosecondFile, time.nanoseconds % 1000 != 0 { cutTimes += 1 }
    let seconds = max(0, min(time.seconds, Int(UInt32.max)))
    if seconds != time.seconds { clampedTimes += 1 }
    return seconds * Self.second + time.nanoseconds
  }

  private static let second = 1_000_000_000
  private static let millisecond = 1_000_000

  /// Skips `count` bytes of one direction, so that they are missing from the capture.
  public mutating func gap(of count: Int, on route: ByteStream.Route, into out: inout [UInt8]) {
    connect(route, into: &out)
    sides[route]?.next &+= UInt32(truncatingIfNeeded: count)
  }

  /// Closes all connections in the order in which they began.
  public mutating func finish(into out: inout [UInt8]) {
    header(into: &out)
    let openers = sides.filter(\.value.isOpener).sorted { $0.value.connection < $1.value.connection }.map(\.key)
    for route in openers.flatMap({ [$0, $0.reversed] }) { close(route, at: nil, into: &out) }
  }

  private mutating func header(into out: inout [UInt8]) {
    guard !hasHeader else { return }
    hasHeader = true
    file.header(.ethernet, into: &out)
  }

  private mutating func connect(_ route: ByteStream.Route, into out: inout [UInt8]) {
    guard sides[route] == nil else { return }
    let isAnswer = route.source.isService && !route.destination.isService
    open(isAnswer ? route.reversed : route, into: &out)
  }

  private mutating func open(_ route: ByteStream.Route, firstSequence: UInt32 = 0, into out: inout [UInt8]) {
    header(into: &out)
    for (route, isOpener) in [(route.reversed, false), (route, true)] {
      sides[route] = Side(connection: connectionCount, isOpener: isOpener, next: firstSequence)
    }
    connectionCount += 1
    write(.syn, on: route, into: &out)
    write([.syn, .ack], on: route.reversed, into: &out)
    write(.ack, on: route, into: &out)
  }

  private mutating func write(
    _ flags: TCPSegment.Flags, on route: ByteStream.Route, _ payload: Span<UInt8> = Span(), into out: inout [UInt8]
  ) {
    guard let side = sides[route], let peer = sides[route.reversed] else { return }
    var writer = PacketWriter(on: route, isFirstSide: side.isOpener)
    writer.sequence = side.next
    writer.acknowledgement = flags.contains(.ack) ? peer.next : 0
    writer.flags = flags.rawValue
    sides[route]?.isClosed = side.isClosed || flags.contains(.fin)
    sides[route]?.next &+= UInt32(payload.count) &+ (flags.isDisjoint(with: [.syn, .fin]) ? 0 : 1)
    let packet = writer.packet(payload).bytes
    let (seconds, nanoseconds) = now.quotientAndRemainder(dividingBy: Self.second)
    file.packet(packet.span, sent: packet.count, seconds: seconds, nanoseconds: nanoseconds, into: &out)
    now += step
  }

  /// What one side of a connection wrote.
  private struct Side: Sendable {
    let connection: Int
    let isOpener: Bool
    var next: UInt32
    var isClosed = false
  }
}
