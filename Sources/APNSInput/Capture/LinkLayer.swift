/// What stands before the IP packet: a link type as capture files number it, and as libpcap does where the two differ.
public struct LinkType: RawRepresentable, Sendable, Hashable {
  public let rawValue: Int

  public init(rawValue: Int) { self.rawValue = rawValue }

  /// BSD loopback: the address family in the byte order of whoever captured.
  public static let null = LinkType(rawValue: 0)
  public static let ethernet = LinkType(rawValue: 1)
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

  /// Whether the IP packets inside can be found.
  public var isKnown: Bool {
    switch self {
    case .null, .ethernet, .raw, .rawOnMostSystems, .rawOnOpenBSD, .loop, .linuxCooked, .linuxCookedV2, .ipv4, .ipv6:
      true
    default: false
    }
  }
}

extension LinkType {
  /// Where the IP packet stands in a packet of this link type, padding included; nil when the packet is not IP.
  func networkPacket(in bytes: Span<UInt8>) -> Range<Int>? {
    switch self {
    case .ethernet: Self.network(in: bytes, etherTypeAt: 12, headerLength: 14)
    case .linuxCooked: Self.network(in: bytes, etherTypeAt: 14, headerLength: 16)
    case .linuxCookedV2: Self.network(in: bytes, etherTypeAt: 0, headerLength: 20)
    case .null, .loop: Self.network(behindFamilyIn: bytes)
    case .raw, .rawOnMostSystems, .rawOnOpenBSD, .ipv4, .ipv6: bytes.isEmpty ? nil : 0..<bytes.count
    default: nil
    }
  }

  /// Each tag is four bytes: two bytes of tag, then the type of what follows. Tags stack.
  private static func network(
    in bytes: Span<UInt8>, etherTypeAt typeOffset: Int, headerLength: Int
  ) -> Range<Int>? {
    var type = bytes.bigEndian16(at: typeOffset)
    var start = headerLength
    while type == EtherType.vlan || type == EtherType.serviceVLAN || type == EtherType.oldServiceVLAN {
      type = bytes.bigEndian16(at: start + 2)
      start += 4
    }
    guard type == EtherType.ipv4 || type == EtherType.ipv6, start < bytes.count else { return nil }
    return start..<bytes.count
  }

  /// The byte order is that of a machine nobody knows, but a family fits into one byte, so only one order makes sense.
  private static func network(behindFamilyIn bytes: Span<UInt8>) -> Range<Int>? {
    guard let family = bytes.bigEndian32(at: 0), bytes.count > 4 else { return nil }
    return isIPFamily(family) || isIPFamily(family.byteSwapped) ? 4..<bytes.count : nil
  }

  /// IPv4 is 2 everywhere; IPv6 is 10 on Linux, 24 on NetBSD and OpenBSD, 28 on FreeBSD, 30 on macOS.
  private static func isIPFamily(_ family: UInt32) -> Bool {
    switch family {
    case 2, 10, 24, 28, 30: true
    default: false
    }
  }

  private enum EtherType {
    static let ipv4: UInt16 = 0x0800
    static let ipv6: UInt16 = 0x86dd
    static let vlan: UInt16 = 0x8100
    static let serviceVLAN: UInt16 = 0x88a8
    static let oldServiceVLAN: UInt16 = 0x9100
  }
}

extension Span<UInt8> {
  /// Nil where the packet ends before the field does.
  func bigEndian16(at offset: Int) -> UInt16? {
    guard offset >= 0, offset <= count - 2 else { return nil }
    return UInt16(self[offset]) << 8 | UInt16(self[offset + 1])
  }

  func bigEndian32(at offset: Int) -> UInt32? {
    guard let high = bigEndian16(at: offset), let low = bigEndian16(at: offset + 2) else { return nil }
    return UInt32(high) << 16 | UInt32(low)
  }

  func bigEndian64(at offset: Int) -> UInt64? {
    guard let high = bigEndian32(at: offset), let low = bigEndian32(at: offset + 4) else { return nil }
    return UInt64(high) << 32 | UInt64(low)
  }
}
