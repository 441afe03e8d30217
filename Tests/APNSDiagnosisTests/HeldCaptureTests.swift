import APNSDiagnosis
import APNSInput
import APNSWire
import TestSupport
import Testing

/// What is held of a capture is bounded, whatever carries its streams.
@Suite struct HeldCaptureTests {
  /// The beginning of a frame of 1,000,000 bytes.
  private let head: [UInt8] = [2, 0, 0x0f, 0x42, 0x3b, 2, 0xff, 0xff]

  @Test func exportedStreamsMakeRoomForEachOther() {
    var reading = Reading()
    let piece = head + [UInt8](repeating: 0x61, count: 60_000)
    for stream in 0..<400 { reading.send(Self.exported(piece, stream: UInt8(stream % 200), port: stream / 200)) }
    #expect(reading.most <= 16 << 20)
    #expect(reading.reassembler.tally.droppedConnections > 0)
    reading.finish()
    #expect(reading.dissector.records.bytes == 400 * piece.count)
  }

  /// Of bytes that come one by one, most is held to tell the packets that brought them.
  @Test func smallPacketsCount() {
    var reading = Reading()
    for byte in head { reading.send([byte], link: LinkType(rawValue: 147)) }
    for _ in 0..<20_000 { reading.send([0x61], link: LinkType(rawValue: 147)) }
    #expect(reading.most > 40 * 20_000)
  }

  private static func exported(_ payload: [UInt8], stream: UInt8, port: Int) -> [UInt8] {
    [0, 25, 0, 4, 0, 0, 0x10, UInt8(port), 0, 26, 0, 4, 0, 0, 0x08, 0x93, 0, 39, 0, 4, 0, 0, 0, stream, 0, 0, 0, 0]
      + payload
  }

  private struct Reading: ~Copyable {
    var reassembler = Reassembler()
    var dissector = Dissector(.standard, into: Counting())
    /// Bytes that were ever held between packets.
    var most = 0
    private var number = 0

    mutating func send(_ packet: [UInt8], link: LinkType = .upperPDU) {
      number += 1
      let origin = Origin.Packet(number: number, time: CaptureTime(seconds: number, nanoseconds: 0, digits: 6))
      reassembler.packet(packet.span, link: link, origin: origin, into: &dissector)
      most = max(most, dissector.heldBytes)
    }

    mutating func finish() { reassembler.finish(into: &dissector) }
  }

  private struct Counting: RecordSink {
    var bytes = 0
    var wantsMore: Bool { true }
    mutating func take(_ record: Record, _ bytes: Span<UInt8>) { self.bytes += bytes.count }
  }
}
