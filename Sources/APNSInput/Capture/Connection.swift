/// One TCP connection between two endpoints, from its first packet to the reuse of its ports.
struct Connection {
  let number: Int
  let pair: EndpointPair
  private var opener: EndpointPair.Side
  private var lower = Direction()
  private var upper = Direction()

  /// Without a handshake, whoever talks to a port of the service opened the connection, else whoever was seen first.
  init(number: Int, between pair: EndpointPair, seenFirst side: EndpointPair.Side) {
    self.number = number
    self.pair = pair
    opener = pair.service?.opposite ?? side
  }

  private subscript(side: EndpointPair.Side) -> Direction {
    get { side == .lower ? lower : upper }
    _modify { if side == .lower { yield &lower } else { yield &upper } }
  }

  /// Whether a segment begins another connection on the same ports: its handshake cannot be the one of this.
  func isSucceeded(by segment: TCPSegment, from side: EndpointPair.Side) -> Bool {
    guard segment.flags.contains(.syn) else { return false }
    let own = self[side]
    let peer = self[side.opposite]
    if !own.accepts(firstByte: segment.firstByte) { return true }
    guard own.initialSequence == nil, peer.initialSequence == nil else { return false }
    return segment.flags.contains(.ack)
      ? !peer.accepts(firstByte: segment.acknowledgement)
      : peer.isUsed && !own.isUsed
  }

  mutating func take(
    _ segment: TCPSegment, from side: EndpointPair.Side, in bytes: Span<UInt8>, of packet: Origin.Packet,
    into sink: inout some StreamSink & ~Copyable, _ ledger: inout Ledger
  ) {
    let answers = segment.flags.contains([.syn, .ack])
    if segment.flags.contains(.syn), !lower.wasOpened, !upper.wasOpened {
      // Numbers are given with the first byte, and stay.
      opener = answers ? side.opposite : side
    }
    if answers {
      let peer = stream(from: side.opposite)
      self[side.opposite].begin(with: segment.acknowledgement, as: peer, into: &sink, &ledger)
    } else if segment.flags.contains(.ack) {
      self[side.opposite].acknowledge(segment.acknowledgement)
    }
    self[side].take(segment, in: bytes, from: packet, as: stream(from: side), into: &sink, &ledger)
    if self[side].hasEnd { self[side.opposite].noteEndOfPeer() }
    if let time = packet.time { wait(until: time, into: &sink, &ledger) }
  }

  /// Both directions have ended, or nothing was ever sent.
  var isOver: Bool { (lower.isOver || !lower.isUsed) && (upper.isOver || !upper.isUsed) }

  /// Data is held because it may not be the first of its stream.
  var isWaitingForStart: Bool { lower.isWaitingForStart || upper.isWaitingForStart }

  /// About what its held segments and remembered holes take in memory, in bytes.
  var footprint: Int { lower.footprint + upper.footprint }

  /// The numbers of both streams.
  var streams: [Int] { [number * 2, number * 2 + 1] }

  /// The capture has come to this time.
  mutating func wait(
    until time: CaptureTime, into sink: inout some StreamSink & ~Copyable, _ ledger: inout Ledger
  ) {
    guard isWaitingForStart else { return }
    for side in sides { self[side].wait(until: time, as: stream(from: side), into: &sink, &ledger) }
  }

  /// Hands on what is held, with the holes declared; the connection goes on.
  mutating func release(into sink: inout some StreamSink & ~Copyable, _ ledger: inout Ledger) {
    for side in sides { self[side].release(as: stream(from: side), into: &sink, &ledger) }
  }

  mutating func finish(into sink: inout some StreamSink & ~Copyable, _ ledger: inout Ledger) {
    for side in sides { self[side].finish(as: stream(from: side), into: &sink, &ledger) }
    for side in sides where self[side.opposite].wasOpened {
      self[side].tellSilentEnd(as: stream(from: side), into: &sink)
    }
    sink.forget(connection: number)
  }

  private var sides: [EndpointPair.Side] { [opener, opener.opposite] }

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

  /// - Parameter isLower: which side the source is when both endpoints are the same.
  static func between(
    _ source: Endpoint, _ destination: Endpoint, isLower: Bool
  ) -> (pair: EndpointPair, source: Side) {
    source.precedes(destination) || (source == destination && isLower)
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

extension LinkType {
  /// Some tools write all ports as 0 and leave a connection with the same endpoint on either side; their made-up
  /// Ethernet addresses still tell the sides apart.
  func sourceIsLower(in bytes: Span<UInt8>) -> Bool {
    guard self == .ethernet, bytes.count >= 12 else { return true }
    for index in 0..<6 where bytes[index + 6] != bytes[index] { return bytes[index + 6] < bytes[index] }
    return true
  }
}
