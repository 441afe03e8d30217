/// One TCP connection between two endpoints, from its first packet to the reuse of its ports.
struct Connection {
  let number: Int
  private let pair: EndpointPair
  private var opener: EndpointPair.Side
  /// By side.
  private var directions = [Direction(), Direction()]

  /// Without a handshake, whoever talks to a port of the service opened the connection, else whoever was seen first.
  init(number: Int, between pair: EndpointPair, seenFirst side: EndpointPair.Side) {
    self.number = number
    self.pair = pair
    opener = pair.service?.opposite ?? side
  }

  /// Whether a segment begins another connection on the same ports: its handshake cannot be the one of this.
  func isSucceeded(by segment: TCPSegment, from side: EndpointPair.Side) -> Bool {
    guard segment.flags.contains(.syn) else { return false }
    let own = directions[side.rawValue]
    let peer = directions[side.opposite.rawValue]
    if !own.accepts(firstByte: segment.firstByte) { return true }
    guard own.initialSequence == nil, peer.initialSequence == nil else { return false }
    return segment.flags.contains(.ack)
      ? !peer.accepts(firstByte: segment.acknowledgement)
      : peer.isUsed && !own.isUsed
  }

  mutating func take(
    _ segment: TCPSegment, from side: EndpointPair.Side, in bytes: Span<UInt8>, of packet: Origin.Packet,
    into sink: inout some StreamSink & ~Copyable, tally: inout Reassembler.Tally
  ) {
    if segment.flags.contains(.syn) {
      let answers = segment.flags.contains(.ack)
      // Numbers are given with the first byte, and stay.
      if !directions.contains(where: \.wasOpened) { opener = answers ? side.opposite : side }
      if answers {
        let peer = stream(from: side.opposite)
        directions[side.opposite.rawValue].begin(with: segment.acknowledgement, as: peer, into: &sink, tally: &tally)
      }
    }
    let stream = stream(from: side)
    directions[side.rawValue].take(segment, in: bytes, from: packet, as: stream, into: &sink, tally: &tally)
  }

  mutating func finish(into sink: inout some StreamSink & ~Copyable, tally: inout Reassembler.Tally) {
    for side in [opener, opener.opposite] {
      let stream = stream(from: side)
      directions[side.rawValue].finish(as: stream, into: &sink, tally: &tally)
    }
  }

  private func stream(from side: EndpointPair.Side) -> ByteStream {
    let (number, isOdd) = (number &* 2, side != opener)
    return ByteStream(number: isOdd ? number &+ 1 : number, route: pair.route(from: side))
  }
}

/// Two endpoints, the same for either direction.
struct EndpointPair: Hashable {
  let lower: Endpoint
  let upper: Endpoint

  enum Side: Int {
    case lower, upper

    var opposite: Side { self == .lower ? .upper : .lower }
  }

  static func between(_ source: Endpoint, _ destination: Endpoint) -> (pair: EndpointPair, source: Side) {
    source.precedes(destination)
      ? (EndpointPair(lower: source, upper: destination), .lower)
      : (EndpointPair(lower: destination, upper: source), .upper)
  }

  func route(from side: Side) -> ByteStream.Route {
    switch side {
    case .lower: ByteStream.Route(source: lower, destination: upper)
    case .upper: ByteStream.Route(source: upper, destination: lower)
    }
  }

  /// The side whose port is one of the service's, when it is only one.
  var service: Side? {
    switch (lower.isService, upper.isService) {
    case (true, false): .lower
    case (false, true): .upper
    default: nil
    }
  }
}

extension Endpoint {
  fileprivate func precedes(_ other: Endpoint) -> Bool { sortKey < other.sortKey }

  private var sortKey: (Int, UInt64, UInt64, UInt16) {
    switch address {
    case .v4(let address): (4, 0, UInt64(address), port)
    case .v6(let high, let low): (6, high, low, port)
    }
  }
}
