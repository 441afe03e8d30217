import APNSInput
import Octets

/// Writes a capture afresh: the same TCP packets in order, with their sizes, flags and times, but with redacted bytes
/// in their streams and made-up addresses.
///
/// The result is classic pcap. Packets get Ethernet headers, without tags, padding, or IP and TCP options. Checksums
/// are valid or invalid as in the original. Packets without TCP are omitted.
package struct CaptureRedaction: Sendable {
  /// The redacted capture file.
  package private(set) var bytes: [UInt8] = []
  /// Number of omitted packets.
  package private(set) var leftOut = 0
  /// Whether streams have bytes from IP fragments, or from packets without TCP headers, which only the streams contain.
  package private(set) var isIncomplete = false

  private let log: StreamLog
  private let redacted: [[UInt8]]
  private let standIns: StandIns
  private let file: PcapWriter
  private var addresses: AddressStandIns
  /// The pieces of each stream, in stream order.
  private var pieces: [[StreamLog.Piece]]
  /// The last piece that each packet delivered.
  private var delivered: [Int: StreamLog.Piece] = [:]
  /// The latest payload of each route that a stream has: its stream, its sequence number, and its offset.
  private var latest: [ByteStream.Route: (stream: Int, sequence: UInt32, offset: Int)] = [:]

  /// - Parameter redacted: The redacted bytes of each stream, in the order of the log.
  package init(_ log: StreamLog, redacted: [[UInt8]], _ standIns: StandIns) {
    self.log = log
    self.redacted = redacted
    self.standIns = standIns
    addresses = AddressStandIns(standIns)
    pieces = log.streams.map { _ in [] }
    for piece in log.pieces {
      pieces[piece.stream].append(piece)
      if let packet = piece.packet { delivered[packet.number] = piece }
    }
    file = PcapWriter(isNanosecondFile: log.pieces.contains { $0.packet?.time?.digits ?? 6 > 6 })
    file.header(.ethernet, into: &bytes)
  }

  /// Writes the next packet of the capture.
  package mutating func process(
    _ packet: Span<UInt8>, _ link: LinkType, originalLength: Int, _ origin: Origin.Packet
  ) {
    switch PacketContent(packet, originalLength: originalLength, link: link) {
    case .nothing: leftOut += 1
    case .fragment, .piece: isIncomplete = true
    case .segment(let segment, var writer):
      let payload = payload(of: segment, packet, origin)
      writer.route = addresses.route(segment.route)
      let written = writer.packet(payload.span)
      file.packet(
        written.bytes.span, sent: written.sent, seconds: origin.time?.seconds ?? 0,
        nanoseconds: origin.time?.nanoseconds ?? 0, into: &bytes)
    }
  }

  /// The redacted payload of a segment. Its place in the stream is that of the piece that it delivered; otherwise its
  /// sequence number says it.
  private mutating func payload(of segment: TCPSegment, _ packet: Span<UInt8>, _ origin: Origin.Packet) -> [UInt8] {
    let original = segment.payload.map { packet[$0] }
    let first = segment.firstByte
    if let piece = delivered[origin.number] {
      // The delivered bytes are the end of the captured payload.
      latest[segment.route] = (piece.stream, first, piece.offset + piece.range.count - original.count)
    }
    guard let (stream, sequence, offset) = latest[segment.route] else { return standIns.bytes(original) }
    return standIn(original, in: stream, at: offset + Int(Int32(bitPattern: first &- sequence)))
  }

  /// The redacted bytes for `original`: those of the stream where it has the same bytes, and different ones where it
  /// differs.
  private func standIn(_ original: [UInt8], in stream: Int, at offset: Int) -> [UInt8] {
    var other = standIns.bytes(original)
    let (pieces, before, after) = (pieces[stream], log.streams[stream].bytes, redacted[stream])
    let end = offset + original.count
    let first = pieces.partitioningIndex(where: { $0.offset + $0.range.count > offset })
    for piece in pieces[first...].prefix(while: { $0.offset < end }) {
      for place in max(piece.offset, offset)..<min(piece.offset + piece.range.count, end) {
        let captured = piece.range.lowerBound + place - piece.offset
        if before[captured] == original[place - offset] {
          other[place - offset] = after[captured]
        } else if other[place - offset] == after[captured] {
          other[place - offset] ^= 0x55
        }
      }
    }
    return other
  }
}

/// Replacement addresses, always the same for the same address: IPv4 from 198.18.0.0/15, reserved for benchmarks (RFC
/// 2544), and IPv6 from 2001:db8::/32, reserved for documentation (RFC 3849).
package struct AddressStandIns: Sendable {
  private let standIns: StandIns
  private var known: [Endpoint.Address: Endpoint.Address] = [:]
  private var used: Set<UInt32> = []

  package init(_ standIns: StandIns) { self.standIns = standIns }

  /// The route with other addresses and the same ports.
  package mutating func route(_ route: ByteStream.Route) -> ByteStream.Route {
    ByteStream.Route(source: standIn(for: route.source), destination: standIn(for: route.destination))
  }

  private mutating func standIn(for endpoint: Endpoint) -> Endpoint {
    let address = endpoint.address
    if let other = known[address] { return Endpoint(address: other, port: endpoint.port) }
    var shifts = standIns.shifts(.address, address.bytes)
    let other: Endpoint.Address
    switch address {
    case .v4:
      var number: UInt32
      // Once half of them are used, addresses may share one.
      repeat { number = 0xc612_0000 | UInt32(shifts.next() >> 47) } while used.contains(number) && used.count < 1 << 16
      used.insert(number)
      other = .v4(number)
    case .v6: other = .v6(high: 0x2001_0db8_0000_0000 | shifts.next() >> 32, low: shifts.next())
    }
    known[address] = other
    return Endpoint(address: other, port: endpoint.port)
  }
}
