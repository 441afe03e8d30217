import APNSDiagnosis
import APNSInput
import APNSWire
import TestSupport
import Testing

/// The memory that a capture's streams take is bounded, whatever carries them.
@Suite struct HeldCaptureTests {
  /// The beginning of a frame of 1,000,000 bytes.
  private let head: [UInt8] = [2, 0, 0x0f, 0x42, 0x3b, 2, 0xff, 0xff]

  @Test func exportedStreamsMakeRoomForEachOther() {
    var reading = Reading()
    let piece = head + [UInt8](repeating: 0x61, count: 60_000)
    for stream in 0..<400 {
      reading.send(Self.exported(piece, stream: UInt8(stream % 200), port: stream / 200), carrying: piece.count)
    }
    #expect(reading.most <= Reassembler.sinkLimit)
    #expect(reading.mostUnshown <= Reassembler.sinkLimit)
    #expect(reading.reassembler.tally.droppedConnections > 0)
    reading.finish()
    #expect(reading.dissector.records.bytes == 400 * piece.count)
  }

  /// The origin of a packet takes more memory than its one byte, so origins count toward the limit, too.
  @Test func smallPacketsMakeRoomForEachOther() {
    var reading = Reading()
    let origin = MemoryLayout<Origin.Packet>.size
    let streams = 8
    // The limit would be exceeded if all of them were kept.
    let count = Reassembler.sinkLimit / origin / streams + 1000
    for index in 0..<count {
      let byte = index < head.count ? head[index] : 0x61
      for stream in 0..<streams { reading.send(Self.exported([byte], stream: UInt8(stream), port: 0), carrying: 1) }
    }
    #expect(reading.most <= Reassembler.sinkLimit)
    #expect(reading.mostUnshown * origin <= Reassembler.sinkLimit)
    #expect(reading.reassembler.tally.droppedConnections > 0)
    reading.finish()
    #expect(reading.dissector.records.bytes == streams * count)
  }

  /// Nothing is kept of a frame once it is shown: of frames that arrive byte by byte, one is held at a time.
  @Test func shownFramesAreForgotten() {
    var reading = Reading(role: .provider)
    let frame = enhanced()
    reading.send([frame[0]], link: .user0, carrying: 1)
    let perByte = reading.dissector.heldBytes
    for byte in frame.dropFirst() { reading.send([byte], link: .user0, carrying: 1) }
    for identifier in 8..<208 {
      for byte in enhanced(identifier) { reading.send([byte], link: .user0, carrying: 1) }
    }
    #expect(perByte > 0)
    #expect(reading.most <= perByte * frame.count)
    #expect(reading.mostUnshown <= frame.count)
    #expect(reading.dissector.heldBytes == 0)
  }

  private static func exported(_ payload: [UInt8], stream: UInt8, port: Int) -> [UInt8] {
    [0, 25, 0, 4, 0, 0, 0x10, UInt8(port), 0, 26, 0, 4, 0, 0, 0x08, 0x93, 0, 39, 0, 4, 0, 0, 0, stream, 0, 0, 0, 0]
      + payload
  }

  private struct Reading: ~Copyable {
    var reassembler = Reassembler()
    var dissector: Dissector<Counting>
    /// The largest number of bytes that the dissector says it held between packets.
    var most = 0
    /// The largest number of bytes that were sent and not shown yet: these are held, whatever the dissector says.
    var mostUnshown = 0
    private var number = 0
    private var sent = 0

    init(role: StreamRole? = nil) {
      dissector = Dissector(.standard, policy: RolePolicy(role: role), into: Counting())
    }

    /// - Parameter carrying: bytes of the stream in the packet.
    mutating func send(_ packet: [UInt8], link: LinkType = .upperPDU, carrying count: Int) {
      number += 1
      let origin = Origin.Packet(number: number, time: CaptureTime(seconds: number, nanoseconds: 0, digits: 6))
      reassembler.packet(packet.span, link: link, origin: origin, into: &dissector)
      sent += count
      most = max(most, dissector.heldBytes)
      mostUnshown = max(mostUnshown, sent - dissector.records.bytes)
    }

    mutating func finish() { reassembler.finish(into: &dissector) }
  }

  private struct Counting: RecordSink {
    var bytes = 0
    var wantsMore: Bool { true }
    mutating func take(_ record: Record, _ bytes: Span<UInt8>) { self.bytes += bytes.count }
  }
}

extension LinkType {
  /// Bytes of a stream without any header.
  fileprivate static let user0 = LinkType(rawValue: 147)
}
