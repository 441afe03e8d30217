import Octets

extension LinkType {
  /// Whether packets of this type may begin with Apple's PKTAP header.
  package var mayBePKTAP: Bool { self == .pktap || self == .user2 }

  /// The link type of the packet in Apple's PKTAP header, and where that packet starts; for other packets, this link
  /// type and 0. Nil if no packet follows the header. A damaged header, or one within another, is ``pktap``.
  ///
  /// The header has its length, the type of the record, the link type of the packet, then the interface and the
  /// process. Numbers are little-endian in files of both byte orders.
  ///
  /// Source: LINKTYPE_PKTAP (tcpdump.org), `net/pktap.h` of XNU.
  package func inner(in bytes: Span<UInt8>) -> (link: LinkType, start: Int)? {
    guard mayBePKTAP else { return (self, 0) }
    func number(at offset: Int) -> Int? { bytes.bigEndian32(at: offset).map { Int($0.byteSwapped) } }
    guard let length = number(at: 0), let record = number(at: 4),
      let link = number(at: 8).map(LinkType.init(rawValue:)), length >= Self.pktapHeaderLength, length <= bytes.count
    else { return (self, 0) }
    guard record == Self.pktapPacket else { return self == .pktap ? nil : (self, 0) }
    // A private link type may hold anything that begins like a header. Capture files have 16 bits for link types.
    if self == .user2, link.rawValue > 0xffff { return (self, 0) }
    return link.mayBePKTAP ? (.pktap, 0) : (link, length)
  }

  /// Bytes of a header; later systems may append fields.
  private static let pktapHeaderLength = 108
  /// The type of a record with a packet.
  private static let pktapPacket = 1
}
