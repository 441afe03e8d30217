import Octets

/// What reassembly needs to know of a TCP segment.
struct TCPSegment {
  let sourcePort: UInt16
  let destinationPort: UInt16
  let sequence: UInt32
  let acknowledgement: UInt32
  let flags: Flags
  /// Where the captured part of the payload stands in the packet.
  let payload: Range<Int>
  /// Payload bytes that were sent but not captured; they stand behind the captured ones.
  let missing: Int

  struct Flags: OptionSet {
    let rawValue: UInt8
    static let fin = Flags(rawValue: 0x01)
    static let syn = Flags(rawValue: 0x02)
    static let rst = Flags(rawValue: 0x04)
    static let psh = Flags(rawValue: 0x08)
    static let ack = Flags(rawValue: 0x10)
  }

  /// Nil when the header is cut before its flags, or makes no sense.
  init?(_ bytes: Span<UInt8>, in packet: IPPacket) {
    let start = packet.payload.lowerBound
    guard packet.payload.count >= 14, let (sourcePort, destinationPort) = Self.ports(bytes, in: packet),
      let sequence = bytes.bigEndian32(at: start + 4), let acknowledgement = bytes.bigEndian32(at: start + 8)
    else { return nil }
    let headerLength = Int(bytes[start + 12] >> 4) * 4
    let sent = packet.payload.count + packet.missing
    guard headerLength >= 20, headerLength <= sent else { return nil }
    self.sourcePort = sourcePort
    self.destinationPort = destinationPort
    self.sequence = sequence
    self.acknowledgement = acknowledgement
    flags = Flags(rawValue: bytes[start + 13])
    payload = min(start + headerLength, packet.payload.upperBound)..<packet.payload.upperBound
    missing = sent - headerLength - payload.count
  }

  /// Also if the header is cut after them.
  static func ports(_ bytes: Span<UInt8>, in packet: IPPacket) -> (source: UInt16, destination: UInt16)? {
    let start = packet.payload.lowerBound
    guard packet.payload.count >= 4, let source = bytes.bigEndian16(at: start),
      let destination = bytes.bigEndian16(at: start + 2)
    else { return nil }
    return (source, destination)
  }

  /// Bytes of the stream that this segment stands for, captured or not.
  var length: Int { payload.count + missing }

  /// The number of the first payload byte: a SYN takes one number for itself.
  var firstByte: UInt32 { flags.contains(.syn) ? sequence &+ 1 : sequence }

  /// Some systems ask whether the peer still lives with one byte that was sent before. Written data is pushed.
  var mayBeKeepAlive: Bool {
    length == 1 && flags.contains(.ack) && flags.isDisjoint(with: [.psh, .syn, .fin, .rst])
  }
}
