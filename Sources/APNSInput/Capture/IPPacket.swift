import Octets

/// The parts of an IP packet that TCP needs. Checksums are not verified: loopback and network cards with checksum
/// offloading leave them invalid.
struct IPPacket {
  let source: Endpoint.Address
  let destination: Endpoint.Address
  /// The protocol number of the payload; TCP is 6.
  let payloadProtocol: UInt8
  /// The range of the captured payload in the captured bytes, without link-layer padding.
  var payload: Range<Int>
  /// Bytes after the captured payload that were sent but not captured.
  let missing: Int
  /// Nil if the packet is not fragmented.
  var fragment: Fragment?

  struct Fragment {
    /// The same number in all fragments of a packet.
    let identification: UInt32
    /// Offset of this fragment in the complete payload, in bytes.
    let offset: Int
    let isLast: Bool
  }

  static let tcp: UInt8 = 6

  /// Nil if the header is cut or invalid.
  /// - Parameter sentEnd: The index at which the packet ended on the wire. It lies beyond the captured bytes if the
  ///   packet was cut.
  init?(_ bytes: Span<UInt8>, in network: Range<Int>, sentEnd: Int) {
    let start = network.lowerBound
    let isV4 = bytes[start] >> 4 == 4
    let (addresses, size) = isV4 ? (start + 12, 4) : (start + 8, 16)
    guard isV4 || bytes[start] >> 4 == 6, network.count >= (isV4 ? 20 : 40),
      let length = bytes.bigEndian16(at: start + (isV4 ? 2 : 4)),
      let source = bytes.address(at: addresses, size: size),
      let destination = bytes.address(at: addresses + size, size: size)
    else { return nil }
    // The length of an offloaded packet or a jumbogram is zero.
    let end =
      length == 0
      ? Self.end(sent: sentEnd, captured: network.upperBound) : start + Int(length) + (isV4 ? 0 : 40)
    let header =
      isV4
      ? Self.header(v4: bytes, at: start)
      : Self.header(v6: bytes, at: start, capturedEnd: min(end, network.upperBound))
    guard let header, header.end <= end else { return nil }
    (self.source, self.destination) = (source, destination)
    (payloadProtocol, fragment) = (header.next, header.fragment)
    payload = min(header.end, network.upperBound)..<min(end, network.upperBound)
    missing = end - header.end - payload.count
  }

  /// Where a header ends, the protocol of what follows it, and the fragment that it describes.
  private typealias Header = (end: Int, next: UInt8, fragment: Fragment?)

  private static func header(v4 bytes: Span<UInt8>, at start: Int) -> Header? {
    let length = Int(bytes[start] & 0x0f) * 4
    guard length >= 20, let field = bytes.bigEndian16(at: start + 6) else { return nil }
    let isPiece = field & 0x3fff != 0  // "more fragments" or an offset
    let fragment = Fragment(
      identification: UInt32(bytes.bigEndian16(at: start + 4) ?? 0), offset: Int(field & 0x1fff) * 8,
      isLast: field & 0x2000 == 0)
    return (start + length, bytes[start + 9], isPiece ? fragment : nil)
  }

  private static func header(v6 bytes: Span<UInt8>, at start: Int, capturedEnd: Int) -> Header? {
    var header: Header = (start + 40, bytes[start + 6], nil)
    while header.fragment == nil, extensionHeaders.contains(header.next), header.end + 8 <= capturedEnd {
      let (position, isFragment) = (header.end, header.next == fragmentHeader)
      // Only the first fragment contains the headers that follow. A fragment header may also describe a complete
      // packet.
      if isFragment, let field = bytes.bigEndian16(at: position + 2), field & 0xfff9 != 0 {
        header.fragment = Fragment(
          identification: bytes.bigEndian32(at: position + 4) ?? 0, offset: Int(field & 0xfff8),
          isLast: field & 1 == 0)
      }
      (header.next, header.end) = (bytes[position], position + (isFragment ? 8 : (Int(bytes[position + 1]) + 1) * 8))
    }
    return header
  }

  /// The end of a packet whose length only the capture records. An excess of more than 1 MiB over the captured bytes is
  /// ignored as damage: no network card exceeds it, and it would become a gap of gigabytes.
  static func end(sent: Int, captured: Int) -> Int {
    (captured...(captured + 1 << 20)).contains(sent) ? sent : captured
  }

  private static let fragmentHeader: UInt8 = 44
  /// Hop-by-hop, routing, fragment, destination options.
  private static let extensionHeaders: Set<UInt8> = [0, 43, fragmentHeader, 60]
}

extension Span<UInt8> {
  /// The IP address in the 4 or 16 bytes at `offset`; nil if they are not all in the span.
  func address(at offset: Int, size: Int) -> Endpoint.Address? {
    if size == 4 { return bigEndian32(at: offset).map { .v4($0) } }
    guard let high = bigEndian(at: offset, width: 8), let low = bigEndian(at: offset + 8, width: 8) else { return nil }
    return .v6(high: high, low: low)
  }
}
