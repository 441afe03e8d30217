import Octets

/// Where the IP packet begins in bytes of which nothing says what stands before it.
struct PacketStart {
  let link: LinkType
  /// Nil where TCP's ports are not there.
  let route: ByteStream.Route?
  /// The IP header has a length, and the packet ends there with the bytes.
  private let isExact: Bool
  private let hasTCP: Bool

  /// - Parameter known: What stood before the IP header of other packets, tried first.
  init?(_ bytes: [UInt8], after known: LinkType? = nil) {
    let fitting = ((known.map { [$0] } ?? []) + Self.links).compactMap { Self(bytes.span, $0) }
    // A length that fits exactly beats one that leaves padding or was cut.
    guard let best = fitting.first(where: \.isExact) ?? fitting.first else { return nil }
    self = best
  }

  private init?(_ bytes: Span<UInt8>, _ link: LinkType) {
    // A packet without a length gets one that is not exact.
    guard case .network(let network) = link.payload(in: bytes),
      let packet = IPPacket(bytes, in: network, sentEnd: bytes.count + 1)
    else { return nil }
    self.link = link
    isExact = packet.missing == 0 && packet.payload.upperBound == bytes.count
    // A later fragment has no TCP header.
    let isTCP = packet.payloadProtocol == IPPacket.tcp && packet.fragment?.offset ?? 0 == 0
    let ports = isTCP ? TCPSegment.ports(bytes, in: packet) : nil
    route = ports.map { ports in
      ByteStream.Route(
        source: Endpoint(address: packet.source, port: ports.source),
        destination: Endpoint(address: packet.destination, port: ports.destination))
    }
    hasTCP = isTCP && TCPSegment(bytes, in: packet)?.flags.makeSense == true
  }

  private static let links: [LinkType] = [.raw, .ethernet, .linuxCooked, .linuxCookedV2, .null]

  /// Whether this is surely a packet. A link header says that IP follows. Without one, the length has to be right or the
  /// TCP header has to make sense, since the date of a feedback tuple begins like IPv6.
  static func isPacket(_ bytes: [UInt8]) -> Bool {
    guard let packet = PacketStart(bytes), packet.route != nil else { return false }
    switch packet.link {
    case .raw, .null: return packet.isExact || packet.hasTCP
    default: return true
    }
  }
}

extension TCPSegment.Flags {
  fileprivate var makeSense: Bool {
    !isDisjoint(with: [.fin, .syn, .rst, .psh, .ack]) && (!contains(.syn) || isDisjoint(with: [.fin, .rst]))
  }
}
