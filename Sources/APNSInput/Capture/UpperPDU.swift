import Octets

/// Which way a packet went, as seen by whoever captured: all there is where a packet has no addresses.
public enum PacketDirection: Sendable, Hashable { case sent, received }

/// A piece of a stream that a packet holds as it is, without TCP around it.
struct StreamChunk: Hashable {
  /// Where its bytes stand in the packet.
  var payload: Range<Int>
  var source: Endpoint?
  var destination: Endpoint?
  /// The number that the exporting tool gave to the TCP stream.
  var stream: UInt32?
  var direction: PacketDirection?
  /// Where the name stands of whoever dissected the bytes.
  var dissector: Range<Int>?

  init(payload: Range<Int>) { self.payload = payload }
}

extension StreamChunk {
  /// Wireshark's HTTP dissector waits for more of what it takes for a message: then the next piece begins with all of this
  /// one. Others hand each byte on once.
  func isCumulative(in bytes: Span<UInt8>) -> Bool {
    dissector.map { bytes.extracting($0).begins(with: Array("http".utf8)) } ?? false
  }

  /// A packet of the link type that Wireshark exports: tag, length and value of each attribute, in network order, then
  /// the bytes. Nil when the attributes do not end within the packet.
  init?(exportedIn bytes: Span<UInt8>) {
    self.init(payload: bytes.count..<bytes.count)
    var (source, destination) = (Peer(), Peer())
    var position = 0
    while let tag = bytes.bigEndian16(at: position), let length = bytes.bigEndian16(at: position + 2) {
      let value = (position + 4)..<(position + 4 + Int(length))
      guard value.upperBound <= bytes.count else { return nil }
      position = value.upperBound
      switch (tag, value.count) {
      case (0, _):
        payload = position..<bytes.count
        self.source = source.endpoint
        self.destination = destination.endpoint
        return
      case (12, _): dissector = value
      case (20, 4): source.address = bytes.bigEndian32(at: value.lowerBound).map { .v4($0) }
      case (21, 4): destination.address = bytes.bigEndian32(at: value.lowerBound).map { .v4($0) }
      case (22, 16): source.address = bytes.v6Address(at: value.lowerBound)
      case (23, 16): destination.address = bytes.v6Address(at: value.lowerBound)
      case (25, 4): source.port = bytes.bigEndian32(at: value.lowerBound)
      case (26, 4): destination.port = bytes.bigEndian32(at: value.lowerBound)
      case (35, 4): direction = bytes.bigEndian32(at: value.lowerBound).flatMap(PacketDirection.init(tag:))
      case (39, 4): stream = bytes.bigEndian32(at: value.lowerBound)
      default: break  // there are more, and newer versions add to them
      }
    }
    return nil
  }

  /// One side, as far as it is told.
  private struct Peer {
    var address: Endpoint.Address?
    var port: UInt32?

    /// What is left untold is the unspecified address or port 0. A port that TCP does not have is none.
    var endpoint: Endpoint? {
      let port = port.flatMap { UInt16(exactly: $0) }
      guard address != nil || port != nil else { return nil }
      return Endpoint(address: address ?? .v4(0), port: port ?? 0)
    }
  }
}

extension PacketDirection {
  fileprivate init?(tag number: UInt32) {
    switch number {
    case 0: self = .sent
    case 1: self = .received
    default: return nil
    }
  }
}

extension Span<UInt8> {
  func begins(with start: [UInt8]) -> Bool {
    count >= start.count && start.indices.allSatisfy { self[$0] == start[$0] }
  }

  fileprivate func v6Address(at offset: Int) -> Endpoint.Address? {
    guard let high = bigEndian64(at: offset), let low = bigEndian64(at: offset + 8) else { return nil }
    return .v6(high: high, low: low)
  }
}
