import Octets

/// The stream bytes that a captured packet carries, for code that rewrites the packet.
package enum PacketContent {
  /// A TCP segment, and a writer of packets like its own.
  case segment(TCPSegment, PacketWriter)
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
      if packet.fragment != nil {
        self = .fragment
      } else if let segment = TCPSegment(bytes, in: packet) {
        // If both endpoints are equal, the Ethernet addresses distinguish the sides.
        var writer = PacketWriter(on: segment.route, isFirstSide: link.sourceIsLower(in: bytes))
        writer.copy(segment, packet, from: network.lowerBound, in: bytes)
        self = .segment(segment, writer)
      }
    case .damaged, .nothing: break
    }
  }
}

extension PacketWriter {
  /// Prepares to write a packet like a captured one whose IP header starts at `start`: with its numbers, flags and
  /// sizes, and with valid checksums where it has them.
  fileprivate mutating func copy(_ tcp: TCPSegment, _ packet: IPPacket, from start: Int, in bytes: Span<UInt8>) {
    let (header, count) = (packet.payload.lowerBound, packet.payload.count)
    (sequence, acknowledgement, flags, missing) = (tcp.sequence, tcp.acknowledgement, tcp.flags.rawValue, tcp.missing)
    window = count >= 16 ? bytes.bigEndian16(at: header + 14) ?? 0 : 0
    // A header cut by the snap length is cut at the same size.
    headerSize = min(max(tcp.payload.lowerBound - header, 14), 20)
    if case .v4 = packet.source {
      hasValidHeaderChecksum = InternetChecksum.of(bytes.extracting(start..<header)) == 0
    }
    // It is not known where bytes are missing.
    hasValidChecksum = nil
    guard packet.missing == 0, count >= 20 else { return }
    let sum = InternetChecksum.pseudoHeader(packet.source, packet.destination, count)
    hasValidChecksum = InternetChecksum.of(bytes.extracting(packet.payload), from: sum) == 0
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
