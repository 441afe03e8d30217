import APNSInput
import Octets

/// Rewrites the packets of a capture with redacted bytes in their streams and with other addresses.
///
/// The result is classic pcap. TCP packets get Ethernet headers with synthetic addresses, without tags, padding, or IP
/// and TCP options. Sequence numbers, flags, times and cut lengths are preserved; checksums are valid or invalid as in
/// the original. Packets without TCP are omitted. A file of exported stream pieces becomes a file of exported pieces.
package struct CaptureRedaction: Sendable {
  /// The redacted capture file.
  package private(set) var bytes: [UInt8] = []
  /// Number of omitted packets.
  package private(set) var leftOut = 0
  /// Why the capture cannot be redacted, as a clause; nil if it can.
  package private(set) var refusal: String?

  private let log: StreamLog
  private let redacted: [[UInt8]]
  private let runs: [[StreamLog.LoggedStream.Run]]
  private let file: PcapWriter
  private let standIns: StandIns
  private var addresses: AddressStandIns
  /// For each packet number, the indices of its pieces in the log.
  private var piecesOfPacket: [Int: [Int]] = [:]
  /// For each direction, its streams, latest last, with the sequence number of their first byte.
  private var starts: [Route: [StreamStart]] = [:]
  /// How many streams a packet that delivered nothing may belong to: the latest of its route.
  private static let rememberedStarts = 64
  /// Whether the capture consists of exported pieces; nil before the first packet.
  private var isOfPieces: Bool?

  private struct Route: Hashable {
    let source: Endpoint
    let destination: Endpoint
  }

  private struct StreamStart {
    let stream: Int
    let start: UInt32
  }

  /// - Parameter redacted: The redacted bytes of each stream, in the order of the log.
  package init(_ log: StreamLog, redacted: [[UInt8]], _ standIns: StandIns) {
    self.log = log
    self.redacted = redacted
    self.standIns = standIns
    addresses = AddressStandIns(standIns)
    runs = log.streams.map(\.runs)
    file = PcapWriter(
      isNanosecondFile: log.streams.contains { $0.pieces.contains { $0.time?.digits ?? 6 > 6 } })
    for (index, piece) in log.pieces.enumerated() {
      if let packet = piece.packet { piecesOfPacket[packet, default: []].append(index) }
    }
  }
}

extension CaptureRedaction {
  /// Rewrites the next packet of the capture.
  package mutating func process(
    _ packet: Span<UInt8>, _ link: LinkType, originalLength: Int, _ direction: PacketDirection?, _ origin: Origin.Packet
  ) {
    switch PacketContent(packet, originalLength: originalLength, link: link, direction: direction) {
    case .nothing: leftOut += 1
    case .fragment:
      refuse(
        "packet \(origin.number) is a fragment of an IP packet, which cannot be redacted in place; redact "
          + "the streams: apnscope -T ndjson FILE | apnscope encode -T pcap -w PLAIN")
    case .segment(let segment):
      guard begins(ofPieces: false, origin) else { return }
      process(segment, packet, origin)
    case .piece(let piece):
      guard begins(ofPieces: true, origin) else { return }
      process(piece, packet, originalLength: originalLength, origin)
    }
  }

  /// Completes the file. A capture without packets still gets a file header.
  package mutating func finish() {
    if isOfPieces == nil { writeHeader(.ethernet) }
  }

  private mutating func refuse(_ reason: String) { refusal = refusal ?? reason }

  private mutating func begins(ofPieces: Bool, _ origin: Origin.Packet) -> Bool {
    if let isOfPieces {
      if isOfPieces != ofPieces {
        refuse(
          "packet \(origin.number) has another kind of link than the preceding ones; redact the streams: "
            + "apnscope -T ndjson FILE | apnscope encode -T pcap -w PLAIN")
      }
      return isOfPieces == ofPieces
    }
    isOfPieces = ofPieces
    writeHeader(ofPieces ? .upperPDU : .ethernet)
    return true
  }
}

// MARK: - Segments

extension CaptureRedaction {
  private mutating func process(_ segment: CapturedSegment, _ packet: Span<UInt8>, _ origin: Origin.Packet) {
    let payload = payload(of: segment, packet, origin)
    guard let source = addresses[segment.source.address], let destination = addresses[segment.destination.address]
    else { return refuse("there are more addresses than stand-ins for them") }
    var writer = PacketWriter(
      from: Endpoint(address: source, port: segment.source.port),
      to: Endpoint(address: destination, port: segment.destination.port), isFirstSide: segment.isLower)
    writer.sequence = segment.sequence
    writer.acknowledgement = segment.acknowledgement
    writer.flags = segment.flags
    writer.window = segment.window
    writer.missing = segment.missing
    writer.hasValidChecksum = segment.hasValidChecksum
    writer.hasValidHeaderChecksum = segment.hasValidHeaderChecksum ?? true
    // A header cut by the snap length is cut at the same size.
    writer.headerSize = min(max(segment.capturedHeaderSize, 14), 20)
    let written = writer.packet(payload.span)
    write(written.bytes, sent: written.sent, origin)
  }

