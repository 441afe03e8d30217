import APNSInput
import Testing

@Suite struct CaptureReassemblerTests {
  let text = [UInt8](0..<200)

  @Test func aConversationGivesTwoStreams() {
    var wire = Wire()
    wire.send(.syn(99), .synAck(499, acknowledging: 100), .data(100, [1, 2, 3]), .answer(500, [9]), .data(103, [4]))
    wire.finish()
    #expect(wire.recorder.bytes(0) == [1, 2, 3, 4])
    #expect(wire.recorder.bytes(1) == [9])
    #expect(wire.recorder.streams[0]?.route == .init(source: TestPacket.client, destination: TestPacket.gateway))
    #expect(wire.recorder.streams[1]?.route == .init(source: TestPacket.gateway, destination: TestPacket.client))
    #expect(wire.recorder.origins[0] == [[3, 3], [5, 1]])
    #expect(wire.recorder.closed == [0, 1])
    #expect(wire.recorder.misuse == [])
  }

  @Test func aDirectionWithoutDataIsOpenedAtTheEnd() {
    var wire = Wire()
    wire.send(.syn(99), .synAck(499, acknowledging: 100), .data(100, [1]), .fin(101))
    #expect(wire.recorder.closed == [0] && wire.recorder.streams.keys.sorted() == [0])
    wire.finish()
    #expect(wire.recorder.closed == [0, 1] && wire.recorder.bytes(1) == [])
  }

  /// Shuffled, repeated and overlapping segments give the bytes that were sent, wherever the numbers wrap.
  @Test(arguments: 0..<200)
  func anyOrderGivesTheBytes(seed: Int) {
    var random = Seeded(UInt64(seed))
    let first = Bool.random(using: &random) ? UInt32.max - 100 : UInt32.random(in: 0...UInt32.max, using: &random)
    var packets: [TestPacket] = []
    var start = 0
    while start < text.count {
      let end = min(text.count, start + Int.random(in: 1...40, using: &random))
      let from = max(0, start - (Bool.random(using: &random) ? Int.random(in: 0...20, using: &random) : 0))
      let packet = TestPacket.data(first &+ UInt32(from), [UInt8](text[from..<end]))
      packets += Array(repeating: packet, count: Int.random(in: 1...2, using: &random))
      start = end
    }
    packets.shuffle(using: &random)
    var wire = Wire()
    if Bool.random(using: &random) {
      wire.send(.syn(first &- 1))
    }
    wire.send(packets)
    wire.send(.fin(first &+ UInt32(text.count)))
    wire.finish()
    #expect(wire.recorder.runs[0] == [.bytes(text)], "seed \(seed)")
    #expect(wire.recorder.misuse == [], "seed \(seed)")
  }

  /// Whatever segments there are, the gaps are exactly what none of them carries.
  @Test(arguments: 0..<200)
  func lossesAreExactGaps(seed: Int) {
    var random = Seeded(UInt64(seed))
    let first = UInt32.random(in: 0...UInt32.max, using: &random)
    var wire = Wire()
    wire.send(.syn(first &- 1))
    var isCarried = [Bool](repeating: false, count: text.count)
    for _ in 0..<Int.random(in: 0...16, using: &random) {
      let start = Int.random(in: 0..<text.count, using: &random)
      let end = min(text.count, start + Int.random(in: 1...30, using: &random))
      wire.send(.data(first &+ UInt32(start), [UInt8](text[start..<end])))
      for index in start..<end { isCarried[index] = true }
    }
    wire.send(.fin(first &+ UInt32(text.count)))
    wire.finish()
    var expected: [CaptureRecorder.Run] = []
    for (byte, isCarried) in zip(text, isCarried) {
      switch expected.last {
      case .bytes(let bytes) where isCarried: expected[expected.count - 1] = .bytes(bytes + [byte])
      case .gap(let count) where !isCarried: expected[expected.count - 1] = .gap(count + 1)
      default: expected.append(isCarried ? .bytes([byte]) : .gap(1))
      }
    }
    #expect(wire.recorder.runs[0] == expected, "seed \(seed)")
    #expect(wire.recorder.misuse == [], "seed \(seed)")
    #expect(wire.reassembler.tally.missingBytes == wire.recorder.missing(0))
  }

  /// Any flags, any numbers around a few anchors, both directions, cut or not.
  @Test(arguments: 0..<100)
  func anySegmentsKeepTheOrderOfCalls(seed: Int) {
    var random = Seeded(UInt64(seed))
    let anchors: [UInt32] = [0, 100, 5000, 1 << 30, 3 << 30, UInt32.max - 50]
    var wire = Wire()
    for _ in 0..<300 {
      var packet = TestPacket()
      if Bool.random(using: &random) { swap(&packet.source, &packet.destination) }
      packet.sequence = (anchors.randomElement(using: &random) ?? 0) &+ UInt32.random(in: 0...60, using: &random)
      packet.acknowledgement = anchors.randomElement(using: &random) ?? 0
      packet.flags = Int.random(in: 0..<8, using: &random) == 0 ? UInt8.random(in: 0...31, using: &random) : 0x18
      packet.payload = [UInt8](repeating: 7, count: Int.random(in: 0...40, using: &random))
      packet.cut = Bool.random(using: &random) ? 0 : Int.random(in: 0...packet.payload.count, using: &random)
      wire.send(packet)
    }
    wire.finish()
    #expect(wire.recorder.misuse == [], "seed \(seed)")
    #expect(wire.recorder.closed.sorted() == wire.recorder.streams.keys.sorted(), "seed \(seed)")
  }

