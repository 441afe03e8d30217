import APNSInput
import Testing

/// Packets that hold pieces of streams, as Wireshark exports them.
@Suite struct CapturedChunkTests {
  private let client: [UInt8] = [10, 0, 0, 1]
  private let server: [UInt8] = [10, 0, 0, 2]

  private func tag(_ number: UInt16, _ value: [UInt8]) -> [UInt8] { big(number) + big(UInt16(value.count)) + value }

  private func exported(
    _ payload: [UInt8], from port: UInt32 = 40000, to other: UInt32 = 2195, with more: [UInt8] = []
  ) -> [UInt8] {
    let isAnswer = port == 2195 || port == 2196
    return tag(12, Array("data\0\0\0".utf8)) + tag(20, isAnswer ? server : client)
      + tag(21, isAnswer ? client : server) + tag(24, big(2 as UInt32)) + tag(25, big(port)) + tag(26, big(other))
      + tag(999, [1, 2, 3]) + more + tag(0, []) + payload
  }

  @Test func exportedPiecesAreStreams() {
    var wire = Wire()
    wire.send(exported([1, 2]), link: .upperPDU)
    wire.send(exported([9], from: 2195, to: 40000), link: .upperPDU)
    wire.send(exported([3]), link: .upperPDU)
    wire.send(exported([], from: 7, to: 8), link: .upperPDU)
    wire.send(exported([4], from: 40001), link: .upperPDU)
    wire.finish()
    #expect(wire.recorder.runs == [0: [.bytes([1, 2, 3])], 1: [.bytes([9])], 2: [.bytes([4])]])
    #expect(wire.recorder.origins[0] == [[1, 2], [3, 1]])
    #expect(wire.recorder.streams[0]?.route?.destination == TestPacket.gateway)
    #expect(wire.recorder.streams[1]?.route?.destination == TestPacket.client)
    #expect(wire.recorder.closed == [0, 1, 2])
    #expect(wire.recorder.misuse == [])
  }

  @Test func theServiceIsTheOddStreamWhoeverCameFirst() {
    var wire = Wire()
    wire.send(exported([9], from: 2196, to: 40000), link: .upperPDU)
    wire.finish()
    #expect(wire.recorder.runs == [1: [.bytes([9])]])
  }

  @Test func connectionsAreNumberedWithThoseOfTCP() {
    var wire = Wire()
    wire.send(.syn(0), .data(1, [7]))
    wire.send(exported([1]), link: .upperPDU)
    wire.send(TestPacket.syn(0).with { $0.source = Endpoint(address: .v4(1), port: 1) })
    wire.send(TestPacket.data(1, [8]).with { $0.source = Endpoint(address: .v4(1), port: 1) })
    wire.finish()
    #expect(wire.recorder.runs == [0: [.bytes([7])], 2: [.bytes([1])], 4: [.bytes([8])]])
  }

  @Test func aStreamNumberTellsReusedPortsApart() {
    var wire = Wire()
    for (stream, byte) in [(5, 1), (6, 2), (5, 3)] as [(UInt32, UInt8)] {
      wire.send(exported([byte], with: tag(39, big(stream))), link: .upperPDU)
    }
    wire.finish()
    #expect(wire.recorder.runs == [0: [.bytes([1, 3])], 2: [.bytes([2])]])
  }

  @Test func withoutEndpointsTheDirectionTells() {
    var wire = Wire()
    wire.send(tag(35, [0, 0, 0, 1]) + tag(0, []) + [9], link: .upperPDU)
    wire.send(tag(35, [0, 0, 0, 0]) + tag(0, []) + [1], link: .upperPDU)
    wire.send(tag(0, []) + [2], link: .upperPDU)
    wire.send([3], link: LinkType(rawValue: 147))
    wire.send([4], link: LinkType(rawValue: 162))
    wire.finish()
    #expect(wire.recorder.runs == [0: [.bytes([1, 2, 3, 4])], 1: [.bytes([9])]])
    #expect(wire.recorder.streams[0]?.route == nil)
  }

  @Test func addressesOfSixteenBytesAreRead() {
    var wire = Wire()
    let address = [UInt8](repeating: 0, count: 15) + [1]
    wire.send(
      tag(22, address) + tag(23, address) + tag(25, big(9 as UInt32)) + tag(26, big(2195 as UInt32)) + tag(0, []) + [1],
      link: .upperPDU)
    wire.finish()
    #expect(wire.recorder.streams[0]?.route.map { "\($0.source) > \($0.destination)" } == "[::1]:9 > [::1]:2195")
  }

  @Test func whatTheSnapLengthCutIsAGap() {
    var reassembler = Reassembler()
    var recorder = CaptureRecorder()
    for (index, missing) in [3, 0, 2, 1 << 40, -5].enumerated() {
      let packet = exported(index == 2 ? [] : [UInt8(index)])
      let origin = Origin.Packet(number: index + 1, time: CaptureTime(seconds: 0, nanoseconds: 0, digits: 6))
      reassembler.packet(
        packet.span, originalLength: packet.count + missing, link: .upperPDU, origin: origin, into: &recorder)
    }
    reassembler.finish(into: &recorder)
    #expect(recorder.runs[0] == [.bytes([0]), .gap(3), .bytes([1]), .gap(2), .bytes([3, 4])])
    #expect(reassembler.tally.missingBytes == 5)
    #expect(reassembler.tally.cutPackets == 2)
    #expect(recorder.misuse == [])
  }

  @Test func attributesThatDoNotEndAreDamage() {
    let whole = exported([1])
    var wire = Wire()
    for count in 0..<(whole.count - 1) { wire.send([UInt8](whole.prefix(count)), link: .upperPDU) }
    wire.finish()
    #expect(wire.recorder.streams.isEmpty)
    #expect(wire.reassembler.tally.damagedHeaders == whole.count - 1)
  }
}
