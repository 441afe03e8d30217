import APNSInput
import Octets

/// Reads a pcap or pcapng capture from an open file or pipe, and passes its packets to a reassembler.
///
/// libpcap reads pcap files. pcapng files are read by `PcapngReader`, because libpcap requires that all interfaces of a
/// file have the same link type and resolution.
///
/// Safe, because the held packet is processed or dropped before anything else is read.
@safe public struct CaptureReader: ~Copyable {
  /// Number of packets read so far, including those that the filter drops.
  public private(set) var packetCount = 0
  /// Link types of the readable packets so far, in order of appearance.
  public private(set) var linkTypes: [LinkType] = []

  private let source: ByteSource
  private let input: Int
  /// Either this or `pcapng` is set.
  private var pcap: PcapFile?
  private var pcapng: PcapngReader?

  private var filters: PacketFilters?
  /// A packet that was read for its time and not processed yet.
  private var held: CapturedPacket?
  /// The error that occurred while reading `held`.
  private var heldError: ReadError?
  /// Number of unreadable packets by link type.
  private var unreadable: [LinkType: Int] = [:]
  /// The buffer for the next read.
  private var chunk = [UInt8](repeating: 0, count: 1 << 18)

  /// Opens a capture and reads its header.
  /// - Parameters:
  ///   - source: The file or pipe, from its first byte on.
  ///   - expression: A libpcap filter expression, such as `tcp port 2195`.
  ///   - input: Index of this capture among several inputs, counted from 0.
  /// - Throws: `ReadError` if the header is damaged, the link type is not supported, or the filter is invalid.
  public init(_ source: ByteSource, filter expression: String? = nil, input: Int = 0) throws(ReadError) {
    self.input = input
    while source.head.count < 4, try source.peekMore() {}
    let isPcapng = source.head.starts(with: pcapngMagic)
    var filters = expression.map { PacketFilters($0) }
    var links: [LinkType] = []
    pcap = isPcapng ? nil : try Self.pcapFile(source, &filters, &links)
    pcapng = isPcapng ? PcapngReader() : nil
    linkTypes = links
    self.source = source
    self.filters = filters
  }

  /// Opens a pcap file, and checks its link type and the filter.
  private static func pcapFile(
    _ source: ByteSource, _ filters: inout PacketFilters?, _ links: inout [LinkType]
  ) throws(ReadError) -> PcapFile {
    let file = try PcapFile(source)
    guard file.link.isKnown else { throw unknown(file.link) }
    try filters?.check(for: file.link)
    links = [file.link]
    return file
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
  public mutating func readPiece(
    _ bytes: Int, into reassembler: inout Reassembler, _ sink: inout some StreamSink & ~Copyable
  ) throws(ReadError) -> Bool {
    do throws(ReadError) {
      var count = 0
      while count < bytes {
        guard sink.wantsMore, let packet = unsafe try nextPacket(pausing: { sink.pause() }) else {
          try checkThatSomeWereReadable()
          return true
        }
        packetCount += 1
        // The packet's bytes plus the bookkeeping of their origin.
        count += unsafe packet.count + 128
        unsafe try process(packet, into: &reassembler, &sink)
      }
      return false
    } catch {
      guard error.code != .badFilter, error.code != .unknownLinkType else { throw error }
      throw ReadError(error.code, "after packet \(packetCount): \(error.reason)", offset: error.offset)
    }
  }

  private func checkThatSomeWereReadable() throws(ReadError) {
    if packetCount > 0, unreadable.values.reduce(0, +) == packetCount {
      throw Self.unknown(unreadableByCount[0].key)
    }
  }

  /// Calls `body` with each readable packet, its length on the wire, and its number in the origin.
  package mutating func forEachPacket(
    _ body: (Span<UInt8>, LinkType, _ originalLength: Int, PacketDirection?, Origin.Packet) -> Void
  ) throws(ReadError) {
    while let packet = unsafe try nextPacket(pausing: {}) {
      packetCount += 1
      let (link, length) = unsafe (packet.link, packet.originalLength)
      guard link.isKnown else { continue }
      let origin = Origin.Packet(number: packetCount, time: unsafe packet.time, input: input)
      switch unsafe packet.storage {
      case .library(let bytes): unsafe body(bytes.span, link, length, packet.direction, origin)
      case .block(let range):
        guard let buffer = pcapng?.buffer else { continue }
        unsafe body(buffer.span.extracting(range), link, length, packet.direction, origin)
      }
    }
  }

  /// The time of the first unprocessed packet, to put captures in order; nil if there is no such packet or it has no
  /// time. Reads up to that packet.
  public mutating func firstPacketTime() -> CaptureTime? {
    do throws(ReadError) {
      if unsafe held == nil, heldError == nil { unsafe held = try nextPacket(pausing: {}) }
    } catch {
      heldError = error
    }
    return unsafe held?.time
  }

  /// Remarks about the capture as a whole, in one line; empty if there are none.
  public var remark: String {
    // A file may contain thousands of link types.
    let named = unreadableByCount.prefix(3)
    var parts = named.map { link, count in
      "\(plural(count, "packet")) of the link type \(link.name) cannot be read"
    }
    let rest = unreadableByCount.dropFirst(named.count).reduce(0) { $0 + $1.value }
    if rest > 0 { parts.append("nor can \(rest) of other link types") }
    if let dropped = pcapng?.droppedPackets, dropped > 0 {
      parts.append("the capturing system dropped \(plural(Int(clamping: dropped), "packet", number: "\(dropped)"))")
    }
    if pcapng?.secrets[.tls] != nil { parts.append("the capture contains TLS secrets") }
    return parts.joined(separator: ", ")
  }
}

extension CaptureReader {
  private var unreadableByCount: [(key: LinkType, value: Int)] {
    unreadable.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
  }
}

/// A packet read by libpcap or by `PcapngReader`.
@unsafe struct CapturedPacket {
  let link: LinkType
  /// Nil if the capture does not record it.
  let time: CaptureTime?
  /// Length on the wire in bytes.
  let originalLength: Int
  var direction: PacketDirection?
  let storage: Storage

