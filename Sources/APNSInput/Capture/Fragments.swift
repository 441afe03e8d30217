/// Reassembles fragmented IP packets.
///
/// TCP avoids fragmentation, but tunnels and unusual routers cause it. If fragments overlap, the first one wins. A
/// fragment cut by the snap length is useless, because its missing bytes would be in the middle of the packet.
struct Fragments {
  private var packets: [Pending] = []

  /// Incomplete packets held at a time. When another one begins, the oldest is given up.
  static let limit = 64
  static let longestPayload = 65_535

  fileprivate struct Pending {
    var first: IPPacket
    /// Nil is a byte that has not arrived. This way the cost of a fragment depends only on its own size.
    var payload: [UInt8?] = []
    var presentCount = 0
    var end: Int?
    var pieces = 0

    func contains(_ packet: IPPacket) -> Bool {
      first.fragment?.identification == packet.fragment?.identification && first.source == packet.source
        && first.destination == packet.destination && first.payloadProtocol == packet.payloadProtocol
    }
  }

  var pieceCount: Int { packets.reduce(0) { $0 + $1.pieces } }

  /// Adds one fragment. Returns the packet and its payload if the fragment completes it.
  /// - Parameter lost: Is increased by the number of fragments given up.
  mutating func add(
    _ packet: IPPacket, _ fragment: IPPacket.Fragment, in bytes: Span<UInt8>, lost: inout Int
  ) -> (packet: IPPacket, payload: [UInt8])? {
    let range = fragment.offset..<(fragment.offset + packet.payload.count)
    guard packet.missing == 0, range.upperBound <= Self.longestPayload else {
      lost += 1
      return nil
    }
    let index = pending(for: packet, lost: &lost)
    packets[index].pieces += 1
    packets[index].insert(bytes.extracting(packet.payload), at: range.lowerBound)
    if fragment.isLast { packets[index].end = range.upperBound }
    // A longer payload contradicts the last fragment.
    guard let end = packets[index].end, packets[index].presentCount == end, packets[index].payload.count == end else {
      return nil
    }
    var whole = packets.remove(at: index)
    (whole.first.payload, whole.first.fragment) = (0..<end, nil)
    return (whole.first, whole.payload.compactMap(\.self))
  }

  private mutating func pending(for packet: IPPacket, lost: inout Int) -> Int {
    if let index = packets.firstIndex(where: { $0.contains(packet) }) { return index }
    if packets.count == Self.limit { lost += packets.removeFirst().pieces }
    packets.append(Pending(first: packet))
    return packets.count - 1
  }
}

extension Fragments.Pending {
  mutating func insert(_ bytes: Span<UInt8>, at start: Int) {
    let added = start + bytes.count - payload.count
    if added > 0 { payload += repeatElement(nil, count: added) }
    for index in bytes.indices where payload[start + index] == nil {
      payload[start + index] = bytes[index]
      presentCount += 1
    }
  }
}
