/// One TCP connection between two endpoints, from its first packet to the reuse of its ports; or the pieces of its
/// streams that were exported without TCP.
struct Connection {
  let number: Int
  /// The route from the lower side to the upper one; nil if exported pieces do not name their endpoints.
  private let route: ByteStream.Route?
  private var opener: Side
  private var lower = HalfConnection(stream: ByteStream(number: 0))
  private var upper = HalfConnection(stream: ByteStream(number: 1))

  /// Without a handshake, the opener is the side that talks to a port of the service, otherwise the side seen first;
  /// without endpoints, the one whose pieces were sent.
  init(number: Int, on route: ByteStream.Route?, seenFirst side: Side) {
    self.number = number
    self.route = route
    opener = route.map { $0.service?.opposite ?? side } ?? .lower
    numberStreams()
  }

  private mutating func numberStreams() {
    for (parity, side) in sides.enumerated() {
      let route = side == .lower ? route : route?.reversed
      self[side].stream = ByteStream(number: number * 2 + parity, route: route, isDirected: true)
    }
  }

  subscript(side: Side) -> HalfConnection {
    get { side == .lower ? lower : upper }
    _modify { if side == .lower { yield &lower } else { yield &upper } }
  }

  /// Whether a segment begins another connection on the same ports: it carries a SYN that cannot belong to this one.
  func isSucceeded(by segment: TCPSegment, from side: Side) -> Bool {
    guard segment.flags.contains(.syn) else { return false }
    let own = self[side]
    let peer = self[side.opposite]
    // Some systems begin each connection with the same number.
    if isOver, own.isUsed || peer.isUsed, !segment.flags.contains(.ack) { return true }
    if !own.accepts(firstByte: segment.firstByte) { return true }
    guard own.initialSequence == nil, peer.initialSequence == nil else { return false }
    return segment.flags.contains(.ack)
      ? !peer.accepts(firstByte: segment.acknowledgement)
      : peer.isUsed && !own.isUsed
  }

  mutating func accept(
    _ segment: TCPSegment, from side: Side, in bytes: Span<UInt8>, of packet: Origin.Packet,
    _ shared: inout SharedState
  ) {
    let answers = segment.flags.contains([.syn, .ack])
    if segment.flags.contains(.syn), !lower.wasOpened, !upper.wasOpened {
      // Stream numbers are assigned with the first byte and do not change afterwards.
      opener = answers ? side.opposite : side
      numberStreams()
    }
    if answers {
      self[side.opposite].begin(with: segment.acknowledgement, &shared)
    } else if segment.flags.contains(.ack) {
      self[side.opposite].acknowledge(segment.acknowledgement)
    }
    self[side].accept(segment, in: bytes, from: packet, &shared)
    if self[side].end != nil, self[side.opposite].end == nil { self[side.opposite].peerClosedFirst = true }
    if let time = packet.time { wait(until: time, &shared) }
  }

  /// Both directions have ended or were never used.
  var isOver: Bool { (lower.isOver || !lower.isUsed) && (upper.isOver || !upper.isUsed) }

  /// Approximate size of what both directions hold, in bytes.
  var footprint: Int { lower.footprint + upper.footprint }

  var streams: [Int] { [number * 2, number * 2 + 1] }

  mutating func wait(until time: CaptureTime, _ shared: inout SharedState) {
    for side in sides { self[side].wait(until: time, &shared) }
  }

  /// Delivers all held bytes, with holes as gaps. The connection continues.
  mutating func release(_ shared: inout SharedState) {
    for side in sides { self[side].release(&shared) }
  }

  /// Delivers all held bytes and closes both streams.
  mutating func finish(_ shared: inout SharedState) {
    for side in sides { self[side].finish(&shared) }
    for side in sides where self[side.opposite].wasOpened { self[side].reportEmptyStream(&shared) }
    shared.streams.forget(connection: number)
  }

  private var sides: [Side] { [opener, opener.opposite] }

  /// A side of a connection. The one with the lower endpoint is the same for both directions.
  enum Side {
    case lower, upper

    var opposite: Side { self == .lower ? .upper : .lower }
  }
}

extension ByteStream.Route {
  /// The route from the lower side to the upper one, and the side that is the source of this route.
  /// - Parameter isLower: Whether the source is the lower side if both endpoints are equal.
  func ordered(isLower: Bool) -> (route: Self, source: Connection.Side) {
    let (own, other) = ((source.address, source.port), (destination.address, destination.port))
    return own < other || own == other && isLower ? (self, .lower) : (reversed, .upper)
  }

  /// The side that has a port of the service, if exactly one side does. The source is the lower side.
  fileprivate var service: Connection.Side? {
    source.isService == destination.isService ? nil : source.isService ? .lower : .upper
  }
}

extension LinkType {
  /// Whether the source is the lower side of a connection with two equal endpoints. Some tools write all ports as 0 and
  /// the same address on both sides, but use different synthetic Ethernet addresses.
  func sourceIsLower(in bytes: Span<UInt8>) -> Bool {
    guard let (link, start) = inner(in: bytes), link == .ethernet, bytes.count >= start + 12 else { return true }
    for index in start..<(start + 6) where bytes[index + 6] != bytes[index] { return bytes[index + 6] < bytes[index] }
    return true
  }
}