  @Test func bytesAlreadyHandedOnWinAndOthersAreKept() {
    var wire = Wire()
    wire.send(.syn(99), .data(100, [1, 2, 3]), .data(101, [2, 8, 8, 8]))
    wire.finish()
    #expect(wire.recorder.runs[0] == [.bytes([1, 2, 3, 8, 8])])
    #expect(wire.recorder.origins[0] == [[2, 3], [3, 2]])
    #expect(wire.recorder.overlaps[0]?.map(\.at) == [2])
    #expect(wire.recorder.overlaps[0]?.map(\.bytes) == [[8]])
    #expect(wire.reassembler.tally.overlappingBytes == 1)
  }

  /// Of every place that came in two versions both are there, whatever the order, held or handed on.
  @Test(arguments: 0..<200)
  func noVersionOfAByteIsLost(seed: Int) {
    var random = Seeded(UInt64(seed))
    var wire = Wire()
    if Bool.random(using: &random) { wire.send(.syn(99)) }
    var sent = [Set<UInt8>](repeating: [], count: text.count)
    var packets: [TestPacket] = []
    for _ in 0..<40 {
      let start = Int.random(in: 0..<text.count, using: &random)
      var piece = [UInt8](text[start..<min(text.count, start + Int.random(in: 2...40, using: &random))])
      if Bool.random(using: &random) { piece[Int.random(in: 0..<piece.count, using: &random)] = 0xee }
      packets.append(.data(100 + UInt32(start), piece))
      for (index, byte) in piece.enumerated() { sent[start + index].insert(byte) }
    }
    wire.send(packets)
    wire.finish()
    var got = [Set<UInt8>](repeating: [], count: text.count)
    var position = sent.firstIndex { !$0.isEmpty } ?? 0
    if case .gap? = wire.recorder.runs[0]?.first { position = 0 }
    let start = position
    for run in wire.recorder.runs[0] ?? [] {
      switch run {
      case .gap(let count): position += count
      case .bytes(let bytes):
        for byte in bytes {
          got[position].insert(byte)
          position += 1
        }
      }
    }
    for (place, bytes) in wire.recorder.overlaps[0] ?? [] {
      for (index, byte) in bytes.enumerated() { got[start + place + index].insert(byte) }
    }
    #expect(got == sent, "seed \(seed)")
    #expect(wire.recorder.misuse == [], "seed \(seed)")
  }

  @Test func bytesTooLongAgoAreCounted() {
    var wire = Wire()
    wire.send(.syn(99), .data(100, [1, 2, 3]))
    for index in 0..<160 { wire.send(.data(103 + UInt32(index) << 15, [UInt8](repeating: 5, count: 1 << 15))) }
    wire.send(.data(100, [1, 2, 4]))
    #expect(wire.reassembler.tally.uncomparedBytes == 3)
    #expect(wire.recorder.overlaps.isEmpty)
  }

  // MARK: Many connections

  private func client(_ index: Int, _ packet: TestPacket) -> TestPacket {
    packet.with {
      $0.source = Endpoint(address: .v4(0x0b00_0000 + UInt32(index >> 10)), port: UInt16(index & 1023) + 1024)
    }
  }

  @Test func theLongestIdleConnectionMakesRoom() {
    var wire = Wire()
    let count = 70_000
    for index in 0..<count {
      wire.send(client(index, .syn(99)), client(index, .data(100, [1, 2])))
      // The first one is never idle for long.
      if index.isMultiple(of: 100), index > 0 { wire.send(client(0, .data(102 + UInt32(index / 100 - 1), [3]))) }
    }
    let dropped = wire.reassembler.tally.droppedConnections
    #expect(dropped > 0 && dropped < count - 12_000)
    #expect(wire.recorder.closed == (1...dropped).map { $0 * 2 })
    wire.finish()
    #expect(wire.recorder.bytes(0).count == 2 + (count - 1) / 100)
    #expect(wire.recorder.streams.count == count)
  }

