import Octets

/// Writes a packet of TCP: over IP and Ethernet, with made-up hardware addresses, without options and tags.
package struct PacketWriter: Sendable {
  let source: Endpoint
  let destination: Endpoint
  package var sequence: UInt32 = 0
  package var acknowledgement: UInt32 = 0
  /// As in the TCP header.
  package var flags: UInt8 = 0
  package var window: UInt16 = 0xffff
  /// Payload bytes that were sent, but are not written.
  package var missing = 0
  /// Of the TCP header that are written; 20 is all of it.
  package var headerSize = 20
  /// Nil writes zero.
  package var hasRightSum: Bool? = true
  package var hasRightHeaderSum = true
  /// Each side has its hardware address.
  private let isFirstSide: Bool

  package init(from source: Endpoint, to destination: Endpoint, isFirstSide: Bool) {
    self.source = source
    self.destination = destination
    self.isFirstSide = isFirstSide
  }

  /// The packet as captured, and how many bytes it had on the wire.
  package func packet(_ payload: Span<UInt8>) -> (bytes: [UInt8], sent: Int) {
    var tcp: [UInt8] = []
    tcp.reserveCapacity(20 + payload.count)
    tcp.append(bigEndian: source.port)
    tcp.append(bigEndian: destination.port)
    tcp.append(bigEndian: sequence)
    tcp.append(bigEndian: acknowledgement)
    tcp += [0x50, flags]  // five words of header
    tcp.append(bigEndian: window)
    tcp.append(bigEndian: 0 as UInt32)  // checksum, urgent pointer
    tcp.append(contentsOf: payload)
    let (from, to) = addresses
    if let hasRightSum {
      let sum = InternetChecksum.pseudoHeader(from, to, tcp.count)
      tcp.put(InternetChecksum.of(tcp.span, from: sum), isRight: hasRightSum, at: 16)
    }
    let sent = tcp.count + missing
    let headers = ethernet(to) + network(from, to, count: sent)
    if headerSize < 20 { tcp.removeLast(20 - headerSize) }
    return (headers + tcp, headers.count + sent)
  }

  /// In a conversation that mixes the two kinds, addresses of IPv4 are mapped to IPv6.
  private var addresses: (from: Endpoint.Address, to: Endpoint.Address) {
    if case (.v4, .v4) = (source.address, destination.address) { return (source.address, destination.address) }
    return (source.address.mapped, destination.address.mapped)
  }

  /// Hardware addresses are locally administered.
  private func ethernet(_ address: Endpoint.Address) -> [UInt8] {
    let sides: [[UInt8]] = [[2, 0, 0, 0x11, 0x11, 0x11], [2, 0, 0, 0x22, 0x22, 0x22]]
    let type: [UInt8] = if case .v4 = address { [0x08, 0x00] } else { [0x86, 0xdd] }
    return (isFirstSide ? sides[1] + sides[0] : sides[0] + sides[1]) + type
  }

  /// - Parameter count: bytes of TCP. A length that no header has room for, as network cards are handed it, is told by
  ///   zero.
  private func network(_ from: Endpoint.Address, _ to: Endpoint.Address, count: Int) -> [UInt8] {
    var header: [UInt8] = []
    if case .v4 = from {
      header += [0x45, 0]
      header.append(bigEndian: UInt16(exactly: count + 20) ?? 0)
      header += [0, 0, 0x40, 0, 64, IPPacket.tcp, 0, 0]  // do not fragment; 64 hops
      header += from.bytes + to.bytes
      header.put(InternetChecksum.of(header.span), isRight: hasRightHeaderSum, at: 10)
    } else {
      header += [0x60, 0, 0, 0]
      header.append(bigEndian: UInt16(exactly: count) ?? 0)
      header += [IPPacket.tcp, 64]
      header += from.bytes + to.bytes
    }
    return header
  }
}

/// Writes a capture file around packets: classic pcap, little-endian.
package struct PcapWriter: Sendable {
  /// Times are in nanoseconds, else in microseconds.
  package let isNanosecondFile: Bool

  package init(isNanosecondFile: Bool) { self.isNanosecondFile = isNanosecondFile }

  package func header(_ link: LinkType, into out: inout [UInt8]) {
    out.append(littleEndian: isNanosecondFile ? 0xa1b2_3c4d : 0xa1b2_c3d4 as UInt32)
    out.append(littleEndian: 2 as UInt16)
    out.append(littleEndian: 4 as UInt16)
    out.append(littleEndian: 0 as UInt64)
    out.append(littleEndian: 262_144 as UInt32)  // the longest packet
    out.append(littleEndian: UInt32(link.rawValue))
  }

  /// - Parameters:
  ///   - sent: bytes of the packet on the wire.
  ///   - seconds: since 1970; those that no pcap holds become the nearest ones.
  package func packet(_ bytes: [UInt8], sent: Int, seconds: Int, nanoseconds: Int, into out: inout [UInt8]) {
    out.append(littleEndian: UInt32(clamping: seconds))
    out.append(littleEndian: UInt32(clamping: isNanosecondFile ? nanoseconds : nanoseconds / 1000))
    out.append(littleEndian: UInt32(bytes.count))
    out.append(littleEndian: UInt32(clamping: max(bytes.count, sent)))
    out += bytes
  }
}

extension Endpoint.Address {
  /// IPv4 as IPv6.
  fileprivate var mapped: Endpoint.Address {
    if case .v4(let address) = self { .v6(high: 0, low: 0xffff_0000_0000 | UInt64(address)) } else { self }
  }

  /// In network order.
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

  /// A checksum, or one that is surely wrong.
  fileprivate mutating func put(_ sum: UInt16, isRight: Bool, at offset: Int) {
    let sum = isRight ? sum : sum ^ 0x0101
    self[offset] = UInt8(sum >> 8)
    self[offset + 1] = UInt8(sum & 0xff)
  }
}
