import APNSInput
import Octets

/// Reads a pcap or pcapng capture from an open file or a pipe, and hands its packets to a reassembler.
///
/// libpcap reads pcap; pcapng is read here, since libpcap takes only files whose interfaces are all alike.
///
/// Safe to use because the packet that is held is used up, or dropped, before anything else is read.
@safe public struct CaptureReader: ~Copyable {
  /// All packets read so far, whatever the filter says.
  public private(set) var packetCount = 0
  /// Of the packets so far that can be read, in the order in which they turned up.
  public private(set) var linkTypes: [LinkType] = []

  private let source: ByteSource
  private let input: Int
  /// One of the two.
  private var pcap: PcapFile?
  private var pcapng: PcapngReader?

  private var filters: PacketFilters?
  /// Read to see its time, and not handed on yet.
  private var held: CapturedPacket?
  /// Met while a packet was held ready.
  private var heldError: ReadError?
  /// By link type.
  private var unreadable: [LinkType: Int] = [:]
  /// Space for what is read next.
  private var chunk = [UInt8](repeating: 0, count: 1 << 18)

  /// - Parameters:
  ///   - filter: an expression of libpcap, as in `tcp port 2195`.
  ///   - input: which of several inputs this is, counted from 0.
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

  /// One whose packets can be read, and filtered.
  private static func pcapFile(
    _ source: ByteSource, _ filters: inout PacketFilters?, _ links: inout [LinkType]
  ) throws(ReadError) -> PcapFile {
    let file = try PcapFile(source)
    guard file.link.isKnown else { throw unknown(file.link) }
    _ = try filters?.filter(for: file.link)
    links = [file.link]
    return file
  }

  /// Reads to the end, or until the sink has seen enough. The reassembler is the caller's, and so is finishing it, also
  /// when this throws because the capture is cut or damaged: what could be read was handed on before.
  public mutating func read(
    into reassembler: inout Reassembler, _ sink: inout some StreamSink & ~Copyable
  ) throws(ReadError) {
    do throws(ReadError) { _ = try readPiece(.max, into: &reassembler, &sink) } catch {
      sink.breakOff()
      throw error
    }
  }

  /// Reads packets until their sizes add up to `bytes`; true if there are no more, or none are wanted. The caller breaks
  /// off the sink if this throws.
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
        // With what it takes to say where they came from.
        count += unsafe packet.count + 128
        unsafe try take(packet, into: &reassembler, &sink)
      }
      return false
    } catch {
      guard error.code != .badFilter, error.code != .unknownLinkType else { throw error }
      throw ReadError(error.code, "after packet \(packetCount): \(error.reason)", offset: error.offset)
    }
  }

  private func checkThatSomeWereReadable() throws(ReadError) {
    if packetCount > 0, unreadable.values.reduce(0, +) == packetCount {
      throw Self.unknown(mostUnreadable[0].key)
    }
  }

  /// Each packet that can be read, as it is, with its number in the origin and its length on the wire.
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

  /// When the first packet that was not handed on yet was captured, to put captures in order; nil where there is none,
  /// or no time beside it. Reads up to that packet.
  public mutating func firstPacketTime() -> CaptureTime? {
    do throws(ReadError) {
      if unsafe held == nil, heldError == nil { unsafe held = try nextPacket(pausing: {}) }
    } catch {
      heldError = error
    }
    return unsafe held?.time
  }

  /// What the capture says beside its streams, in one line; empty when there is nothing to say.
  public var remark: String {
    // A file may claim thousands of them.
    let named = mostUnreadable.prefix(3)
    var parts = named.map { link, count in
      "\(plural(count, "packet")) of the link type \(link.name) cannot be read"
    }
    let rest = mostUnreadable.dropFirst(named.count).reduce(0) { $0 + $1.value }
    if rest > 0 { parts.append("nor can \(rest) of other link types") }
    if let dropped = pcapng?.droppedPackets, dropped > 0 {
      parts.append("the capturing system dropped \(plural(Int(clamping: dropped), "packet", number: "\(dropped)"))")
    }
    if pcapng?.secrets[.tls] != nil { parts.append("the capture holds TLS secrets") }
    return parts.joined(separator: ", ")
  }
}

extension CaptureReader {
  private var mostUnreadable: [(key: LinkType, value: Int)] {
    unreadable.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
  }
}

/// A packet, wherever its bytes are.
@unsafe struct CapturedPacket {
  let link: LinkType
  /// Nil where the capture has none.
  let time: CaptureTime?
  let originalLength: Int
  var direction: PacketDirection?
  let storage: Storage

  /// Captured bytes.
  var count: Int {
    switch unsafe storage {
    case .library(let bytes): bytes.count
    case .block(let range): range.count
    }
  }

  @unsafe enum Storage {
    /// In a buffer that is libpcap's until its next packet is read.
    case library(UnsafeBufferPointer<UInt8>)
    /// In the buffer of the pcapng reader until that is given more.
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

  private mutating func take(
    _ packet: CapturedPacket, into reassembler: inout Reassembler, _ sink: inout some StreamSink & ~Copyable
  ) throws(ReadError) {
    let link = unsafe packet.link
    guard link.isKnown else {
      unreadable[link, default: 0] += 1
      return
    }
    if !linkTypes.contains(link) { linkTypes.append(link) }
    let filter = try filters?.filter(for: link)
    let origin = Origin.Packet(number: packetCount, time: unsafe packet.time, input: input)
    let length = unsafe packet.originalLength
    // The reassembler copies what it keeps.
    switch unsafe packet.storage {
    case .library(let bytes):
      let bytes = unsafe bytes.span
      guard filter?.matches(bytes, originalLength: length) ?? true else { return }
      reassembler.packet(bytes, originalLength: length, link: link, origin: origin, into: &sink)
    case .block(let range):
      guard let buffer = pcapng?.buffer else { return }
      let bytes = buffer.span.extracting(range)
      guard filter?.matches(bytes, originalLength: length) ?? true else { return }
      let direction = unsafe packet.direction
      reassembler.packet(
        bytes, originalLength: length, link: link, direction: direction, origin: origin, into: &sink)
    }
  }

  private static func unknown(_ link: LinkType) -> ReadError {
    ReadError(
      .unknownLinkType,
      "the link type \(link.name) is not supported; "
        + "convert the capture to Ethernet or raw IP, or extract the bytes and read them with --from raw")
  }
}