  /// Thousands of holes do not add up: what waits behind the longest idle ones is handed on, and nothing of it lost.
  @Test func heldBytesOfAllConnectionsAreBounded() {
    var wire = Wire()
    let piece = [UInt8](repeating: 5, count: 1 << 15)
    for index in 0..<300 {
      wire.send(client(index, .syn(99)))
      for part in 0..<4 { wire.send(client(index, .data(101 + UInt32(part) << 15, piece))) }
    }
    #expect(wire.recorder.runs[0]?.first == .gap(1))
    #expect(wire.recorder.runs[598] == nil)
    wire.finish()
    for index in 0..<300 { #expect(wire.recorder.runs[index * 2] == [.gap(1), .bytes(piece + piece + piece + piece)]) }
    #expect(wire.reassembler.tally.droppedConnections == 0)
  }

  @Test func aSegmentMayWrap() {
    var wire = Wire()
    wire.send(.syn(UInt32.max - 2), .data(UInt32.max - 1, [1, 2, 3, 4]), .data(2, [5]))
    wire.finish()
    #expect(wire.recorder.runs[0] == [.bytes([1, 2, 3, 4, 5])])
  }

  @Test func streamsLongerThanTheNumbersGoOn() {
    var reassembler = Reassembler()
    var recorder = CaptureRecorder()
    let origin = Origin.Packet(number: 1, time: CaptureTime(seconds: 0, nanoseconds: 0, digits: 6))
    let count = 5000
    reassembler.packet(TestPacket.syn(UInt32.max).frame.span, link: .ethernet, origin: origin, into: &recorder)
    for index in 0..<count {
      // Each stands for a MiB, of which one byte was captured.
      let packet = TestPacket.data(UInt32(truncatingIfNeeded: index << 20), [7]).with { $0.totalLength = 0 }
      reassembler.packet(
        packet.frame.span, originalLength: packet.frame.count + 1 << 20 - 1, link: .ethernet, origin: origin,
        into: &recorder)
    }
    reassembler.finish(into: &recorder)
    #expect(recorder.bytes(0).count == count)
    #expect(recorder.missing(0) == count * (1 << 20 - 1))
  }

  @Test func aHoleIsKeptWhileThePeerAcknowledges() {
    var wire = Wire()
    wire.send(.syn(99), .synAck(499, acknowledging: 100), .data(101, [2]))
    wire.send(TestPacket.answer(500, [9]).with { $0.acknowledgement = 102 })
    #expect(wire.recorder.runs[0] == nil)
    wire.send(.data(100, [1]))
    #expect(wire.recorder.runs[0] == [.bytes([1, 2])])
  }

  @Test func aHoleIsGivenUpWhenTooMuchWaitsBehindIt() {
    var wire = Wire()
    let piece = [UInt8](repeating: 5, count: 1 << 15)
    wire.send(.syn(99))
    for index in 0..<32 { wire.send(.data(1100 + UInt32(index) << 15, piece)) }
    #expect(wire.recorder.runs[0] == nil)
    wire.send(.data(1100 + 32 << 15, piece))
    #expect(wire.recorder.runs[0]?.first == .gap(1000))
    #expect(wire.recorder.bytes(0).count == 33 << 15)
    wire.send(.data(100, [1, 2, 3]))
    #expect(wire.reassembler.tally.lateBytes == 3)
  }

  /// Whatever the order, the memory for held segments is proportional to their number, and each is handed on once.
  @Test(arguments: [1, 3, 7919]) func memoryForHostileOrdersIsProportional(step: Int) {
    let half = reassemble(count: 5000, step: step)
    #expect(half > 0)
    #expect(reassemble(count: 10_000, step: step) <= 2 * half)
  }

  /// Returns the most bytes that are held for as many segments of one byte. They arrive backwards by `step` at a time, the
  /// first one last.
  private func reassemble(count: Int, step: Int) -> Int {
    var wire = Wire()
    var most = 0
    wire.send(.syn(99))
    for index in 1...count {
      let place = (count - index) * step % count
      wire.send(.data(100 + UInt32(place), [UInt8(truncatingIfNeeded: place)]))
      most = max(most, wire.reassembler.heldBytes)
    }
    #expect(wire.recorder.bytes(0) == (0..<count).map { UInt8(truncatingIfNeeded: $0) })
    #expect(wire.recorder.origins[0]?.count == count)
    #expect(wire.reassembler.heldBytes == 0)
    wire.finish()
    #expect(wire.recorder.misuse.isEmpty)
    return most
  }

  @Test func wildNumbersAreCountedAndDropped() {
    var wire = Wire()
    wire.send(.syn(99), .data(100, [1]), .data(100 &+ 3 << 30, [6, 6]), .data(101, [2]))
    wire.finish()
    #expect(wire.recorder.runs[0] == [.bytes([1, 2])])
    #expect(wire.reassembler.tally.strayBytes == 2)
  }

  @Test func readingStopsWhenTheSinkHasEnough() {
    var wire = Wire()
    wire.recorder.limit = 2
    wire.send(.syn(99), .data(100, [1, 2]), .data(102, [3]))
    wire.finish()
    #expect(wire.recorder.bytes(0) == [1, 2])
    #expect(wire.recorder.closed == [0])
  }
}
