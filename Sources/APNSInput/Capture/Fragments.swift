/// IP packets that came in pieces, until they are whole.
///
/// TCP avoids them, tunnels and odd routers make them. Of bytes that come twice the first ones count. A piece that the
/// snap length cut cannot be used: what it lacks would be missing in the middle.
struct Fragments {
  private var packets: [Pending] = []

  /// Packets in pieces at a time; the oldest is given up for another.
  static let limit = 64
  /// No IP packet is longer.
  static let longestPayload = 65_535

  fileprivate struct Pending {
    let first: IPPacket
    let identification: UInt32
    var payload: [UInt8] = []
    /// Of each byte of the payload. Adding a fragment then costs its bytes alone, however many there are.
    var isPresent: [Bool] = []
    var presentCount = 0
    var end: Int?
    var pieces = 0

    func isOf(_ packet: IPPacket, _ fragment: IPPacket.Fragment) -> Bool {
      identification == fragment.identification && first.source == packet.source
        && first.destination == packet.destination && first.payloadProtocol == packet.payloadProtocol
    }
  }

  /// Pieces that wait for others.
  var pieceCount: Int { packets.reduce(0) { $0 + $1.pieces } }

  /// Takes one piece. Returns the packet and its payload when that makes it whole; `lost` counts pieces given up.
  mutating func take(
    _ packet: IPPacket, _ fragment: IPPacket.Fragment, in bytes: Span<UInt8>, lost: inout Int
  ) -> (packet: IPPacket, payload: [UInt8])? {
    let range = fragment.offset..<(fragment.offset + packet.payload.count)
    guard packet.missing == 0, range.upperBound <= Self.longestPayload else {
      lost += 1
      return nil
    }
    let index = pending(for: packet, fragment, lost: &lost)
    packets[index].pieces += 1
    packets[index].place(bytes.extracting(packet.payload), at: range.lowerBound)
    if fragment.isLast { packets[index].end = range.upperBound }
    guard let end = packets[index].end, packets[index].isWhole(end) else { return nil }
    let whole = packets.remove(at: index)
    return (IPPacket(whole.first, wholePayload: 0..<end), whole.payload)
  }

  private mutating func pending(
    for packet: IPPacket, _ fragment: IPPacket.Fragment, lost: inout Int
  ) -> Int {
    if let index = packets.firstIndex(where: { $0.isOf(packet, fragment) }) { return index }
    if packets.count == Self.limit { lost += packets.removeFirst().pieces }
    packets.append(Pending(first: packet, identification: fragment.identification))
    return packets.count - 1
  }
}

extension Fragments.Pending {
  func isWhole(_ end: Int) -> Bool { presentCount == end && payload.count == end }

  mutating func place(_ bytes: Span<UInt8>, at start: Int) {
    let added = start + bytes.count - payload.count
    if added > 0 {
      payload += repeatElement(0, count: added)
      isPresent += repeatElement(false, count: added)
    }
    for index in bytes.indices where !isPresent[start + index] {
      payload[start + index] = bytes[index]
      isPresent[start + index] = true
      presentCount += 1
    }
  }
}
