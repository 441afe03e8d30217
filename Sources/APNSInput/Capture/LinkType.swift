/// A link-layer type, with the number that capture files use, or the one that libpcap uses where they differ.
public struct LinkType: RawRepresentable, Sendable, Hashable {
  public let rawValue: Int

  public init(rawValue: Int) { self.rawValue = rawValue }

  /// BSD loopback: the address family in the byte order of the capturing machine.
  public static let null = LinkType(rawValue: 0)
  /// Ethernet.
  public static let ethernet = LinkType(rawValue: 1)
  /// PPP.
  package static let ppp = LinkType(rawValue: 9)
  /// Raw IP. It is 101 in files, but 12 or 14 in libpcap, depending on the system.
  package static let raw = LinkType(rawValue: 101)
  /// Raw IP in libpcap on systems other than OpenBSD.
  package static let rawOnMostSystems = LinkType(rawValue: 12)
  /// Raw IP in libpcap on OpenBSD.
  package static let rawOnOpenBSD = LinkType(rawValue: 14)
  /// OpenBSD loopback: the address family in network order.
  public static let loop = LinkType(rawValue: 108)
  /// Linux "cooked" capture, as written by `tcpdump -i any`.
  package static let linuxCooked = LinkType(rawValue: 113)
  /// Linux "cooked" capture, version 2.
  package static let linuxCookedV2 = LinkType(rawValue: 276)
  /// Raw IPv4.
  package static let ipv4 = LinkType(rawValue: 228)
  /// Raw IPv6.
  package static let ipv6 = LinkType(rawValue: 229)

  /// Packets logged by the Linux firewall (NFLOG), preceded by attributes.
  package static let netfilterLog = LinkType(rawValue: 239)
  /// Wireshark's "Export PDUs to File": bytes of a stream without the packets that carried them.
  package static let upperPDU = LinkType(rawValue: 252)

  /// The type with the number that capture files use.
  var inFiles: LinkType { self == .rawOnMostSystems || self == .rawOnOpenBSD ? .raw : self }

  /// Apple's PKTAP: a header that names the link type of the packet after it.
  package static let pktap = LinkType(rawValue: 258)
  /// The third link type for private use, `DLT_USER2`. It is also libpcap's number for PKTAP on macOS, and captures
  /// from there have it.
  package static let user2 = LinkType(rawValue: 149)
}
