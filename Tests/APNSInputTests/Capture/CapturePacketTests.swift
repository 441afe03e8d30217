import APNSInput
import TestSupport
import Testing

@Suite struct CapturePacketTests {
  let data = TestPacket.data(1, [1, 2, 3])

  private func bytes(of packets: [[UInt8]], link: LinkType) -> [UInt8] {
    var wire = Wire()
    for packet in packets { wire.send(packet, link: link) }
    wire.finish()
    return wire.recorder.bytes(0)
  }

  @Test func paddingIsNotData() {
    var wire = Wire()
    wire.send(.syn(0), TestPacket(sequence: 1, flags: 0x10, padding: 6), data.with { $0.padding = 3 })
    wire.finish()
    #expect(wire.recorder.runs[0] == [.bytes([1, 2, 3])])
  }

  @Test func aLengthOfZeroMeansWhatWasCaptured() {
    #expect(bytes(of: [data.with { $0.totalLength = 0 }.frame], link: .ethernet) == [1, 2, 3])
  }

  @Test func theOriginalLengthTellsWhatIsMissingWhereIPDoesNot() {
    var reassembler = Reassembler()
    var recorder = CaptureRecorder()
    let frame = data.with { $0.totalLength = 0 }.frame
    let origin = Origin.Packet(number: 1, time: CaptureTime(seconds: 0, nanoseconds: 0, digits: 6))
    reassembler.packet(
      frame.span, originalLength: frame.count + 7, link: .ethernet, origin: origin, into: &recorder)
    reassembler.finish(into: &recorder)
    #expect(recorder.runs[0] == [.bytes([1, 2, 3]), .gap(7)])
  }

  @Test(arguments: [[0x8100, 0x0800], [0x88a8, 0x8100, 0x0800], [0x9100, 0x8100, 0x8100, 0x0800]] as [[UInt16]])
  func tagsStack(types: [UInt16]) {
    #expect(bytes(of: [data.with { $0.etherTypes = types }.frame], link: .ethernet) == [1, 2, 3])
  }

  @Test func everyLinkTypeIsRead() {
    let ip = data.ip
    let blank = [UInt8](repeating: 0, count: 18)
    let headers: [(LinkType, [UInt8])] = [
      (.null, [2, 0, 0, 0]), (.null, [0, 0, 0, 2]), (.loop, [0, 0, 0, 2]), (.raw, []), (.rawOnMostSystems, []),
      (.rawOnOpenBSD, []), (.ipv4, []), (.ipv6, []), (.linuxCooked, blank.prefix(14) + [8, 0]),
      (.linuxCookedV2, [8, 0] + blank), (.linuxCooked, blank.prefix(14) + [0x81, 0, 0, 7, 8, 0]),
      (.ppp, [0xff, 3, 0, 0x21]), (.ppp, [0xff, 3, 0x21]), (.ppp, [0, 0x21]), (.ppp, [0x21]),
      (.ethernet, blank.prefix(12) + [0x88, 0x64, 0x11, 0, 0, 7, 0, 50, 0, 0x21]),
      (.ethernet, blank.prefix(12) + [0x81, 0, 0, 7, 0x88, 0x64, 0x11, 0, 0, 7, 0, 50, 0, 0x21]),
      (.ethernet, blank.prefix(12) + [0x88, 0x47, 0, 1, 0, 64, 0, 1, 1, 64]),
      (.netfilterLog, [2, 0, 0, 7, 8, 0, 1, 0, 1, 2, 3, 4, 5, 0, 10, 0, 1, 0, 0, 0] + [47, 0, 9, 0]),
      (.netfilterLog, [2, 0, 0, 7, 0, 8, 0, 1, 1, 2, 3, 4, 0, 5, 0, 10, 1, 0, 0, 0] + [0, 47, 0, 9]),
      (.pktap, pktap([], link: 12)), (.pktap, pktap([], link: 101, size: 156)),
    ]
    for (link, header) in headers {
      #expect(link.isKnown)
      #expect(bytes(of: [header + ip], link: link) == [1, 2, 3], "\(link)")
    }
    let known = Set((0..<1000).map { LinkType(rawValue: $0) }.filter(\.isKnown))
    let untested = known.subtracting(headers.map(\.0)).subtracting([.ethernet, .upperPDU]).map(\.rawValue)
    #expect(Set(untested) == Set(147...162), "of these numbers, no packet of a link layer is read here")
    for family: UInt8 in [10, 24, 28, 30] {
      #expect(bytes(of: [[family, 0, 0, 0] + v6(next: 6, data.tcp)], link: .null) == [1, 2, 3])
    }
    #expect(!LinkType(rawValue: 105).isKnown)
  }

  @Test func otherContentsOfALinkAreCounted() {
    let blank = [UInt8](repeating: 2, count: 12)
    var wire = Wire()
    for header in [[0x88, 0x64, 0x11, 0, 0, 7, 0, 50, 0xc0, 0x21], [0x88, 0x47, 0, 1, 1, 64, 0]] as [[UInt8]] {
      wire.send(blank + header + data.ip, link: .ethernet)
    }
    wire.send([7, 0, 0, 7, 47, 0, 9, 0] + data.ip, link: .netfilterLog)
    wire.send([2, 0, 0, 7, 3, 0, 9, 0] + data.ip, link: .netfilterLog)
    wire.finish()
    #expect(wire.reassembler.tally.notIP == 4)
  }

