/// Turns packets into numbered streams of bytes in order.
///
/// Connection `k`, counted from 0 by first packet, has the streams `2k` and `2k + 1`; the even one is sent by the side
/// that opened the connection. A stream is opened with its first byte. Bytes are delivered in stream order, each run
/// with the packet that carried it. If bytes are sent twice, the first ones are delivered, and different ones are
/// reported as an overlap.
///
/// Lost bytes become gaps: immediately if the snap length cut a packet, otherwise when the stream ends or more than 1
/// MiB is held after the hole. An acknowledgement by the peer does not end the wait, because packets may be captured
/// out of order.
///
/// Pieces of streams that were exported without TCP form a connection if they have the same two endpoints and the same
/// stream number (if the capture has one). Without endpoints, sent pieces form the even stream and received pieces the
/// odd one; pieces without a direction count as sent.
///
/// Memory is bounded for every input: when a limit is reached, the longest-idle connections give up their memory.
public struct Reassembler: ~Copyable {
  /// Counts of what was read and of what could not be read.
  package var tally: Tally { shared.tally }

  private var connections = IdleTable<Key, Connection>()
  private var fragments = Fragments()
  private var shared = SharedState()

  private struct Key: Hashable {
    let route: ByteStream.Route?
    /// The number that the exporting tool assigned to the stream.
    var stream: UInt32?
    var isExported = false
  }

  /// Maximum of `heldBytes`.
  static let heldLimit = 12 << 20
  /// Maximum number of bytes that the sink may hold over all streams.
  package static let sinkLimit = 12 << 20

  /// Approximate size of the held segments and remembered holes of all connections, in bytes.
  public private(set) var heldBytes = 0

  /// A reassembler that knows no connections.
  public init() {}

  /// Processes one packet.
  /// - Parameters:
  ///   - bytes: The captured bytes, from the link-layer header on.
  ///   - originalLength: The packet's length on the wire in bytes, if the capture records it. It is only used if the IP
  ///     header does not give a length.
  ///   - link: The link type of the packet.
  ///   - direction: The direction of the packet, if the capture records it.
  ///   - origin: The number and time of the packet.
  ///   - sink: Receives the stream bytes that are now in order.
  public mutating func packet(
    _ bytes: Span<UInt8>, originalLength: Int? = nil, link: LinkType, direction: PacketDirection? = nil,
    origin: Origin.Packet, into sink: inout some StreamSink & ~Copyable
  ) {
    shared.tally.packets += 1
    let unread = process(bytes, originalLength: originalLength ?? bytes.count, link, direction, origin)
    if let unread { shared.tally[keyPath: unread] += 1 }
    shared.streams.replay(into: &sink)
    releaseMemory(in: &sink)
  }

  /// Notes that a live capture has reached this time without a packet, so that data known to be in order is delivered.
  public mutating func wait(until time: CaptureTime, into sink: inout some StreamSink & ~Copyable) {
    changeAll { connection, shared in connection.wait(until: time, &shared) }
    shared.streams.replay(into: &sink)
    sink.pause()
  }

  /// Delivers all held bytes, with holes as gaps, and closes all streams.
  public mutating func finish(into sink: inout some StreamSink & ~Copyable) {
    changeAll { connection, shared in connection.finish(&shared) }
    shared.streams.replay(into: &sink)
    connections = IdleTable()
    shared.tally.fragments += fragments.pieceCount
    fragments = Fragments()
  }
}

extension Reassembler {
  /// Where packets are counted that were not read.
  private typealias Unread = WritableKeyPath<Tally, Int>

  /// Processes one packet. Returns nil if it was read.
  private mutating func process(
    _ bytes: Span<UInt8>, originalLength: Int, _ link: LinkType, _ direction: PacketDirection?, _ origin: Origin.Packet
  ) -> Unread? {
    let network: Range<Int>
    switch link.payload(in: bytes) {
    case .network(let range): network = range
    case .chunk(var chunk):
      chunk.direction = chunk.direction ?? direction
      accept(chunk, in: bytes, originalLength: originalLength, origin)
      return nil
    case .damaged: return \.damagedHeaders
    case .nothing: return \.notIP
    }
    guard let packet = IPPacket(bytes, in: network, sentEnd: originalLength) else { return \.damagedHeaders }
    guard packet.payloadProtocol == IPPacket.tcp else { return \.notTCP }
    let isLower = link.sourceIsLower(in: bytes)
    guard let fragment = packet.fragment else { return accept(packet, in: bytes, isLower: isLower, origin) }
    guard let whole = fragments.add(packet, fragment, in: bytes, lost: &shared.tally.fragments) else { return nil }
    return accept(whole.packet, in: whole.payload.span, isLower: isLower, origin)
  }

