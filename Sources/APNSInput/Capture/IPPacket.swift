import Octets

/// The parts of an IP packet that TCP needs. Checksums are not verified: loopback and network cards with checksum
/// offloading leave them invalid.
struct IPPacket {
  let source: Endpoint.Address
  let destination: Endpoint.Address
  /// The protocol number of the payload; TCP is 6.
  let payloadProtocol: UInt8
  /// The range of the captured payload in the captured bytes, without link-layer padding.
  private(set) var payload: Range<Int>
  /// Bytes after the captured payload that were sent but not captured.
  let missing: Int
  /// Nil if the packet is not fragmented.
  private(set) var fragment: Fragment?

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
    guard network.lowerBound >= 0, network.upperBound <= bytes.count, !network.isEmpty else { return nil }
    switch bytes[network.lowerBound] >> 4 {
    case 4: self.init(v4: bytes, in: network, sentEnd: sentEnd)
    case 6: self.init(v6: bytes, in: network, sentEnd: sentEnd)
    default: return nil
    }
  }

  private init?(v4 bytes: Span<UInt8>, in network: Range<Int>, sentEnd: Int) {
    let start = network.lowerBound
    let headerLength = Int(bytes[start] & 0x0f) * 4
    guard headerLength >= 20, network.count >= 20,
      let totalLength = bytes.bigEndian16(at: start + 2),
      let fragment = bytes.bigEndian16(at: start + 6),
      let source = bytes.address(at: start + 12, size: 4),
      let destination = bytes.address(at: start + 16, size: 4)
    else { return nil }
    // With TCP segmentation offload, the total length is zero.
    let end = totalLength == 0 ? Self.end(sent: sentEnd, captured: network.upperBound) : start + Int(totalLength)
    let payloadStart = start + headerLength
    guard payloadStart <= end else { return nil }
    (self.source, self.destination) = (source, destination)
    payloadProtocol = bytes[start + 9]
    (payload, missing) = Self.split(payloadStart..<end, capturedEnd: network.upperBound)
    let isPiece = fragment & 0x3fff != 0  // "more fragments" or an offset
    let identification = UInt32(bytes.bigEndian16(at: start + 4) ?? 0)
    self.fragment =
      isPiece
      ? Fragment(
        identification: identification, offset: Int(fragment & 0x1fff) * 8, isLast: fragment & 0x2000 == 0) : nil
  }

  private init?(v6 bytes: Span<UInt8>, in network: Range<Int>, sentEnd: Int) {
    let start = network.lowerBound
    guard network.count >= 40,
      let payloadLength = bytes.bigEndian16(at: start + 4),
      let source = bytes.address(at: start + 8, size: 16),
      let destination = bytes.address(at: start + 24, size: 16)
    else { return nil }
    // The payload length of a jumbogram or an offloaded packet is zero.
    let end =
      payloadLength == 0
      ? Self.end(sent: sentEnd, captured: network.upperBound) : start + 40 + Int(payloadLength)
    let captured = min(end, network.upperBound)

    var next = bytes[start + 6]
    var position = start + 40
    var fragment: Fragment?
    while fragment == nil, ExtensionHeader.contains(next), position + 8 <= captured {
      // Only the first fragment contains the headers that follow. A fragment header may also describe a complete
      // packet.
      if next == ExtensionHeader.fragment, let field = bytes.bigEndian16(at: position + 2), field & 0xfff9 != 0 {
        fragment = Fragment(
          identification: bytes.bigEndian32(at: position + 4) ?? 0, offset: Int(field & 0xfff8),
          isLast: field & 1 == 0)
      }
      let length = next == ExtensionHeader.fragment ? 8 : (Int(bytes[position + 1]) + 1) * 8
      next = bytes[position]
      position += length
    }
    guard position <= end else { return nil }
    (self.source, self.destination) = (source, destination)
    payloadProtocol = next
    (payload, missing) = Self.split(position..<end, capturedEnd: network.upperBound)
    self.fragment = fragment
  }

  /// The reassembled packet that this complete fragment is a part of. `payload` is the range of its payload in another
  /// buffer.
  func reassembled(_ payload: Range<Int>) -> IPPacket {
    var packet = self
    (packet.payload, packet.fragment) = (payload, nil)
    return packet
  }

  /// The end of a packet whose length only the capture records. An excess of more than 1 MiB over the captured bytes is
  /// ignored as damage: no network card exceeds it, and it would become a gap of gigabytes.
  private static func end(sent: Int, captured: Int) -> Int {
    (captured...(captured + 1 << 20)).contains(sent) ? sent : captured
  }

  /// The captured part of a range, and the number of bytes not captured.
  private static func split(_ range: Range<Int>, capturedEnd: Int) -> (Range<Int>, missing: Int) {
    let start = min(range.lowerBound, capturedEnd)
    let end = min(range.upperBound, capturedEnd)
    return (start..<end, range.count - (end - start))
  }

  private enum ExtensionHeader {
    static let fragment: UInt8 = 44

    static func contains(_ next: UInt8) -> Bool {
      switch next {
      case 0, 43, fragment, 60: true  // hop-by-hop, routing, fragment, destination options
      default: false
      }
    }
  }
}

extension Span<UInt8> {
  /// The IP address in the 4 or 16 bytes at `offset`; nil if they are not all in the span.
  func address(at offset: Int, size: Int) -> Endpoint.Address? {
    if size == 4 { return bigEndian32(at: offset).map { .v4($0) } }
    guard let high = bigEndian64(at: offset), let low = bigEndian64(at: offset + 8) else { return nil }
    return .v6(high: high, low: low)
  }
}
