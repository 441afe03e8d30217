/// Where the IP packet begins in bytes of which nothing says what stands before it.
struct PacketStart {
  let link: LinkType
  /// Nil where TCP's ports are not there.
  let flow: Flow?

  /// From whom to whom.
  struct Flow: Hashable, Sendable {
    let source: Endpoint
    let destination: Endpoint
    var back: Flow { Flow(source: destination, destination: source) }
  }

  /// - Parameter known: What stood before the IP header of other packets, tried first.
  init?(_ bytes: [UInt8], after known: LinkType? = nil) {
    let candidates = (known.map { [$0] } ?? []) + Self.links
    let fitting = candidates.filter { Self.network(bytes, $0) != nil }
    // A length that fits exactly beats one that leaves padding or was cut.
    let best = fitting.first { link in
      Self.network(bytes, link).map { Self.length(bytes, $0) == bytes.count - $0 } == true
    }
    guard let link = best ?? fitting.first, let start = Self.network(bytes, link) else { return nil }
    self.link = link
    flow = Self.flow(bytes, start)
  }

  /// Whether this is surely a packet. A link header says that IP follows. Without one, the length has to be right or the
  /// TCP header has to make sense, since the date of a feedback tuple begins like IPv6.
  static func isPacket(_ bytes: [UInt8]) -> Bool {
    guard let packet = PacketStart(bytes), packet.flow != nil, let start = network(bytes, packet.link) else {
      return false
    }
    switch packet.link {
    case .raw, .null: return length(bytes, start) == bytes.count - start || hasTCP(bytes, transport(bytes, start))
    default: return true
    }
  }

  /// Whether a TCP header there makes sense; the packet may be cut.
  private static func hasTCP(_ bytes: [UInt8], _ start: Int) -> Bool {
    guard start + 14 <= bytes.count else { return false }
    let flags = TCPSegment.Flags(rawValue: bytes[start + 13] & 0x3f)
    let isOpening = flags.contains(.syn)
    return bytes[start + 12] >> 4 >= 5 && bytes[start + 12] & 0x0e == 0 && !flags.isEmpty
      && !(isOpening && (flags.contains(.fin) || flags.contains(.rst)))
  }

  private static let links: [LinkType] = [.raw, .ethernet, .linuxCooked, .linuxCookedV2, .null]

  /// Index of the IP header behind this link's header.
  private static func network(_ bytes: [UInt8], _ link: LinkType) -> Int? {
    let (start, type): (Int, Int?) =
      switch link {
      case .ethernet: (14, 12)
      case .linuxCooked: (16, 14)
      case .linuxCookedV2: (20, 0)
      case .null: (4, nil)
      default: (0, nil)
      }
    var place = start
    if let type {
      var typePlace = type
      // Tags of VLANs stand before the type of what follows.
      while let tag = number(bytes, typePlace), [0x8100, 0x88a8, 0x9100].contains(tag), place == typePlace + 2 {
        typePlace += 4
        place += 4
      }
      guard let found = number(bytes, typePlace), found == 0x0800 || found == 0x86dd else { return nil }
    }
    if link == .null {
      let family = bytes.prefix(4).reduce(0) { $0 | Int($1) }
      guard [2, 10, 24, 28, 30].contains(family) else { return nil }
    }
    guard place < bytes.count else { return nil }
    switch bytes[place] >> 4 {
    case 4:
      guard bytes[place] & 15 >= 5, place + 20 <= bytes.count, let total = length(bytes, place) else { return nil }
      return total == 0 || total >= 20 ? place : nil
    case 6: return place + 40 <= bytes.count ? place : nil
    default: return nil
    }
  }

  private static func length(_ bytes: [UInt8], _ start: Int) -> Int? {
    bytes[start] >> 4 == 4 ? number(bytes, start + 2) : number(bytes, start + 4).map { $0 + 40 }
  }

  private static func transport(_ bytes: [UInt8], _ start: Int) -> Int {
    start + (bytes[start] >> 4 == 4 ? Int(bytes[start] & 15) * 4 : 40)
  }

  private static func flow(_ bytes: [UInt8], _ start: Int) -> Flow? {
    let isV4 = bytes[start] >> 4 == 4
    let transport = transport(bytes, start)
    guard bytes[start + (isV4 ? 9 : 6)] == 6, let source = number(bytes, transport),
      let destination = number(bytes, transport + 2)
    else { return nil }
    func address(_ place: Int) -> Endpoint.Address {
      let high = bytes[(start + place)..<(start + place + (isV4 ? 4 : 8))].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      if isV4 { return .v4(UInt32(truncatingIfNeeded: high)) }
      let low = bytes[(start + place + 8)..<(start + place + 16)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return .v6(high: high, low: low)
    }
    return Flow(
      source: Endpoint(address: address(isV4 ? 12 : 8), port: UInt16(source)),
      destination: Endpoint(address: address(isV4 ? 16 : 24), port: UInt16(destination)))
  }

  private static func number(_ bytes: [UInt8], _ place: Int) -> Int? {
    place >= 0 && place + 2 <= bytes.count ? Int(bytes[place]) << 8 | Int(bytes[place + 1]) : nil
  }
}