  /// The redacted payload of a segment. If the packet delivered bytes, they give its position in the stream; otherwise
  /// its sequence number does.
  private mutating func payload(of segment: CapturedSegment, _ packet: Span<UInt8>, _ origin: Origin.Packet) -> [UInt8]
  {
    let original = segment.payload.map { packet[$0] }
    let route = Route(source: segment.source, destination: segment.destination)
    let first = segment.sequence &+ UInt32(segment.flags >> 1 & 1)
    if let piece = piecesOfPacket[origin.number]?.last.map({ log.pieces[$0] }) {
      // The delivered bytes are the end of the captured payload.
      let start = piece.range.upperBound - original.count
      if starts[route]?.last?.stream != piece.stream {
        let offset = UInt32(truncatingIfNeeded: streamOffset(start, piece.stream))
        starts[route, default: []].append(StreamStart(stream: piece.stream, start: first &- offset))
      }
      return standIn(original, in: piece.stream, at: start)
    }
    guard !original.isEmpty else { return [] }
    for place in (starts[route] ?? []).suffix(Self.rememberedStarts).reversed() {
      let offset = Int(Int32(bitPattern: first &- place.start))
      if let start = captured(offset, place.stream), start + original.count > 0, start < redacted[place.stream].count {
        return standIn(original, in: place.stream, at: start)
      }
    }
    return standIns.bytes(original)
  }

  /// The redacted bytes for `original`: those of the stream where it has the same bytes, and different ones where it
  /// differs.
  private func standIn(_ original: [UInt8], in stream: Int, at start: Int) -> [UInt8] {
    let (before, after) = (log.streams[stream].bytes, redacted[stream])
    var other = standIns.bytes(original)
    for index in original.indices {
      let place = start + index
      guard before.indices.contains(place) else { continue }
      if before[place] == original[index] {
        other[index] = after[place]
      } else if other[index] == after[place] {
        other[index] ^= 0x55
      }
    }
    return other
  }

  /// Converts an index of the captured bytes into a stream offset, which counts gaps.
  private func streamOffset(_ captured: Int, _ stream: Int) -> Int {
    var (count, offset) = (0, 0)
    for event in runs[stream] {
      if captured < count + event.bytes { break }
      count += event.bytes
      offset += event.bytes + event.gap
    }
    return offset + captured - count
  }

  /// Converts a stream offset into an index of the captured bytes; nil inside a gap.
  private func captured(_ offset: Int, _ stream: Int) -> Int? {
    var (count, start) = (0, 0)
    for event in runs[stream] {
      if offset < start + event.bytes { return count + offset - start }
      count += event.bytes
      start += event.bytes + event.gap
      if offset < start { return nil }
    }
    return count + offset - start
  }
}

// MARK: - Exported pieces

extension CaptureRedaction {
  private mutating func process(
    _ piece: CapturedPiece, _ packet: Span<UInt8>, originalLength: Int, _ origin: Origin.Packet
  ) {
    var out: [UInt8] = []
    if piece.isCumulative { out.append(tag: 12, Array("http".utf8)) }
    for (endpoint, isSource) in [(piece.source, true), (piece.destination, false)] {
      guard let endpoint else { continue }
      guard let address = addresses[endpoint.address] else {
        return refuse("there are more addresses than stand-ins for them")
      }
      let tag = if case .v4 = address { 20 } else { 22 }
      out.append(tag: isSource ? tag : tag + 1, address.bytes)
      out.append(tag: isSource ? 25 : 26, UInt32(endpoint.port))
    }
    if let direction = piece.direction { out.append(tag: 35, direction == .sent ? 0 : 1) }
    if let stream = piece.stream { out.append(tag: 39, stream) }
    out.append(tag: 0, [])
    let original = piece.payload.map { packet[$0] }
    var other = standIns.bytes(original)
    if let held = piecesOfPacket[origin.number]?.last.map({ log.pieces[$0] }) {
      other = standIn(original, in: held.stream, at: held.range.upperBound - original.count)
    } else if !original.isEmpty {
      return refuse("packet \(origin.number) repeats bytes of another one")
    }
    write(out + other, sent: out.count + other.count + max(0, originalLength - packet.count), origin)
  }
}

// MARK: - File

extension CaptureRedaction {
  private mutating func writeHeader(_ link: LinkType) { file.header(link, into: &bytes) }

  private mutating func write(_ packet: [UInt8], sent: Int, _ origin: Origin.Packet) {
    file.packet(
      packet.span, sent: sent, seconds: origin.time?.seconds ?? 0, nanoseconds: origin.time?.nanoseconds ?? 0,
      into: &bytes)
  }
}

/// Replacement addresses, always the same for the same address: IPv4 from 198.18.0.0/15, reserved for benchmarks (RFC
/// 2544), and IPv6 from 2001:db8::/32, reserved for documentation (RFC 3849).
private struct AddressStandIns {
  private let standIns: StandIns
  private var known: [Endpoint.Address: Endpoint.Address] = [:]
  private var taken: Set<UInt32> = []

  init(_ standIns: StandIns) { self.standIns = standIns }

  /// Nil if there are no more addresses.
  subscript(address: Endpoint.Address) -> Endpoint.Address? {
    mutating get {
      if let other = known[address] { return other }
      var chance = standIns.chance(.address, address.bytes)
      switch address {
      case .v4:
        guard taken.count < 1 << 16 else { return nil }
        var other: UInt32
        repeat { other = 0xc612_0000 | UInt32(chance.below(1 << 17)) } while !taken.insert(other).inserted
        known[address] = .v4(other)
      case .v6: known[address] = .v6(high: 0x2001_0db8_0000_0000 | chance.next() >> 32, low: chance.next())
      }
      return known[address]
    }
  }
}

extension [UInt8] {
  fileprivate mutating func append(tag: Int, _ value: [UInt8]) {
    append(bigEndian: UInt16(tag))
    append(bigEndian: UInt16(value.count))
    self += value
  }

  fileprivate mutating func append(tag: Int, _ value: UInt32) {
    var bytes: [UInt8] = []
    bytes.append(bigEndian: value)
    append(tag: tag, bytes)
  }
}
