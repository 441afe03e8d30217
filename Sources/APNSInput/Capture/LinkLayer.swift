import Octets

enum LinkPayload {
  /// The range of an IP packet, including link-layer padding.
  case network(Range<Int>)
  /// A piece of a stream, exported without TCP.
  case chunk(StreamChunk)
  /// The link-layer header is cut or invalid.
  case damaged
  /// Neither IP nor a piece of a stream.
  case nothing
}

extension LinkType {
  /// Whether apnscope can parse packets of this type.
  package var isKnown: Bool { contents(of: Span(), from: 0) != nil }

  func payload(in bytes: Span<UInt8>) -> LinkPayload {
    guard let (link, start) = inner(in: bytes) else { return .nothing }
    return link.contents(of: bytes, from: start) ?? .nothing
  }

  /// Nil if the link type is not supported. To add one, add a row here and its number to the list of types.
  private func contents(of bytes: Span<UInt8>, from start: Int) -> LinkPayload? {
    switch self {
    case .ethernet: Self.network(in: bytes, etherTypeAt: start + 12, headerEnd: start + 14)
    case .linuxCooked: Self.network(in: bytes, etherTypeAt: start + 14, headerEnd: start + 16)
    case .linuxCookedV2: Self.network(in: bytes, etherTypeAt: start, headerEnd: start + 20)
    case .ppp: Self.network(afterPPPAt: start, in: bytes)
    case .null, .loop: Self.network(afterFamilyAt: start, in: bytes)
    case .raw, .rawOnMostSystems, .rawOnOpenBSD, .ipv4, .ipv6: Self.network(at: start, in: bytes)
    case .netfilterLog: Self.network(inAttributesAt: start, of: bytes)
    case .upperPDU: StreamChunk(exportedIn: bytes, from: start).map { .chunk($0) } ?? .damaged
    // What follows a valid header is another link layer's.
    case .pktap: .damaged
    // DLT_USER0 to DLT_USER15, .user2 among them, for private use: often chosen to wrap an extracted stream.
    case _ where (147...162).contains(rawValue): .chunk(StreamChunk(payload: start..<bytes.count))
    default: nil
    }
  }
}

// MARK: - Finding the IP packet
extension LinkType {
  private static func network(at start: Int, in bytes: Span<UInt8>) -> LinkPayload {
    start < bytes.count ? .network(start..<bytes.count) : .nothing
  }

  private static func network(
    in bytes: Span<UInt8>, etherTypeAt typeOffset: Int, headerEnd: Int
  ) -> LinkPayload {
    var type = bytes.bigEndian16(at: typeOffset)
    var start = headerEnd
    // A VLAN tag has four bytes: two bytes of tag, then the type of what follows. Tags can be stacked.
    while [0x8100, 0x88a8, 0x9100].contains(type) {
      type = bytes.bigEndian16(at: start + 2)
      start += 4
    }
    switch type {
    // IPv4, IPv6
    case 0x0800, 0x86dd: return network(at: start, in: bytes)
    // MPLS
    case 0x8847: return network(afterLabelsAt: start, in: bytes)
    // Six bytes of PPPoE header (version, code, session, length) precede the PPP packet.
    case 0x8864: return network(afterPPPAt: start + 6, in: bytes)
    default: return .nothing
    }
  }

  /// PPP may omit address and control, and also the first byte of the protocol if it is zero.
  private static func network(afterPPPAt start: Int, in bytes: Span<UInt8>) -> LinkPayload {
    var start = start
    if bytes.bigEndian16(at: start) == 0xff03 { start += 2 }
    guard start < bytes.count else { return .nothing }
    let isShort = bytes[start] & 1 == 1
    switch isShort ? UInt16(bytes[start]) : bytes.bigEndian16(at: start) {
    case 0x0021, 0x0057: return network(at: start + (isShort ? 1 : 2), in: bytes)
    default: return .nothing
    }
  }

  /// MPLS labels do not name the protocol below them, but IP packets begin with the nibble 4 or 6.
  private static func network(afterLabelsAt start: Int, in bytes: Span<UInt8>) -> LinkPayload {
    var start = start
    while let label = bytes.bigEndian32(at: start) {
      start += 4
      guard label & 0x100 != 0 else { continue }
      guard start < bytes.count, bytes[start] >> 4 == 4 || bytes[start] >> 4 == 6 else { return .nothing }
      return network(at: start, in: bytes)
    }
    return .nothing
  }

  /// The family is in the byte order of the capturing machine. It fits into one byte, so only one byte order gives a
  /// valid family.
  private static func network(afterFamilyAt start: Int, in bytes: Span<UInt8>) -> LinkPayload {
    guard let family = bytes.bigEndian32(at: start) else { return .nothing }
    return isIPFamily(family) || isIPFamily(family.byteSwapped) ? network(at: start + 4, in: bytes) : .nothing
  }

  /// After family, version and resource come attributes: a length that includes its four-byte header, a type, then data
  /// padded to four bytes. They are in the byte order of the capturing machine, so both orders are tried.
  private static func network(inAttributesAt first: Int, of bytes: Span<UInt8>) -> LinkPayload {
    guard bytes.count >= first + 4 else { return .damaged }
    guard isIPFamily(UInt32(bytes[first])) else { return .nothing }
    for isSwapped in [true, false] {
      var start = first + 4
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

  /// AF_INET is 2 everywhere; AF_INET6 is 10 on Linux, 24 on NetBSD and OpenBSD, 28 on FreeBSD, 30 on macOS.
  private static func isIPFamily(_ family: UInt32) -> Bool { [2, 10, 24, 28, 30].contains(family) }
}