  @Test func extensionHeadersAreSkipped() {
    let options: [UInt8] = [0, 0, 0, 0, 0, 0]
    let chains: [(UInt8, [UInt8])] = [
      (6, []), (0, [6, 0] + options),
      (0, [43, 0] + options + [60, 0] + options + [6, 1] + options + options + [0, 0]),
      (44, [6, 0, 0, 0, 0, 0, 0, 9]),
    ]
    for (next, headers) in chains {
      #expect(bytes(of: [v6(next: next, headers + data.tcp)], link: .raw) == [1, 2, 3])
    }
  }

  @Test func fragmentsArePutTogetherInAnyOrder() {
    var random = Seeded(7)
    for size in [8, 24, 64] {
      let payload = (0..<200).map { _ in UInt8.random(in: 0...255, using: &random) }
      let one = TestPacket.data(1, payload).with { $0.identification = 5 }.pieces(of: size)
      let other = TestPacket.data(201, payload).with { $0.identification = 6 }.pieces(of: size)
      var wire = Wire()
      wire.send(.syn(0))
      for piece in (one + other + one.prefix(2)).shuffled(using: &random) { wire.send(piece, link: .raw) }
      wire.finish()
      #expect(wire.recorder.runs[0] == [.bytes(payload + payload)])
    }
  }

  /// Pieces at every other offset, then those between: none is compared with all others.
  @Test func fragmentsInThousandsOfPiecesArePutTogether() {
    let payload = (0..<60_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
    let pieces = TestPacket.data(1, payload).with { $0.identification = 5 }.pieces(of: 8)
    let odd = pieces.indices.filter { !$0.isMultiple(of: 2) }.map { pieces[$0] }
    let even = pieces.indices.filter { $0.isMultiple(of: 2) }.map { pieces[$0] }
    var wire = Wire()
    wire.send(.syn(0))
    for piece in even + even + odd { wire.send(piece, link: .raw) }
    wire.finish()
    #expect(wire.recorder.runs[0] == [.bytes(payload)])
  }

  @Test func fragmentsOfIPv6ArePutTogether() {
    let tcp = data.tcp
    var wire = Wire()
    wire.send(v6(next: 44, [6, 0, 0, 16, 0, 0, 0, 9] + tcp.dropFirst(16)), link: .raw)
    wire.send(v6(next: 44, [6, 0, 0, 1, 0, 0, 0, 9] + tcp.prefix(16)), link: .raw)
    wire.finish()
    #expect(wire.recorder.bytes(0) == [1, 2, 3])
  }

  @Test func fragmentsAloneAreCounted() {
    var wire = Wire()
    wire.send(data.with { $0.fragment = 0x2000 }, data.with { $0.fragment = 0x0009 })
    wire.send(v6(next: 44, [6, 0, 0, 1, 0, 0, 0, 9] + data.tcp), link: .raw)
    wire.finish()
    #expect(wire.reassembler.tally.fragments == 3)
    #expect(wire.recorder.streams.isEmpty)
  }

  @Test func aCutPacketKnowsWhatIsMissing() {
    var wire = Wire()
    wire.send(.syn(0), data.with { $0.cut = 2 }, .data(4, [4]), TestPacket.data(5, [5, 6]).with { $0.cut = 2 })
    wire.send(TestPacket.data(7, [7, 8]).with { $0.cut = 8 }, .data(9, [9]))
    wire.finish()
    #expect(wire.recorder.runs[0] == [.bytes([1]), .gap(2), .bytes([4]), .gap(4), .bytes([9])])
    #expect(wire.reassembler.tally.cutPackets == 3)
    #expect(wire.recorder.misuse == [])
  }

  @Test func othersAreCounted() {
    var wire = Wire()
    var udp = data.frame
    udp[23] = 17
    wire.send(udp, link: .ethernet)
    wire.send(data.with { $0.etherTypes = [0x0806] })
    wire.send([UInt8](data.frame.prefix(40)), link: .ethernet)
    #expect(wire.reassembler.tally.notTCP == 1)
    #expect(wire.reassembler.tally.notIP == 1)
    #expect(wire.reassembler.tally.damagedHeaders == 1)
    #expect("\(wire.reassembler.tally)" == "1 packet is not IP, 1 packet is not TCP, 1 packet has a damaged header")
  }

  @Test(
    arguments: [
      .null, .ethernet, .ppp, .raw, .loop, .linuxCooked, .linuxCookedV2, .netfilterLog, .pktap, .user2,
    ] as [LinkType])
  func randomPacketsNeverTrap(link: LinkType) {
    var random = Seeded(UInt64(link.rawValue))
    var samples = [data.frame, data.ip, [2, 0, 0, 0] + data.ip, v6(next: 0, [6, 0, 0, 0, 0, 0, 0, 0] + data.tcp)]
    if link == .pktap || link == .user2 {
      samples = zip([1, 12, 0, 101], samples).map { pktap($1, link: $0) } + [pktap(samples[0], link: 258)]
    }
    var wire = Wire()
    for round in 0..<5000 {
      var packet = samples[round % samples.count]
      if round.isMultiple(of: 7) { packet = (0..<80).map { _ in UInt8.random(in: 0...255, using: &random) } }
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        packet[Int.random(in: 0..<packet.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      wire.send([UInt8](packet.prefix(Int.random(in: 0...packet.count, using: &random))), link: link)
    }
    wire.finish()
    #expect(wire.recorder.misuse == [])
    #expect(wire.reassembler.tally.packets == 5000)
  }

  private func v6(next: UInt8, _ payload: [UInt8]) -> [UInt8] {
    let client: [UInt8] = [0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    return [0x60, 0, 0, 0] + big(UInt16(payload.count)) + [next, 64] + client + client.dropLast() + [2] + payload
  }
}
