import APNSDiagnosis
import APNSInput
import APNSServer

/// Writes what happens on a server's connections as the packets of a capture.
struct SessionCapture {
  private let file: PacketFile?
  private var writer = CaptureWriter()
  private var hasHeader = false
  /// The number of packets that were written.
  private(set) var packetCount = 0
  private(set) var failure: Failure?

  /// - Parameter output: A capture file to which the packets are also written; nil for none.
  init(_ output: OutputPath?) throws(Failure) {
    file = try PacketFile.open(output)
  }

  /// Writes events, and returns their packets.
  mutating func packets(of events: ArraySlice<SessionEvent>) -> SessionPackets {
    var written: [UInt8] = []
    for event in events { write(event, into: &written) }
    return save(&written)
  }

  /// Writes the ends of all connections, and returns their packets.
  mutating func finish() -> SessionPackets {
    var written: [UInt8] = []
    writer.finish(into: &written)
    return save(&written)
  }

  private mutating func save(_ written: inout [UInt8]) -> SessionPackets {
    guard !written.isEmpty else { return SessionPackets() }
    if failure == nil {
      do throws(ReadError) { try file?.write(written.span) } catch { failure = .unreadable("\(error)") }
    }
    // The first packet is preceded by the header of the file.
    if !hasHeader { written.removeFirst(PcapWriter.headerSize) }
    hasHeader = true
    let packets = SessionPackets(written, after: packetCount)
    packetCount += packets.count
    return packets
  }

  private mutating func write(_ event: SessionEvent, into out: inout [UInt8]) {
    switch event {
    case .opened(let route, let time): writer.open(route, at: time, into: &out)
    case .sent(let bytes, let route, let time): writer.segment(bytes.span, on: route, at: time, into: &out)
    case .closed(let route, let isReset, let time): writer.close(route, isReset: isReset, at: time, into: &out)
    // The direction ends here, so that what has arrived is judged.
    case .abandoned(let route, let time): writer.close(route, at: time, into: &out)
    case .reacted, .remark, .restarted, .stopping, .stopped: break
    }
  }
}

/// Packets of a session, in the order in which they were sent.
struct SessionPackets {
  /// The packets in the form of a capture file, without its header.
  private var bytes: [UInt8] = []
  /// The number of each packet in the session, counted from 1.
  private var numbers: [Int] = []

  private static let form = PcapWriter(isNanosecondFile: false)

  init() {}

  fileprivate init(_ bytes: [UInt8], after count: Int) {
    self.bytes = bytes
    var start = 0
    while start < bytes.count {
      numbers.append(count + numbers.count + 1)
      start = Self.form.packet(at: start, in: bytes.span).bytes.upperBound
    }
  }

  var count: Int { numbers.count }
  /// The approximate size in memory, in bytes.
  var size: Int { bytes.count + numbers.count * 8 }

  mutating func append(_ other: SessionPackets) {
    bytes += other.bytes
    numbers += other.numbers
  }

  func read(into reassembler: inout Reassembler, _ sink: inout some StreamSink & ~Copyable) {
    let bytes = bytes.span
    var start = 0
    for number in numbers {
      let (packet, time) = Self.form.packet(at: start, in: bytes)
      reassembler.packet(
        bytes.extracting(packet), link: .ethernet, origin: Origin.Packet(number: number, time: time), into: &sink)
      start = packet.upperBound
    }
  }
}
