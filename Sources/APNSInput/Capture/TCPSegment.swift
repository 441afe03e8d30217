import Octets

/// The parts of a TCP segment that reassembly needs.
package struct TCPSegment {
  package let route: ByteStream.Route
  package let sequence: UInt32
  package let acknowledgement: UInt32
  package let flags: Flags
  /// The range of the captured payload in the packet.
  package let payload: Range<Int>
  /// Bytes after the captured payload that were sent but not captured.
  package let missing: Int

  package struct Flags: OptionSet {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    static let fin = Flags(rawValue: 0x01)
    static let syn = Flags(rawValue: 0x02)
    static let rst = Flags(rawValue: 0x04)
    static let psh = Flags(rawValue: 0x08)
    static let ack = Flags(rawValue: 0x10)
  }

  /// Nil if the header is cut before its flags, or is invalid.
  init?(_ bytes: Span<UInt8>, in packet: IPPacket) {
    let start = packet.payload.lowerBound
    guard packet.payload.count >= 14, let route = Self.route(bytes, in: packet),
      let sequence = bytes.bigEndian32(at: start + 4), let acknowledgement = bytes.bigEndian32(at: start + 8)
    else { return nil }
    let headerLength = Int(bytes[start + 12] >> 4) * 4
    let sent = packet.payload.count + packet.missing
    guard headerLength >= 20, headerLength <= sent else { return nil }
    self.route = route
    self.sequence = sequence
    self.acknowledgement = acknowledgement
    flags = Flags(rawValue: bytes[start + 13])
    payload = min(start + headerLength, packet.payload.upperBound)..<packet.payload.upperBound
    missing = sent - headerLength - payload.count
  }

  /// Sender and receiver, even if the header is cut after the ports.
  static func route(_ bytes: Span<UInt8>, in packet: IPPacket) -> ByteStream.Route? {
    let start = packet.payload.lowerBound
    guard packet.payload.count >= 4, let source = bytes.bigEndian16(at: start),
      let destination = bytes.bigEndian16(at: start + 2)
    else { return nil }
    return ByteStream.Route(
      source: Endpoint(address: packet.source, port: source),
      destination: Endpoint(address: packet.destination, port: destination))
  }

  /// Length of the payload on the wire in bytes, including bytes not captured.
  var length: Int { payload.count + missing }

  /// The sequence number of the first payload byte. A SYN occupies one sequence number.
  package var firstByte: UInt32 { flags.contains(.syn) ? sequence &+ 1 : sequence }

  /// Some systems send a keep-alive probe with one byte that was sent before. Application data has the PSH flag.
  var mayBeKeepAlive: Bool {
    length == 1 && flags.contains(.ack) && flags.isDisjoint(with: [.psh, .syn, .fin, .rst])
  }
}
