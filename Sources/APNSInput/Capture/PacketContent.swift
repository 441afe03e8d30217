import Octets

/// The stream bytes that a captured packet carries, for code that rewrites the packet.
package enum PacketContent {
  case segment(CapturedSegment)
  /// Bytes of a stream, exported without TCP.
  case piece
  /// A fragment of an IP packet. Its contents are unknown without the other fragments.
  case fragment
  /// Another protocol, or invalid headers.
  case nothing

  /// - Parameter originalLength: See ``Reassembler/packet(_:originalLength:link:direction:origin:into:)``.
  package init(_ bytes: Span<UInt8>, originalLength: Int, link: LinkType) {
    self = .nothing
    switch link.payload(in: bytes) {
    case .chunk: self = .piece
    case .network(let network):
      guard let packet = IPPacket(bytes, in: network, sentEnd: originalLength),
        packet.payloadProtocol == IPPacket.tcp
      else { return }
      let segment = CapturedSegment(packet, network, isLower: link.sourceIsLower(in: bytes), in: bytes)
      if packet.fragment != nil { self = .fragment } else if let segment { self = .segment(segment) }
    case .damaged, .nothing: break
    }
  }
}

/// A TCP segment in a packet.
package struct CapturedSegment {
  package let tcp: TCPSegment
  package let window: UInt16
  /// Captured bytes of the TCP header.
  package let capturedHeaderSize: Int
  /// Whether the IPv4 header checksum is valid; nil for IPv6, which has none.
  package let hasValidHeaderChecksum: Bool?
  /// Whether the TCP checksum is valid; nil if bytes are missing.
  package let hasValidChecksum: Bool?

  /// The lower side sent the segment. If both endpoints are equal, the Ethernet addresses distinguish the sides.
  package let isLower: Bool

  fileprivate init?(_ packet: IPPacket, _ network: Range<Int>, isLower: Bool, in bytes: Span<UInt8>) {
    guard let tcp = TCPSegment(bytes, in: packet) else { return nil }
    (self.tcp, self.isLower) = (tcp, isLower)
    let start = packet.payload.lowerBound
    window = packet.payload.count >= 16 ? bytes.bigEndian16(at: start + 14) ?? 0 : 0
    capturedHeaderSize = tcp.payload.lowerBound - start
    if case .v4 = packet.source {
      hasValidHeaderChecksum = InternetChecksum.of(bytes.extracting(network.lowerBound..<start)) == 0
    } else {
      hasValidHeaderChecksum = nil
    }
    if packet.missing == 0, packet.payload.count >= 20 {
      let sum = InternetChecksum.pseudoHeader(packet.source, packet.destination, packet.payload.count)
      hasValidChecksum = InternetChecksum.of(bytes.extracting(packet.payload), from: sum) == 0
    } else {
      hasValidChecksum = nil
    }
  }
}

/// The ones' complement of the ones' complement sum of 16-bit words (RFC 1071).
package enum InternetChecksum {
  /// The checksum of `bytes`, or of a last part whose preceding parts (of even length) have the sum `start`. It is zero
  /// if the bytes include their own valid checksum.
  package static func of(_ bytes: Span<UInt8>, from start: Int = 0) -> UInt16 {
    var sum = start + words(bytes)
    while sum > 0xffff { sum = sum & 0xffff + sum >> 16 }
    return ~UInt16(sum)
  }

  /// The sum of the TCP pseudo-header. `count` is the length of the segment in bytes.
  package static func pseudoHeader(
    _ source: Endpoint.Address, _ destination: Endpoint.Address, _ count: Int
  ) -> Int {
    words((source.bytes + destination.bytes).span) + Int(IPPacket.tcp) + count & 0xffff + count >> 16
  }

  private static func words(_ bytes: Span<UInt8>) -> Int {
    bytes.indices.reduce(0) { $0 + Int(bytes[$1]) << ($1.isMultiple(of: 2) ? 8 : 0) }
  }
}
