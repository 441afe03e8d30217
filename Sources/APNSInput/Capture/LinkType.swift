/// What a captured packet is: a link type as capture files number it, and as libpcap does where the two differ.
public struct LinkType: RawRepresentable, Sendable, Hashable {
  public let rawValue: Int

  public init(rawValue: Int) { self.rawValue = rawValue }

  /// BSD loopback: the address family in the byte order of the capturing machine.
  public static let null = LinkType(rawValue: 0)
  public static let ethernet = LinkType(rawValue: 1)
  public static let ppp = LinkType(rawValue: 9)
  /// Raw IP goes by 101 in files and by 12 or 14 in libpcap, depending on the system.
  public static let raw = LinkType(rawValue: 101)
  public static let rawOnMostSystems = LinkType(rawValue: 12)
  public static let rawOnOpenBSD = LinkType(rawValue: 14)
  /// OpenBSD loopback: the address family in network order.
  public static let loop = LinkType(rawValue: 108)
  /// Linux "cooked" captures, as `tcpdump -i any` makes them.
  public static let linuxCooked = LinkType(rawValue: 113)
  public static let linuxCookedV2 = LinkType(rawValue: 276)
  public static let ipv4 = LinkType(rawValue: 228)
  public static let ipv6 = LinkType(rawValue: 229)

  /// Packets that a Linux firewall logged, with attributes of theirs.
  public static let netfilterLog = LinkType(rawValue: 239)
  /// What Wireshark exports of a dissection: bytes of a stream, without the packets that carried them.
  public static let upperPDU = LinkType(rawValue: 252)

  /// Whether what is inside can be found.
  public var isKnown: Bool { LinkLayer[self] != nil }
}
