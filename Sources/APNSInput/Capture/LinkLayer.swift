import Octets

/// What a captured packet is: a link type as capture files number it, and as libpcap does where the two differ.
public struct LinkType: RawRepresentable, Sendable, Hashable {
  public let rawValue: Int

  public init(rawValue: Int) { self.rawValue = rawValue }

  /// BSD loopback: the address family in the byte order of whoever captured.
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

  /// For private use, from DLT_USER0 to DLT_USER15. People who extract a stream wrap it in one of these.
  private static let userTypes = 147...162

  /// Whether what is inside can be found.
  public var isKnown: Bool {
    switch self {
    case .null, .ethernet, .ppp, .raw, .rawOnMostSystems, .rawOnOpenBSD, .loop, .linuxCooked, .linuxCookedV2, .ipv4,
      .ipv6, .netfilterLog, .upperPDU:
      true
    default: Self.userTypes.contains(rawValue)
    }
  }
}

/// What a packet of some link type holds.
enum LinkPayload {
  /// An IP packet, padding of the link included.
  case network(Range<Int>)
  case chunk(StreamChunk)
  /// The header is cut, or makes no sense.
  case damaged
  /// Neither.
  case nothing
}

extension LinkType {
  func payload(in bytes: Span<UInt8>) -> LinkPayload {
    switch self {
    case .ethernet: Self.network(in: bytes, etherTypeAt: 12, headerLength: 14)
    case .linuxCooked: Self.network(in: bytes, etherTypeAt: 14, headerLength: 16)
    case .linuxCookedV2: Self.network(in: bytes, etherTypeAt: 0, headerLength: 20)
    case .ppp: Self.network(behindPPPAt: 0, in: bytes)
    case .null, .loop: Self.network(behindFamilyIn: bytes)
    case .raw, .rawOnMostSystems, .rawOnOpenBSD, .ipv4, .ipv6: Self.network(at: 0, in: bytes)
    case .netfilterLog: Self.network(inAttributesOf: bytes)
    case .upperPDU: StreamChunk(exportedIn: bytes).map { .chunk($0) } ?? .damaged
    default:
      Self.userTypes.contains(rawValue) ? .chunk(StreamChunk(payload: 0..<bytes.count)) : .nothing
    }
  }

  private static func network(at start: Int, in bytes: Span<UInt8>) -> LinkPayload {
    start < bytes.count ? .network(start..<bytes.count) : .nothing
  }

  private static func network(
    in bytes: Span<UInt8>, etherTypeAt typeOffset: Int, headerLength: Int
  ) -> LinkPayload {
    var type = bytes.bigEndian16(at: typeOffset)
    var start = headerLength
    // Each tag is four bytes: two bytes of tag, then the type of what follows. Tags stack.
    while type == EtherType.vlan || type == EtherType.serviceVLAN || type == EtherType.oldServiceVLAN {
      type = bytes.bigEndian16(at: start + 2)
      start += 4
    }
    switch type {
    case EtherType.ipv4, EtherType.ipv6: return network(at: start, in: bytes)
    // Version, code, session and length stand before the PPP packet.
    case EtherType.pppoeSession: return network(behindPPPAt: start + 6, in: bytes)
    case EtherType.mpls: return network(behindLabelsAt: start, in: bytes)
    default: return .nothing
    }
  }

  /// Address and control may be left out, and so may the first byte of the protocol, which is zero then.
  private static func network(behindPPPAt start: Int, in bytes: Span<UInt8>) -> LinkPayload {
    var start = start
    if bytes.bigEndian16(at: start) == 0xff03 { start += 2 }
    guard start < bytes.count else { return .nothing }
    let isShort = bytes[start] & 1 == 1
    switch isShort ? UInt16(bytes[start]) : bytes.bigEndian16(at: start) {
    case 0x0021, 0x0057: return network(at: start + (isShort ? 1 : 2), in: bytes)
    default: return .nothing
    }
  }

  /// Labels do not tell what they are put on, but only IP begins with a 4 or a 6.
  private static func network(behindLabelsAt start: Int, in bytes: Span<UInt8>) -> LinkPayload {
    var start = start
    while let label = bytes.bigEndian32(at: start) {
      start += 4
      guard label & 0x100 != 0 else { continue }
      guard start < bytes.count, bytes[start] >> 4 == 4 || bytes[start] >> 4 == 6 else { return .nothing }
      return network(at: start, in: bytes)
    }
    return .nothing
  }

  /// The byte order is that of a machine nobody knows, but a family fits into one byte, so only one order makes sense.
  private static func network(behindFamilyIn bytes: Span<UInt8>) -> LinkPayload {
    guard let family = bytes.bigEndian32(at: 0) else { return .nothing }
    return isIPFamily(family) || isIPFamily(family.byteSwapped) ? network(at: 4, in: bytes) : .nothing
  }

  /// Behind family, version and resource stand attributes: a length that counts its own four bytes, a type, then data
  /// padded to four. Their byte order is again that of a machine nobody knows: the one in which they make sense.
  private static func network(inAttributesOf bytes: Span<UInt8>) -> LinkPayload {
    guard bytes.count >= 4 else { return .damaged }
    guard isIPFamily(UInt32(bytes[0])) else { return .nothing }
    for isSwapped in [true, false] {
      var start = 4
      while let length = bytes.bigEndian16(at: start), let type = bytes.bigEndian16(at: start + 2) {
        let length = Int(isSwapped ? length.byteSwapped : length)
        guard length >= 4 else { break }
        if (isSwapped ? type.byteSwapped : type) == 9 {
          let end = min(start + length, bytes.count)
          return start + 4 < end ? .network((start + 4)..<end) : .nothing
        }
        start += (length + 3) / 4 * 4
      }
    }
    return .nothing
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
    static let mpls: UInt16 = 0x8847
    static let pppoeSession: UInt16 = 0x8864
  }
}
