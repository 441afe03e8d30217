import Octets

/// Writes a TCP packet over IP and Ethernet, with synthetic Ethernet addresses and without options or tags.
package struct PacketWriter: Sendable {
  package var route: ByteStream.Route
  package var sequence: UInt32 = 0
  package var acknowledgement: UInt32 = 0
  /// The flags byte of the TCP header.
  package var flags: UInt8 = 0
  package var window: UInt16 = 0xffff
  /// Payload bytes that count as sent but are not written.
  package var missing = 0
  /// Bytes of the TCP header to write; 20 is the complete header.
  package var headerSize = 20
  /// Whether the TCP checksum is valid; nil writes zero.
  package var hasValidChecksum: Bool? = true
  package var hasValidHeaderChecksum = true
  /// Selects the Ethernet addresses: each side has a fixed one.
  private let isFirstSide: Bool

  package init(on route: ByteStream.Route, isFirstSide: Bool) {
    self.route = route
    self.isFirstSide = isFirstSide
  }

  /// Returns the packet as captured, and its length on the wire in bytes.
  package func packet(_ payload: Span<UInt8>) -> (bytes: [UInt8], sent: Int) {
    var tcp: [UInt8] = []
    tcp.reserveCapacity(20 + payload.count)
    tcp.append(bigEndian: route.source.port)
    tcp.append(bigEndian: route.destination.port)
    tcp.append(bigEndian: sequence)
    tcp.append(bigEndian: acknowledgement)
    tcp += [0x50, flags]  // five words of header
    tcp.append(bigEndian: window)
    tcp.append(bigEndian: 0 as UInt32)  // checksum, urgent pointer
    tcp.append(contentsOf: payload)
    let (from, to) = addresses
    if let hasValidChecksum {
      let sum = InternetChecksum.pseudoHeader(from, to, tcp.count)
      tcp.put(InternetChecksum.of(tcp.span, from: sum), isValid: hasValidChecksum, at: 16)
    }
    let sent = tcp.count + missing
    let headers = ethernet(to) + network(from, to, count: sent)
    if headerSize < 20 { tcp.removeLast(20 - headerSize) }
    return (headers + tcp, headers.count + sent)
  }

  /// If one endpoint is IPv4 and the other IPv6, the IPv4 address is mapped to IPv6.
  private var addresses: (from: Endpoint.Address, to: Endpoint.Address) {
    let (from, to) = (route.source.address, route.destination.address)
    if case (.v4, .v4) = (from, to) { return (from, to) }
    return (from.mapped, to.mapped)
  }

  /// The Ethernet addresses are locally administered.
  private func ethernet(_ address: Endpoint.Address) -> [UInt8] {
    let sides: [[UInt8]] = [[2, 0, 0, 0x11, 0x11, 0x11], [2, 0, 0, 0x22, 0x22, 0x22]]
    let type: [UInt8] = if case .v4 = address { [0x08, 0x00] } else { [0x86, 0xdd] }
    return (isFirstSide ? sides[1] + sides[0] : sides[0] + sides[1]) + type
  }

  /// - Parameter count: Bytes of the TCP segment. If it exceeds the length field, the field is zero, as with
  ///   segmentation offload.
  private func network(_ from: Endpoint.Address, _ to: Endpoint.Address, count: Int) -> [UInt8] {
    var header: [UInt8] = []
    if case .v4 = from {
      header += [0x45, 0]
      header.append(bigEndian: UInt16(exactly: count + 20) ?? 0)
      header += [0, 0, 0x40, 0, 64, IPPacket.tcp, 0, 0]  // do not fragment; 64 hops
      header += from.bytes + to.bytes
      header.put(InternetChecksum.of(header.span), isValid: hasValidHeaderChecksum, at: 10)
    } else {
      header += [0x60, 0, 0, 0]
      header.append(bigEndian: UInt16(exactly: count) ?? 0)
      header += [IPPacket.tcp, 64]
      header += from.bytes + to.bytes
    }
    return header
  }
}

/// Writes the headers of a classic pcap file, little-endian, around packets.
package struct PcapWriter: Sendable {
  /// Whether times are in nanoseconds instead of microseconds.
  package let isNanosecondFile: Bool

  package init(isNanosecondFile: Bool) { self.isNanosecondFile = isNanosecondFile }

  package func header(_ link: LinkType, into out: inout [UInt8]) {
    out.append(littleEndian: isNanosecondFile ? 0xa1b2_3c4d : 0xa1b2_c3d4 as UInt32)
    out.append(littleEndian: 2 as UInt16)
    out.append(littleEndian: 4 as UInt16)
    out.append(littleEndian: 0 as UInt64)
    out.append(littleEndian: 262_144 as UInt32)  // the longest packet
    out.append(littleEndian: UInt32(link.inFiles.rawValue))
  }

  /// Bytes of the header of a file.
  package static let headerSize = 24

  /// - Parameters:
  ///   - sent: Bytes of the packet on the wire.
  ///   - seconds: Seconds since 1970, clamped to the range of pcap.
  package func packet(_ bytes: Span<UInt8>, sent: Int, seconds: Int, nanoseconds: Int, into out: inout [UInt8]) {
    out.append(littleEndian: UInt32(clamping: seconds))
    out.append(littleEndian: UInt32(clamping: isNanosecondFile ? nanoseconds : nanoseconds / 1000))
    out.append(littleEndian: UInt32(bytes.count))
    out.append(littleEndian: UInt32(clamping: max(bytes.count, sent)))
    out.append(contentsOf: bytes)
  }
}

extension Endpoint.Address {
  /// The IPv4-mapped IPv6 address; an IPv6 address is unchanged.
  fileprivate var mapped: Endpoint.Address {
    if case .v4(let address) = self { .v6(high: 0, low: 0xffff_0000_0000 | UInt64(address)) } else { self }
  }

  /// The bytes in network order.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    switch self {
    case .v4(let address): bytes.append(bigEndian: address)
    case .v6(let high, let low):
      bytes.append(bigEndian: high)
      bytes.append(bigEndian: low)
    }
    return bytes
  }
}

extension [UInt8] {
  fileprivate mutating func append(littleEndian value: some FixedWidthInteger & UnsignedInteger) {
    append(bigEndian: value.byteSwapped)
  }

  /// Writes a checksum, or one that is certain to be invalid.
  fileprivate mutating func put(_ sum: UInt16, isValid: Bool, at offset: Int) {
    let sum = isValid ? sum : sum ^ 0x0101
    self[offset] = UInt8(sum >> 8)
    self[offset + 1] = UInt8(sum & 0xff)
  }
}
