import APNSInput
import TestSupport
import Testing

/// Packets from the `pktap` interface of macOS, whose header names the link type of the packet after it.
@Suite struct PKTAPTests {
  private let data = TestPacket.data(1, [1, 2, 3])

  private struct Outcome: Equatable {
    let bytes: [UInt8]
    let tally: String

    init(_ bytes: [UInt8], _ tally: String) { (self.bytes, self.tally) = (bytes, tally) }
  }

  private func sent(_ packets: [[UInt8]], link: LinkType) -> Outcome {
    var wire = Wire()
    for packet in packets { wire.send(packet, link: link) }
    wire.finish()
    return Outcome(wire.recorder.bytes(0), "\(wire.reassembler.tally)")
  }

  private var exported: [UInt8] { [0, 12, 0, 4] + Array("data".utf8) + [0, 0, 0, 0, 1, 2, 3] }

  @Test(arguments: [LinkType.pktap, .user2]) func everyLinkTypeMayBeInside(_ link: LinkType) {
    let ip = data.ip
    let inside: [(UInt32, [UInt8])] = [
      (0, [2, 0, 0, 0] + ip), (0, [0, 0, 0, 2] + ip), (1, data.frame), (9, [0xff, 3, 0, 0x21] + ip), (12, ip), (14, ip),
      (101, ip), (108, [0, 0, 0, 2] + ip), (113, [UInt8](repeating: 0, count: 14) + [8, 0] + ip), (228, ip), (229, ip),
      (239, [2, 0, 0, 7, 47, 0, 9, 0] + ip), (252, exported), (276, [8, 0] + [UInt8](repeating: 0, count: 18) + ip),
      (147, [1, 2, 3]), (162, [1, 2, 3]),
    ]
    for (inner, packet) in inside {
      for size in [108, 109, 156] {
        let packet = pktap(packet, link: inner, size: size)
        #expect(sent([packet], link: link) == Outcome([1, 2, 3], ""), "\(inner), \(size)")
      }
    }
  }

  @Test(arguments: [LinkType.pktap, .user2]) func whatFollowsMayBeUnreadable(_ link: LinkType) {
    #expect(sent([pktap([1, 2, 3], link: 105)], link: link) == Outcome([], "1 packet is not IP"))
    #expect(sent([pktap([], link: 1)], link: link) == Outcome([], "1 packet is not IP"))
    for nested: UInt32 in [149, 258] {
      let packet = pktap(pktap(data.frame, link: 1), link: nested)
      #expect(sent([packet], link: link) == Outcome([], "1 packet has a damaged header"))
    }
  }

  /// What is no PKTAP header is damaged, or, in the link type for private use, a piece of a stream.
  @Test func aPacketWithoutAHeader() {
    let frame = data.frame
    var broken = [0, 1, 12, 107, 1 << 31, .max, UInt32(frame.count) + 109].map {
      pktap(frame, link: 1, length: $0)
    }
    // Numbers in the other byte order.
    broken.append([0, 0, 0, 108, 0, 0, 0, 1, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 96) + frame)
    broken += (0..<108).map { [UInt8](pktap(frame, link: 1).prefix($0)) }
    broken.append([8, 8, 0, 0, 0, 7])
    for packet in broken {
      #expect(sent([packet], link: .pktap) == Outcome([], "1 packet has a damaged header"), "\(packet.prefix(12))")
      #expect(sent([packet], link: .user2) == Outcome(packet, ""), "\(packet.prefix(12))")
    }
    for packet in [0, 2, .max].map({ pktap(frame, link: 1, record: $0) }) {
      #expect(sent([packet], link: .pktap) == Outcome([], "1 packet is not IP"))
      #expect(sent([packet], link: .user2) == Outcome(packet, ""))
    }
    let tooLarge = pktap(frame, link: 1 << 16)
    #expect(sent([tooLarge], link: .pktap) == Outcome([], "1 packet is not IP"))
    #expect(sent([tooLarge], link: .user2) == Outcome(tooLarge, ""))
    // Each packet is looked at by itself, and other private link types have no such header.
    let mixed = sent([pktap(frame, link: 1), [9]], link: .user2)
    #expect(mixed == Outcome([1, 2, 3], ""))
    let packet = pktap(frame, link: 1)
    #expect(sent([packet], link: LinkType(rawValue: 148)) == Outcome(packet, ""))
  }

  /// What the snap length cut is known as without the header.
  @Test func missingBytesAreCounted() {
    var reassembler = Reassembler()
    var recorder = CaptureRecorder()
    let packets = [
      pktap(data.with { $0.cut = 2 }.frame, link: 1), pktap(TestPacket.data(4, [4]).frame, link: 1),
      pktap(TestPacket.data(5, [5]).with { $0.totalLength = 0 }.frame, link: 1),
      pktap([7], link: 147),
    ]
    for (index, packet) in packets.enumerated() {
      let origin = Origin.Packet(number: index + 1, time: CaptureTime(seconds: 0, nanoseconds: 0, digits: 6))
      let missing = [2, 0, 3, 6][index]
      reassembler.packet(
        packet.span, originalLength: packet.count + missing, link: .pktap, origin: origin, into: &recorder)
    }
    reassembler.finish(into: &recorder)
    #expect(recorder.runs == [0: [.bytes([1]), .gap(2), .bytes([4, 5]), .gap(3)], 2: [.bytes([7]), .gap(6)]])
  }

  /// Where both endpoints are equal, the Ethernet addresses tell the sides apart, after the header as well.
  @Test func sidesAreToldApartByEthernetAddresses() {
    let ways: [([UInt8]) -> ([UInt8], LinkType)] = [
      { ($0, .ethernet) }, { (pktap($0, link: 1, size: 156), .pktap) }, { (pktap($0, link: 1), .user2) },
    ]
    for way in ways {
      var wire = Wire()
      for (number, packet) in [data, TestPacket.data(1, [9])].enumerated() {
        var frame = packet.with { $0.destination = $0.source }.frame
        frame[number == 0 ? 0 : 6] = 7
        let (bytes, link) = way(frame)
        wire.send(bytes, link: link)
      }
      wire.finish()
      #expect(wire.recorder.runs == [0: [.bytes([1, 2, 3])], 1: [.bytes([9])]])
    }
  }
}
