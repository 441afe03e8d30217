/// Turns packets into numbered streams of bytes in order.
///
/// Connection `k`, counted from 0 in the order of first packets, has the streams `2k` and `2k + 1`; the even one is
/// the side that opened it. A stream opens with its first byte. Bytes come in the order of the stream, each run from
/// the packet that carried it; of bytes that come twice the first ones count, and others for the same place are handed
/// on beside them. Losses become gaps: at once where the snap length cut a packet, else when the stream ends or more
/// than 1 MiB waits behind the hole. That the peer acknowledged bytes proves nothing about the capture, which may have
/// its packets in another order.
///
/// Memory is bounded, whatever the capture holds: connections that were idle the longest make room.
public struct Reassembler: ~Copyable {
  /// What was read, and what was not.
  public var tally: Tally { ledger.tally }

  private var connections = IdleTable<EndpointPair, Connection>()
  private var fragments = Fragments()
  /// What carries pieces of streams and no TCP.
  private var chunks = CapturedChunks()
  private var ledger = Ledger()
  /// About what the held segments and remembered holes of all connections take in memory, in bytes.
  private var footprint = 0
  /// The connections that wait to know their first byte.
  private var waiting: Set<Int> = []

  /// Bytes that all connections together may hold before they are in order.
  static let heldLimit = 12 << 20
  /// Bytes that whoever takes the streams may hold of all of them.
  public static let sinkLimit = 12 << 20

  /// About what all connections together hold now, in bytes.
  public var heldBytes: Int { footprint }

  public init() {}

  /// - Parameter originalLength: the length on the wire, where the capture tells it. It is looked at only where the
  ///   IP header does not say how long the packet is.
  public mutating func packet(
    _ bytes: Span<UInt8>, originalLength: Int? = nil, link: LinkType, direction: PacketDirection? = nil,
    origin: Origin.Packet, into sink: inout some StreamSink & ~Copyable
  ) {
    ledger.tally.packets += 1
    let network: Range<Int>
    switch link.payload(in: bytes) {
    case .network(let range): network = range
    case .chunk(var chunk):
      chunk.direction = chunk.direction ?? direction
      chunks.take(
        chunk, in: bytes, originalLength: originalLength ?? bytes.count, origin: origin, &ledger.tally, into: &sink)
      makeRoom(in: &sink)
      return
    case .damaged:
      ledger.tally.damagedHeaders += 1
      return
    case .nothing:
      ledger.tally.notIP += 1
      return
    }
    guard let packet = IPPacket(bytes, in: network, sentEnd: originalLength ?? bytes.count) else {
      ledger.tally.damagedHeaders += 1
      return
    }
    guard packet.payloadProtocol == IPPacket.tcp else {
      ledger.tally.notTCP += 1
      return
    }
    let isLower = link.sourceIsLower(in: bytes)
    guard let fragment = packet.fragment else {
      return segment(of: packet, in: bytes, isLower: isLower, origin: origin, into: &sink)
    }
    guard let whole = fragments.take(packet, fragment, in: bytes, lost: &ledger.tally.fragments) else { return }
    segment(of: whole.packet, in: whole.payload.span, isLower: isLower, origin: origin, into: &sink)
  }

  /// Live, no packet came until this time: what surely is in order need not wait.
  public mutating func wait(until time: CaptureTime, into sink: inout some StreamSink & ~Copyable) {
    for index in inOrder(Array(waiting)) {
      change(index) { connection, ledger in connection.wait(until: time, into: &sink, &ledger) }
    }
    sink.pause()
  }

  /// Hands on what is held, declares what is missing and closes all streams.
  public mutating func finish(into sink: inout some StreamSink & ~Copyable) {
    for index in inOrder(connections.all) {
      change(index) { connection, ledger in connection.finish(into: &sink, &ledger) }
    }
    connections = IdleTable()
    chunks.finish(into: &sink)
    ledger.tally.fragments += fragments.pieceCount
    fragments = Fragments()
  }
}

extension Reassembler {
  private func inOrder(_ indices: [Int]) -> [Int] {
    indices.sorted { connections[$0].number < connections[$1].number }
  }

  private mutating func segment(
    of packet: IPPacket, in bytes: Span<UInt8>, isLower: Bool, origin: Origin.Packet,
    into sink: inout some StreamSink & ~Copyable
  ) {
    guard let segment = TCPSegment(bytes, in: packet) else {
      ledger.tally.damagedHeaders += 1
      return
    }
    ledger.tally.tcpPackets += 1
    if segment.missing > 0 { ledger.tally.cutPackets += 1 }
    let (pair, side) = EndpointPair.between(
      Endpoint(address: packet.source, port: segment.sourcePort),
      Endpoint(address: packet.destination, port: segment.destinationPort), isLower: isLower)
    let index = connection(between: pair, for: segment, from: side, into: &sink)
    change(index) { connection, ledger in
      connection.take(segment, from: side, in: bytes, of: origin, into: &sink, &ledger)
    }
    makeRoom(in: &sink)
  }

  private mutating func connection(
    between pair: EndpointPair, for segment: TCPSegment, from side: EndpointPair.Side,
    into sink: inout some StreamSink & ~Copyable
  ) -> Int {
    if let index = connections.find(pair) {
      guard connections[index].isSucceeded(by: segment, from: side) else { return index }
      close(index, into: &sink)
    } else if connections.isFull, let oldest = connections.oldest {
      drop(oldest, into: &sink)
    }
    defer { ledger.tally.connections += 1 }
    return connections.insert(Connection(number: ledger.tally.connections, between: pair, seenFirst: side), pair)
  }

  /// Keeps the books of held bytes while a connection changes.
  private mutating func change(_ index: Int, _ body: (inout Connection, inout Ledger) -> Void) {
    let (footprintBefore, waitedBefore) = (connections[index].footprint, connections[index].isWaitingForStart)
    body(&connections[index], &ledger)
    footprint += connections[index].footprint - footprintBefore
    let waits = connections[index].isWaitingForStart
    if waits, !waitedBefore { waiting.insert(index) }
    if !waits, waitedBefore { waiting.remove(index) }
  }

  private mutating func close(_ index: Int, into sink: inout some StreamSink & ~Copyable) {
    change(index) { connection, ledger in connection.finish(into: &sink, &ledger) }
    connections.remove(index)
  }

  private mutating func drop(_ index: Int, into sink: inout some StreamSink & ~Copyable) {
    if !connections[index].isOver { ledger.tally.droppedConnections += 1 }
    close(index, into: &sink)
  }

  /// Walks from the connection that was idle the longest, until half of the limit is free: the walk is paid for by what
  /// must come before the next one.
  private mutating func makeRoom(in sink: inout some StreamSink & ~Copyable) {
    if footprint > Self.heldLimit {
      var next = connections.oldest
      while footprint > Self.heldLimit / 2, let index = next {
        next = connections.newer(than: index)
        guard connections[index].footprint > 0 else { continue }
        change(index) { connection, ledger in connection.release(into: &sink, &ledger) }
      }
    }
    guard sink.heldBytes > Self.sinkLimit else { return }
    var next = connections.oldest
    while sink.heldBytes > Self.sinkLimit / 2, let index = next {
      next = connections.newer(than: index)
      let isHeld = connections[index].streams.contains { sink.heldBytes(of: $0) > 0 }
      if isHeld { drop(index, into: &sink) }
    }
    chunks.makeRoom(downTo: Self.sinkLimit / 2, &ledger.tally, in: &sink)
  }
}
