import Octets

/// Writes streams as a capture of a TCP conversation that never was, for tools that read captures.
///
/// Classic pcap, little-endian, Ethernet, in nanoseconds if the first time has them and else in microseconds, with a handshake, acknowledgements and right checksums. Both
/// sides start at sequence number 0, so that a sequence number less one is the offset in the stream. The same calls
/// give the same bytes.
public struct CaptureWriter: Sendable {
  /// The largest payload of one packet.
  public static let segmentSize = 1460

  private var conversations: [Conversation] = []
  private var numbers: [EndpointPair: Int] = [:]
  private var clock = Clock()
  private var hasHeader = false
  private var isNanosecondFile = false
  /// Times that lost nanoseconds, because the file was begun in microseconds.
  public private(set) var cutTimes = 0
  /// Times outside the range of pcap, 1970 to 2106, moved to its nearest end.
  public private(set) var clampedTimes = 0

  public init() {}

  /// Writes bytes of one direction, in as many packets as they need.
  ///
  /// The first bytes of a conversation, whoever sends them, are preceded by its handshake. The side that talks to
  /// port 2195 or 2196 opens it, else the sender of the first bytes.
  /// - Parameter time: of all packets written by this call; without one, a millisecond after the packet before.
  public mutating func segment(
    _ bytes: Span<UInt8>, on route: ByteStream.Route, at time: CaptureTime?, into out: inout [UInt8]
  ) {
    if let time { set(time) }
    let (number, side) = conversation(on: route, into: &out)
    var start = 0
    while start < bytes.count {
      let end = min(start + Self.segmentSize, bytes.count)
      write([.psh, .ack], from: side, bytes.extracting(start..<end), in: number, into: &out)
      start = end
    }
    if time != nil { clock.release() }
  }

  private mutating func set(_ time: CaptureTime) {
    if !hasHeader { isNanosecondFile = time.digits == 9 }
    if !isNanosecondFile, time.nanoseconds % 1000 != 0 { cutTimes += 1 }
    if clock.set(time) { clampedTimes += 1 }
  }

  /// Leaves out `count` bytes of one direction: the capture will lack them.
  public mutating func gap(of count: Int, on route: ByteStream.Route, into out: inout [UInt8]) {
    let (number, side) = conversation(on: route, into: &out)
    conversations[number].skip(count, from: side)
  }

  /// Ends all conversations, in the order in which they began.
  public mutating func finish(into out: inout [UInt8]) {
    header(into: &out)
    for number in conversations.indices {
      let opener = conversations[number].opener
      for side in [opener, opener.opposite] { write([.fin, .ack], from: side, Span(), in: number, into: &out) }
      write(.ack, from: opener, Span(), in: number, into: &out)
    }
    conversations = []
    numbers = [:]
  }

  private mutating func header(into out: inout [UInt8]) {
    guard !hasHeader else { return }
    hasHeader = true
    out.append(littleEndian: isNanosecondFile ? 0xa1b2_3c4d : 0xa1b2_c3d4 as UInt32)
    out.append(littleEndian: 2 as UInt16)
    out.append(littleEndian: 4 as UInt16)
    out.append(littleEndian: 0 as UInt32)
    out.append(littleEndian: 0 as UInt32)
    out.append(littleEndian: 262_144 as UInt32)
    out.append(littleEndian: UInt32(LinkType.ethernet.rawValue))
  }

  private mutating func conversation(
    on route: ByteStream.Route, into out: inout [UInt8]
  ) -> (number: Int, sender: EndpointPair.Side) {
    header(into: &out)
    let (pair, sender) = EndpointPair.between(route.source, route.destination, isLower: true)
    if let number = numbers[pair] { return (number, sender) }
    let number = conversations.count
    let opener = pair.service?.opposite ?? sender
    conversations.append(Conversation(pair: pair, opener: opener))
    numbers[pair] = number
    write(.syn, from: opener, Span(), in: number, into: &out)
    write([.syn, .ack], from: opener.opposite, Span(), in: number, into: &out)
    write(.ack, from: opener, Span(), in: number, into: &out)
    return (number, sender)
  }

  private mutating func write(
    _ flags: TCPSegment.Flags, from side: EndpointPair.Side, _ payload: Span<UInt8>, in number: Int,
    into out: inout [UInt8]
  ) {
    let packet = conversations[number].packet(flags, from: side, payload)
    let (seconds, nanoseconds) = clock.tick()
    out.append(littleEndian: seconds)
    out.append(littleEndian: isNanosecondFile ? nanoseconds : nanoseconds / 1000)
    out.append(littleEndian: UInt32(packet.count))
    out.append(littleEndian: UInt32(packet.count))
    out += packet
  }
}

extension CaptureWriter {
  /// The time of the next packet, in nanoseconds.
  private struct Clock: Sendable {
    private var now = 0
    private var stands = false

