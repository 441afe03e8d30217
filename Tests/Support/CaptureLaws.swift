import APNSInput
import Octets

/// Laws for arbitrary captures.
extension Law {
  /// Reading never traps, and the boundaries of chunks do not affect the result.
  static func captureFile(_ bytes: [UInt8]) -> String? {
    // As a pcap file, after the header of one, and in packets that end in the middle of the bytes.
    let header: [UInt8] =
      [0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0] + [UInt8](repeating: 0, count: 8) + [40, 0, 0, 0, 1, 0, 0, 0]
    let lengths = [UInt8(clamping: bytes.count / 2), 0, 0, 0]
    let packet = [UInt8](repeating: 9, count: 8) + lengths + lengths + bytes
    for input in [bytes, header + bytes, header + packet + packet] {
      if let problem = piecesDiffer(input, PcapReader()) { return problem }
    }
    var file = PcapngFile(bigEndian: bytes.first ?? 0 > 127)
    file.interface(link: 1, snapLength: 40)
    file.packet(Array(bytes.prefix(30)))
    // As a separate file, as blocks after valid ones, and as the body of a complete block.
    var block = file
    block.block(UInt32(bytes.count % 8), bytes)
    block.packet([1])
    for input in [bytes, file.bytes + bytes, block.bytes] {
      if let problem = piecesDiffer(input, PcapngReader()) { return problem }
    }
    return nil
  }

  private static func piecesDiffer(_ input: [UInt8], _ reader: some PacketReader) -> String? {
    let whole = CapturedPackets(input, by: reader)
    for size in [1, 7, 64] {
      let pieces = CapturedPackets(input, pieces: size, by: reader)
      if pieces != whole { return "\(pieces) in pieces of \(size), \(whole) in one" }
    }
    return nil
  }

  /// Every packet of any link type is read or counted, and streams are opened, filled and closed in this order.
  static func link(_ bytes: [UInt8]) -> String? {
    for link in [0, 1, 9, 101, 108, 113, 147, 149, 239, 252, 258, 276] {
      var reassembler = Reassembler()
      var sink = OrderChecker()
      // Headers that lead to the bytes through each parser, because random bytes rarely form them.
      let ways: [[UInt8]] = [
        [], blank(12) + [0x88, 0x64], blank(12) + [0x88, 0x47], blank(12) + [0x81, 0], [2, 0, 0, 0],
        [0, 20, 0, 4, 10, 0, 0, 1, 0, 21, 0, 4, 10, 0, 0, 2], [0, 0, 0, 0], pktap([], link: 1), pktap([], link: 252),
      ]
      for (index, way) in ways.enumerated() {
        let packet = way + bytes
        let origin = Origin.Packet(number: index + 1, time: CaptureTime(seconds: 0, nanoseconds: 0, digits: 6))
        reassembler.packet(
          packet.span, originalLength: packet.count + index * 1000, link: LinkType(rawValue: link), origin: origin,
          into: &sink)
      }
      reassembler.finish(into: &sink)
      if let misuse = sink.misuse ?? (sink.open.isEmpty ? nil : "left open: \(sink.open)") {
        return "link type \(link): \(misuse)"
      }
      guard reassembler.tally.packets == ways.count else { return "link type \(link): \(reassembler.tally)" }
    }
    return nil
  }

  private static func blank(_ count: Int) -> [UInt8] { [UInt8](repeating: 2, count: count) }
}

/// The results of a reader of capture files.
public struct CapturedPackets: Equatable {
  public private(set) var packets: [[UInt8]] = []
  public private(set) var lengths: [Int] = []
  public private(set) var links: [LinkType] = []
  public private(set) var times: [CaptureTime?] = []
  public private(set) var hasTLSSecrets = false
  public private(set) var dropped: UInt64 = 0
  public private(set) var error: ReadError?

  public init(_ file: PcapngFile) { self.init(file.bytes, by: PcapngReader()) }

  /// - Parameter pieces: The chunk size in bytes.
  package init(_ bytes: [UInt8], pieces: Int = .max, by reader: some PacketReader = PcapngReader()) {
    var reader = reader
    var start = 0
    do throws(ReadError) {
      while start < bytes.count {
        let end = start + min(pieces, bytes.count - start)
        reader.append(bytes.span.extracting(start..<end))
        start = end
        while let packet = try reader.next() {
          packets.append(Array(reader.buffer[packet.bytes]))
          lengths.append(packet.originalLength)
          links.append(packet.link)
          times.append(packet.time)
        }
      }
      try reader.finish()
    } catch {
      self.error = error
    }
    guard let pcapng = reader as? PcapngReader else { return }
    hasTLSSecrets = pcapng.hasTLSSecrets
    dropped = pcapng.droppedPackets
  }
}

/// Checks the order of the calls of a stream sink.
struct OrderChecker: StreamSink {
  var open: Set<Int> = []
  var misuse: String?
  private var closed: Set<Int> = []
  private var endsInGap: Set<Int> = []
  var wantsMore: Bool { true }

  mutating func open(_ stream: ByteStream) {
    if !open.insert(stream.number).inserted || closed.contains(stream.number) { misuse = "\(stream) opened again" }
  }

  mutating func append(_ bytes: Span<UInt8>, from origin: Origin, to stream: Int) {
    if !open.contains(stream) || bytes.isEmpty { misuse = "\(bytes.count) bytes appended to \(stream)" }
    endsInGap.remove(stream)
  }

  mutating func gap(of count: Int, in stream: Int) {
    if !open.contains(stream) || count <= 0 || !endsInGap.insert(stream).inserted {
      misuse = "a gap of \(count) in \(stream)"
    }
  }

  mutating func close(_ stream: Int, _ ending: StreamEnding) {
    if open.remove(stream) == nil { misuse = "\(stream) closed, but not open" }
    closed.insert(stream)
  }
}