  /// Number of captured bytes.
  var count: Int {
    switch unsafe storage {
    case .library(let bytes): bytes.count
    case .block(let range): range.count
    }
  }

  /// Where the packet's bytes are.
  @unsafe enum Storage {
    /// In a buffer of libpcap, valid until the next packet is read.
    case library(UnsafeBufferPointer<UInt8>)
    /// A range of the pcapng reader's buffer, valid until the next `append`.
    case block(Range<Int>)
  }
}

extension CaptureReader {
  private mutating func nextPacket(pausing pause: () -> Void) throws(ReadError) -> CapturedPacket? {
    if let error = heldError { throw error }
    if let packet = unsafe held {
      unsafe held = nil
      return unsafe packet
    }
    if pcapng != nil { return unsafe try nextBlockPacket(pausing: pause) }
    if !source.isReady { pause() }
    return unsafe try pcap?.next()
  }

  private mutating func nextBlockPacket(pausing pause: () -> Void) throws(ReadError) -> CapturedPacket? {
    while true {
      if let packet = try pcapng?.next() {
        return unsafe CapturedPacket(
          link: packet.link, time: packet.time, originalLength: packet.originalLength,
          direction: packet.direction, storage: .block(packet.bytes))
      }
      if !source.isReady { pause() }
      let count = try source.read(into: &chunk)
      guard count > 0 else {
        if !source.wasInterrupted { try pcapng?.finish() }
        return nil
      }
      let read = chunk
      pcapng?.append(read.span.extracting(0..<count))
    }
  }

  private mutating func process(
    _ packet: CapturedPacket, into reassembler: inout Reassembler, _ sink: inout some StreamSink & ~Copyable
  ) throws(ReadError) {
    // The reassembler copies the bytes that it keeps.
    switch unsafe packet.storage {
    case .library(let bytes): try unsafe process(packet, bytes.span, into: &reassembler, &sink)
    case .block(let range):
      guard let buffer = pcapng?.buffer else { return }
      try unsafe process(packet, buffer.span.extracting(range), into: &reassembler, &sink)
    }
  }

  private mutating func process(
    _ packet: CapturedPacket, _ bytes: Span<UInt8>, into reassembler: inout Reassembler,
    _ sink: inout some StreamSink & ~Copyable
  ) throws(ReadError) {
    let (link, length) = unsafe (packet.link, packet.originalLength)
    let inner = link.inner(in: bytes)?.link ?? link
    guard inner.isKnown else {
      unreadable[inner, default: 0] += 1
      return
    }
    if !linkTypes.contains(link) { linkTypes.append(link) }
    guard try filters?.match(bytes, originalLength: length, link: link) ?? true else { return }
    let origin = Origin.Packet(number: packetCount, time: unsafe packet.time, input: input)
    reassembler.packet(
      bytes, originalLength: length, link: link, direction: unsafe packet.direction, origin: origin, into: &sink)
  }

  private static func unknown(_ link: LinkType) -> ReadError {
    ReadError(
      .unknownLinkType,
      "the link type \(link.name) is not supported; "
        + "convert the capture to Ethernet or raw IP, or extract the bytes and read them with --from raw")
  }
}
