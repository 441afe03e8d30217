/// Turns packets into numbered streams of bytes in order.
///
/// Connection `k`, counted from 0 in the order of first packets, has the streams `2k` and `2k + 1`; the even one is
/// the side that opened it. A stream opens with its first byte. Bytes come in the order of the stream, each run from
/// the packet that carried it; of bytes that come twice the first ones count. Losses become gaps: at once where the
/// snap length cut a packet, else when the stream ends or more than 1 MiB waits behind the hole. That the peer
/// acknowledged bytes proves nothing about the capture, which may have its packets in another order.
public struct Reassembler: ~Copyable {
  /// What was read, and what was not.
  public private(set) var tally = Tally()

  /// The latest connection between two endpoints.
  private var connections: [EndpointPair: Connection] = [:]

  public init() {}

  /// - Parameter originalLength: the length on the wire, where the capture tells it. It is looked at only where the
  ///   IP header does not say how long the packet is.
  public mutating func packet(
    _ bytes: Span<UInt8>, originalLength: Int? = nil, link: LinkType, origin: Origin.Packet,
    into sink: inout some StreamSink & ~Copyable
  ) {
    tally.packets += 1
    guard let network = link.networkPacket(in: bytes) else {
      tally.notIP += 1
      return
    }
    guard let packet = IPPacket(bytes, in: network, sentEnd: originalLength ?? bytes.count) else {
      tally.damagedHeaders += 1
      return
    }
    guard !packet.isFragment else {
      tally.fragments += 1
      return
    }
    guard packet.payloadProtocol == IPPacket.tcp else {
      tally.notTCP += 1
      return
    }
    guard let segment = TCPSegment(bytes, in: packet) else {
      tally.damagedHeaders += 1
      return
    }
    tally.tcpPackets += 1
    if segment.missing > 0 {
      tally.cutPackets += 1
      tally.missingBytes += segment.missing
    }
    let (pair, side) = EndpointPair.between(
      Endpoint(address: packet.source, port: segment.sourcePort),
      Endpoint(address: packet.destination, port: segment.destinationPort))
    let index = connection(between: pair, for: segment, from: side, into: &sink)
    connections.values[index].take(segment, from: side, in: bytes, of: origin, into: &sink, tally: &tally)
  }

  /// Hands on what is held, declares what is missing and closes all streams.
  public mutating func finish(into sink: inout some StreamSink & ~Copyable) {
    for pair in connections.sorted(by: { $0.value.number < $1.value.number }).map(\.key) {
      guard let index = connections.index(forKey: pair) else { continue }
      connections.values[index].finish(into: &sink, tally: &tally)
    }
    connections = [:]
  }

  private mutating func connection(
    between pair: EndpointPair, for segment: TCPSegment, from side: EndpointPair.Side,
    into sink: inout some StreamSink & ~Copyable
  ) -> Dictionary<EndpointPair, Connection>.Index {
    if let index = connections.index(forKey: pair) {
      guard connections.values[index].isSucceeded(by: segment, from: side) else { return index }
      connections.values[index].finish(into: &sink, tally: &tally)
      connections.values[index] = newConnection(between: pair, seenFirst: side)
      return index
    }
    let connection = newConnection(between: pair, seenFirst: side)
    connections[pair] = connection
    return connections.index(forKey: pair) ?? connections.startIndex
  }

  private mutating func newConnection(between pair: EndpointPair, seenFirst side: EndpointPair.Side) -> Connection {
    defer { tally.connections += 1 }
    return Connection(number: tally.connections, between: pair, seenFirst: side)
  }
}
