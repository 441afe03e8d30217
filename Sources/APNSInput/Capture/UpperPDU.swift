import Octets

/// The direction of a packet, seen from the capturing machine. It is all there is if a packet has no addresses.
public enum PacketDirection: Sendable, Hashable {
  /// The capturing machine sent the packet.
  case sent
  /// The capturing machine received the packet.
  case received
}

/// A piece of a stream that a packet carries without TCP.
struct StreamChunk: Hashable {
  /// The range of its bytes in the packet.
  var payload: Range<Int>
  var route: ByteStream.Route?
  /// The number that the exporting tool assigned to the TCP stream.
  var stream: UInt32?
  var direction: PacketDirection?
  /// Whether each piece begins with all bytes of the preceding one. Wireshark's HTTP dissector exports such pieces when
  /// it waits for the rest of what it considers a message. Other dissectors export each byte once.
  var isCumulative = false
}

extension StreamChunk {
  /// Parses a packet of Wireshark's "exported PDU" link type: attributes (tag, length and value, in network order),
  /// then the bytes. Nil if the attributes overrun the packet.
  init?(exportedIn bytes: Span<UInt8>, from start: Int) {
    self.init(payload: bytes.count..<bytes.count)
    var (source, destination) = (Peer(), Peer())
    var position = start
    while let tag = bytes.bigEndian16(at: position), let length = bytes.bigEndian16(at: position + 2) {
      let value = (position + 4)..<(position + 4 + Int(length))
      guard value.upperBound <= bytes.count else { return nil }
      position = value.upperBound
      switch (tag, value.count) {
      case (0, _):
        payload = position..<bytes.count
        if let source = source.endpoint, let destination = destination.endpoint {
          route = ByteStream.Route(source: source, destination: destination)
        }
        return
      case (12, _): isCumulative = bytes.holds("http".utf8, at: value.lowerBound, limit: value.upperBound)
      case (20, 4), (22, 16): source.address = bytes.address(at: value.lowerBound, size: value.count)
      case (21, 4), (23, 16): destination.address = bytes.address(at: value.lowerBound, size: value.count)
      case (25, 4): source.port = bytes.bigEndian32(at: value.lowerBound)
      case (26, 4): destination.port = bytes.bigEndian32(at: value.lowerBound)
      case (35, 4): direction = bytes.bigEndian32(at: value.lowerBound).flatMap { Self.directions[$0] }
      case (39, 4): stream = bytes.bigEndian32(at: value.lowerBound)
      default: break  // Wireshark defines more attributes, and new versions add some.
      }
    }
    return nil
  }

  private static let directions: [UInt32: PacketDirection] = [0: .sent, 1: .received]

  /// One endpoint, as far as the attributes describe it.
  private struct Peer {
    var address: Endpoint.Address?
    var port: UInt32?

    /// A missing address or port is the unspecified address or port 0. A port outside the range of TCP is ignored.
    var endpoint: Endpoint? {
      let port = port.flatMap { UInt16(exactly: $0) }
      guard address != nil || port != nil else { return nil }
      return Endpoint(address: address ?? .v4(0), port: port ?? 0)
    }
  }
}