    /// Whether the time had to be changed.
    mutating func set(_ time: CaptureTime) -> Bool {
      let seconds = max(0, min(time.seconds, Int(UInt32.max)))
      now = seconds * Self.second + time.nanoseconds
      stands = true
      return seconds != time.seconds
    }

    mutating func release() {
      stands = false
      now += Self.second / 1000
    }

    mutating func tick() -> (seconds: UInt32, nanoseconds: UInt32) {
      defer { if !stands { now += Self.second / 1000 } }
      return (UInt32(clamping: now / Self.second), UInt32(clamping: now % Self.second))
    }

    private static let second = 1_000_000_000
  }

  private struct Conversation: Sendable {
    let pair: EndpointPair
    let opener: EndpointPair.Side
    /// The next sequence number of each side.
    private var next: [UInt32] = [0, 0]

    init(pair: EndpointPair, opener: EndpointPair.Side) {
      self.pair = pair
      self.opener = opener
    }

    mutating func skip(_ count: Int, from side: EndpointPair.Side) {
      next[side.rawValue] &+= UInt32(truncatingIfNeeded: count)
    }

    mutating func packet(_ flags: TCPSegment.Flags, from side: EndpointPair.Side, _ payload: Span<UInt8>) -> [UInt8] {
      let route = pair.route(from: side)
      var segment: [UInt8] = []
      segment.append(bigEndian: route.source.port)
      segment.append(bigEndian: route.destination.port)
      segment.append(bigEndian: next[side.rawValue])
      segment.append(bigEndian: flags.contains(.ack) ? next[side.opposite.rawValue] : 0 as UInt32)
      segment.append(0x50)  // five words of header
      segment.append(flags.rawValue)
      segment.append(bigEndian: 0xffff as UInt16)  // window
      segment.append(bigEndian: 0 as UInt32)  // checksum, urgent pointer
      for index in 0..<payload.count { segment.append(payload[index]) }
      next[side.rawValue] &+= UInt32(payload.count) &+ (flags.isDisjoint(with: [.syn, .fin]) ? 0 : 1)
      return ethernet(from: side) + network(segment, on: route)
    }

    /// Locally administered addresses, as sslsplit makes them up.
    private func ethernet(from side: EndpointPair.Side) -> [UInt8] {
      let client: [UInt8] = [0x02, 0, 0, 0x11, 0x11, 0x11]
      let server: [UInt8] = [0x02, 0, 0, 0x22, 0x22, 0x22]
      let isV6 = pair.lower.isV6 || pair.upper.isV6
      return (side == opener ? server + client : client + server) + (isV6 ? [0x86, 0xdd] : [0x08, 0x00])
    }

    private func network(_ segment: [UInt8], on route: ByteStream.Route) -> [UInt8] {
      var header: [UInt8] = []
      let length = UInt16(segment.count)
      var addresses: [UInt8] = []
      if case .v4(let source) = route.source.address, case .v4(let destination) = route.destination.address {
        addresses.append(bigEndian: source)
        addresses.append(bigEndian: destination)
        header += [0x45, 0]
        header.append(bigEndian: length + 20)
        header += [0, 0, 0x40, 0, 64, IPPacket.tcp, 0, 0]  // do not fragment; 64 hops
        header += addresses
        header.put(checksum([header]), at: 10)
      } else {
        addresses += route.source.v6Bytes + route.destination.v6Bytes
        header += [0x60, 0, 0, 0]
        header.append(bigEndian: length)
        header += [IPPacket.tcp, 64]
        header += addresses
      }
      var pseudoHeader = addresses + [0, IPPacket.tcp]
      pseudoHeader.append(bigEndian: length)
      var segment = segment
      segment.put(checksum([pseudoHeader, segment]), at: 16)
      return header + segment
    }
  }
}

/// The ones' complement of the ones' complement sum of 16-bit words; only the last part may have an odd length.
private func checksum(_ parts: [[UInt8]]) -> UInt16 {
  var sum = 0
  for part in parts {
    for (index, byte) in part.enumerated() { sum += index.isMultiple(of: 2) ? Int(byte) << 8 : Int(byte) }
  }
  while sum > 0xffff { sum = sum & 0xffff + sum >> 16 }
  return ~UInt16(sum)
}

extension Endpoint {
  fileprivate var isV6: Bool {
    if case .v6 = address { true } else { false }
  }

  /// An IPv4 address in mapped form, for a conversation that mixes the two.
  fileprivate var v6Bytes: [UInt8] {
    var bytes: [UInt8] = []
    switch address {
    case .v4(let address):
      bytes.append(bigEndian: 0 as UInt64)
      bytes.append(bigEndian: 0xffff as UInt32)
      bytes.append(bigEndian: address)
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

  fileprivate mutating func put(_ value: UInt16, at offset: Int) {
    self[offset] = UInt8(value >> 8)
    self[offset + 1] = UInt8(value & 0xff)
  }
}