  private mutating func accept(
    _ packet: IPPacket, in bytes: Span<UInt8>, isLower: Bool, _ origin: Origin.Packet
  ) -> Unread? {
    guard let segment = TCPSegment(bytes, in: packet) else { return \.damagedHeaders }
    shared.tally.tcpPackets += 1
    if segment.missing > 0 { shared.tally.cutPackets += 1 }
    let (route, side) = segment.route.ordered(isLower: isLower)
    let key = Key(route: route)
    if let index = connections.find(key), connections[index].isSucceeded(by: segment, from: side) { close(index) }
    change(connection(key, seenFirst: side)) { connection, shared in
      connection.accept(segment, from: side, in: bytes, of: origin, &shared)
    }
    return nil
  }

  private mutating func accept(
    _ chunk: StreamChunk, in bytes: Span<UInt8>, originalLength: Int, _ origin: Origin.Packet
  ) {
    let missing = IPPacket.end(sent: originalLength, captured: bytes.count) - bytes.count
    guard !chunk.payload.isEmpty || missing > 0 else { return }
    if missing > 0 { shared.tally.cutPackets += 1 }
    var (route, side) = (chunk.route, chunk.direction == .received ? Connection.Side.upper : .lower)
    if let exported = chunk.route { (route, side) = exported.ordered(isLower: side == .lower) }
    let key = Key(route: route, stream: chunk.stream, isExported: true)
    change(connection(key, seenFirst: side)) { connection, shared in
      connection[side].accept(chunk, missing: missing, in: bytes, from: origin, &shared)
    }
  }

  private mutating func connection(_ key: Key, seenFirst side: Connection.Side) -> Int {
    if let index = connections.find(key) { return index }
    if connections.isFull, let oldest = connections.oldest { drop(oldest) }
    defer { shared.tally.connections += 1 }
    return connections.insert(Connection(number: shared.tally.connections, on: key.route, seenFirst: side), key)
  }

  /// Changes a connection, and updates `heldBytes`.
  private mutating func change(_ index: Int, _ body: (inout Connection, inout SharedState) -> Void) {
    heldBytes -= connections[index].footprint
    body(&connections[index], &shared)
    heldBytes += connections[index].footprint
  }

  /// Changes all connections in the order in which they began.
  private mutating func changeAll(_ body: (inout Connection, inout SharedState) -> Void) {
    let inOrder = connections.all.sorted { connections[$0].number < connections[$1].number }
    for index in inOrder { change(index, body) }
  }

  private mutating func close(_ index: Int) {
    change(index) { connection, shared in connection.finish(&shared) }
    connections.remove(index)
  }

  private mutating func drop(_ index: Int) {
    if !connections[index].isOver { shared.tally.droppedConnections += 1 }
    close(index)
  }

  /// Frees memory, from the longest-idle connection on, until half of a limit is free. Freeing half keeps the cost per
  /// packet constant.
  private mutating func releaseMemory(in sink: inout some StreamSink & ~Copyable) {
    var next = heldBytes > Self.heldLimit ? connections.oldest : nil
    while heldBytes > Self.heldLimit / 2, let index = next {
      next = connections.newer(than: index)
      change(index) { connection, shared in connection.release(&shared) }
      shared.streams.replay(into: &sink)
    }
    next = sink.heldBytes > Self.sinkLimit ? connections.oldest : nil
    while sink.heldBytes > Self.sinkLimit / 2, let index = next {
      next = connections.newer(than: index)
      guard connections[index].streams.contains(where: { sink.heldBytes(of: $0) > 0 }) else { continue }
      drop(index)
      shared.streams.replay(into: &sink)
    }
  }
}
