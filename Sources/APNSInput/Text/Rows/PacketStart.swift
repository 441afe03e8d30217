import Octets

/// Finds the IP packet in a dump that does not state its link type.
struct PacketStart {
  let link: LinkType
  /// Nil if there are no TCP ports.
  let route: ByteStream.Route?
  /// Whether the packet ends, according to its IP header, where the bytes end.
  private let isExact: Bool

  init?(_ bytes: [UInt8]) {
    let fitting = Self.links.compactMap { Self(bytes.span, $0) }
    // A packet that ends exactly with the bytes is preferred to one with padding or a cut end.
    guard let best = fitting.first(where: \.isExact) ?? fitting.first else { return nil }
    self = best
  }

  private init?(_ bytes: Span<UInt8>, _ link: LinkType) {
    // The extra byte makes a packet without a length field inexact.
    guard case .network(let network) = link.payload(in: bytes),
      let packet = IPPacket(bytes, in: network, sentEnd: bytes.count + 1)
    else { return nil }
    self.link = link
    isExact = packet.missing == 0 && packet.payload.upperBound == bytes.count
    // A later fragment has no TCP header.
    let isTCP = packet.payloadProtocol == IPPacket.tcp && packet.fragment?.offset ?? 0 == 0
    route = isTCP ? TCPSegment.route(bytes, in: packet) : nil
  }

  private static let links: [LinkType] = [.raw, .ethernet, .linuxCooked, .linuxCookedV2, .null]

  /// Whether the bytes are certainly a packet. A link-layer header identifies IP. Without one, the length must be
  /// exact, or a port that of the service: the timestamp of a feedback tuple begins like IPv6.
  var isCertain: Bool {
    guard let route else { return false }
    let isService = route.source.isService || route.destination.isService
    return ![.raw, .null].contains(link) || isExact || isService
  }
}
