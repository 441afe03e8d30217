import APNSInput
import Octets

/// Reads a pcap or pcapng capture from an open file or pipe, and passes its packets to a reassembler.
public struct CaptureReader: ~Copyable {
  /// Number of packets read so far, including those that the filter drops.
  package private(set) var packetCount = 0

  private let source: ByteSource
  private let input: Int
  private var file: any PacketReader = PcapReader()
  private var filters: PacketFilters?
  private var unreadable: [LinkType: Int] = [:]
  private var chunk = [UInt8](repeating: 0, count: 1 << 18)

  /// Opens a capture and reads its header.
  /// - Parameters:
  ///   - source: The file or pipe, from its first byte on.
  ///   - expression: A libpcap filter expression, such as `tcp port 2195`.
  ///   - input: Index of this capture among several inputs, counted from 0.
  /// - Throws: `ReadError` if the header is damaged, the link type is not supported, or the filter is invalid.
  public init(_ source: ByteSource, filter expression: String? = nil, input: Int = 0) throws(ReadError) {
    self.source = source
    self.input = input
    while source.head.count < 4, try source.peekMore() {}
    filters = expression.map { PacketFilters($0) }
    guard !source.head.starts(with: pcapngMagic) else {
      file = PcapngReader()
      return
    }
    // All packets of a pcap file have the link type in its header.
    var pcap = PcapReader()
    while pcap.link == nil, try pcap.fill(from: source, by: &chunk) { try pcap.readHeader() }
    file = pcap
    guard let link = pcap.link else { return }
    guard link.isKnown else { throw Self.unknown(link) }
    try filters?.check(for: link)
  }

  /// Reads to the end, or until the sink needs no more. The caller must finish the reassembler, even if this throws.
  /// - Throws: `ReadError` if the capture is cut or damaged; the packets before the damage have been processed.
  public mutating func read(
    into reassembler: inout Reassembler, _ sink: inout some StreamSink & ~Copyable
  ) throws(ReadError) {
    do throws(ReadError) { _ = try readPiece(.max, into: &reassembler, &sink) } catch {
      sink.breakOff()
      throw error
    }
  }

  /// Reads packets until their sizes add up to `bytes`. Returns true if there are no more packets or the sink needs
  /// none.
  /// - Throws: `ReadError` as ``read(into:_:)`` does; the caller must then call `breakOff` on the sink.
  package mutating func readPiece(
    _ bytes: Int, into reassembler: inout Reassembler, _ sink: inout some StreamSink & ~Copyable
  ) throws(ReadError) -> Bool {
    do throws(ReadError) {
      var count = 0
      while count < bytes {
        guard sink.wantsMore, let packet = try nextPacket(pausing: { sink.pause() }) else {
          if packetCount > 0, unreadable.values.reduce(0, +) == packetCount {
            throw Self.unknown(unreadableByCount[0].key)
          }
          return true
        }
        packetCount += 1
        // The packet's bytes plus the bookkeeping of their origin.
        count += packet.bytes.count + 128
        try process(packet, into: &reassembler, &sink)
      }
      return false
    } catch {
      guard error.code != .badFilter, error.code != .unknownLinkType else { throw error }
      throw ReadError(error.code, "after packet \(packetCount): \(error.reason)", offset: error.offset)
    }
  }

  /// Calls `body` with each readable packet, its length on the wire, and its number in the origin.
  package mutating func forEachPacket(
    _ body: (Span<UInt8>, LinkType, _ originalLength: Int, Origin.Packet) -> Void
  ) throws(ReadError) {
    while let packet = try nextPacket(pausing: {}) {
      packetCount += 1
      guard packet.link.isKnown else { continue }
      let buffer = file.buffer
      body(buffer.span.extracting(packet.bytes), packet.link, packet.originalLength, origin(of: packet))
    }
  }

  /// The time of the next packet, to put captures in order; nil if there is no such packet or it has no time.
  package mutating func nextPacketTime() -> CaptureTime? { (try? nextPacket(pausing: {}))?.time }

  /// Remarks about the capture as a whole, in one line; empty if there are none.
  public var remark: String {
    // A file may contain thousands of link types.
    let named = unreadableByCount.prefix(3)
    var parts = named.map { link, count in
      "\(plural(count, "packet")) of the link type \(link.name) cannot be read"
    }
    let rest = unreadableByCount.dropFirst(named.count).reduce(0) { $0 + $1.value }
    if rest > 0 { parts.append("nor can \(rest) of other link types") }
    let pcapng = file as? PcapngReader
    if let dropped = pcapng?.droppedPackets, dropped > 0 {
      parts.append("the capturing system dropped \(plural(Int(clamping: dropped), "packet", number: "\(dropped)"))")
    }
    if pcapng?.hasTLSSecrets == true { parts.append("the capture contains TLS secrets") }
    return parts.joined(separator: ", ")
  }
}

extension CaptureReader {
  private var unreadableByCount: [(key: LinkType, value: Int)] {
    unreadable.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
  }

  private mutating func nextPacket(pausing pause: () -> Void) throws(ReadError) -> CapturedPacket? {
    while true {
      if let packet = try file.next() { return packet }
      if !source.isReady { pause() }
      guard try file.fill(from: source, by: &chunk) else { return nil }
    }
  }

  private mutating func process(
    _ packet: CapturedPacket, into reassembler: inout Reassembler, _ sink: inout some StreamSink & ~Copyable
  ) throws(ReadError) {
    let buffer = file.buffer
    let bytes = buffer.span.extracting(packet.bytes)
    let (link, length) = (packet.link, packet.originalLength)
    let inner = link.inner(in: bytes)?.link ?? link
    guard inner.isKnown else {
      unreadable[inner, default: 0] += 1
      return
    }
    guard try filters?.match(bytes, originalLength: length, link: link) ?? true else { return }
    reassembler.packet(
      bytes, originalLength: length, link: link, direction: packet.direction, origin: origin(of: packet), into: &sink)
  }

  private func origin(of packet: CapturedPacket) -> Origin.Packet {
    Origin.Packet(number: packetCount, time: packet.time, input: input)
  }

  private static func unknown(_ link: LinkType) -> ReadError {
    ReadError(
      .unknownLinkType,
      "the link type \(link.name) is not supported; "
        + "convert the capture to Ethernet or raw IP, or extract the bytes and read them with --from raw")
  }
}

extension PacketReader {
  /// Appends the next chunk of the source. Returns false at the end.
  fileprivate mutating func fill(from source: ByteSource, by chunk: inout [UInt8]) throws(ReadError) -> Bool {
    let count = try source.read(into: &chunk)
    guard count > 0 else {
      if !source.wasInterrupted { try finish() }
      return false
    }
    append(chunk.span.extracting(0..<count))
    return true
  }
}
