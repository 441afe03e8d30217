import APNSInput
import Testing

@Suite struct CaptureConnectionTests {
  // MARK: Captures that begin in the middle

  @Test func swappedFirstSegmentsAreNotLost() {
    var wire = Wire()
    wire.send(.data(103, [4, 5]), .data(100, [1, 2, 3]), .data(105, [6]))
    #expect(wire.recorder.streams.isEmpty)
    wire.finish()
    #expect(wire.recorder.runs[0] == [.bytes([1, 2, 3, 4, 5, 6])])
  }

  @Test func theStartIsSettledAfter256KiB() {
    var wire = Wire()
    for index in 0..<7 { wire.send(.data(100 + UInt32(index) << 15, [UInt8](repeating: 1, count: 1 << 15))) }
    #expect(wire.recorder.streams.isEmpty)
    wire.send(.data(100 + 7 << 15, [UInt8](repeating: 1, count: 1 << 15)))
    #expect(wire.recorder.bytes(0).count == 1 << 18)
    wire.send(.data(96, [1, 2, 3, 4, 1]))
    #expect(wire.reassembler.tally.lateBytes == 4)
  }

  /// Live, nobody should wait for what the peer has had for long.
  @Test func whatThePeerAcknowledgedIsInOrderAfterASecond() {
    var wire = Wire()
    wire.send(.data(103, [4]), .data(100, [1, 2, 3]))
    wire.idle(5)
    #expect(wire.recorder.streams.isEmpty)
    wire.send(TestPacket.answer(500, []).with { $0.acknowledgement = 104 })
    #expect(wire.recorder.runs[0] == [.bytes([1, 2, 3, 4])])
    wire.send(.data(104, [5]))
    #expect(wire.recorder.bytes(0) == [1, 2, 3, 4, 5])

    wire = Wire()
    wire.send(.data(100, [1, 2, 3]), TestPacket.answer(500, []).with { $0.acknowledgement = 103 })
    wire.idle(1)
    #expect(wire.recorder.bytes(0) == [1, 2, 3])
  }

  /// The clock of the capture counts, not ours: a slow pipe loses nothing that a file keeps.
  @Test func anAcknowledgementIsNotBelievedAtOnce() {
    var wire = Wire()
    wire.send(.data(103, [4, 5, 6]), TestPacket.answer(500, []).with { $0.acknowledgement = 106 })
    wire.idle(0)
    wire.send(.data(100, [1, 2, 3]))
    wire.finish()
    #expect(wire.recorder.runs[0] == [.bytes([1, 2, 3, 4, 5, 6])])
    #expect(wire.reassembler.tally.lateBytes == 0)
  }

  /// The peer has what it acknowledged, though the capture has not.
  @Test func acknowledgedBytesAreMissed() {
    var wire = Wire()
    wire.send(.data(100, [1, 2, 3]), TestPacket.answer(500, []).with { $0.acknowledgement = 105 })
    wire.finish()
    #expect(wire.recorder.runs[0] == [.bytes([1, 2, 3]), .gap(2)])
    #expect(wire.reassembler.tally.missingBytes == 2)
  }

  /// Some systems begin each connection with the same number.
  @Test func theSameNumberMayBeginAnother() {
    var wire = Wire()
    for byte: UInt8 in [1, 2] {
      wire.send(.syn(99), .synAck(499, acknowledging: 100), .data(100, [byte]), .fin(101))
    }
    wire.finish()
    #expect(wire.recorder.bytes(0) == [1] && wire.recorder.bytes(2) == [2])
  }

  /// A side that only acknowledges is silent. One of which there is no packet is missing.
  @Test func theSilentSideHasAStream() {
    for answers in [true, false] {
      var wire = Wire()
      wire.send(.data(100, [1, 2, 3]))
      if answers { wire.send(TestPacket.answer(500, []).with { $0.acknowledgement = 103 }) }
      wire.finish()
      #expect(wire.recorder.streams.keys.sorted() == (answers ? [0, 1] : [0]))
      #expect(wire.recorder.bytes(1) == [] && wire.recorder.misuse.isEmpty)
    }
  }

  /// As ssldump writes them: every port 0, on one machine.
  @Test func theSidesOfOneEndpointAreToldByTheirHardwareAddresses() {
    let host = Endpoint(address: .v4(0x7f00_0001), port: 0)
    var wire = Wire()
    for (sender, sequence) in [(1, 100), (2, 500), (1, 103), (2, 501)] as [(UInt8, UInt32)] {
      let packet = TestPacket(source: host, destination: host, sequence: sequence, payload: [sender, 0, 0])
      var frame = packet.with { $0.payload = sender == 1 ? [1, 1, 1] : [2] }.frame
      frame.replaceSubrange(
        0..<12, with: sender == 1 ? [2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1] : [2, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2])
      wire.send(frame, link: .ethernet)
    }
    wire.finish()
    #expect([wire.recorder.bytes(0), wire.recorder.bytes(1)] == [[1, 1, 1, 1, 1, 1], [2, 2]])
  }

  @Test func keepAliveProbesAreNotData() {
    var wire = Wire()
    let probe = TestPacket.data(99, [0]).with { $0.flags = 0x10 }
    wire.send(probe, TestPacket.data(99, []).with { $0.flags = 0x10 }, probe, .data(100, [1, 2]), .data(102, [3]))
    wire.finish()
    #expect(wire.recorder.runs[0] == [.bytes([1, 2, 3])])

    var later = Wire()
    later.send((0..<16).map { .data(100 + UInt32($0), [7]) })
    later.send(probe, TestPacket.data(115, [0]).with { $0.flags = 0x10 }, .data(116, [8]))
    later.finish()
    #expect(later.recorder.bytes(0).count == 17)
  }

  @Test func aSingleWrittenByteIsData() {
    var wire = Wire()
    wire.send(.data(99, [2]), .data(100, [0, 0]))
    wire.finish()
    #expect(wire.recorder.bytes(0) == [2, 0, 0])
  }

  @Test func theServicePortTellsWhoOpened() {
    for port: UInt16 in [2195, 2196] {
      var wire = Wire()
      let service = Endpoint(address: .v4(0x0a00_0002), port: port)
      wire.send(TestPacket.answer(500, [9]).with { $0.source = service })
      wire.send(TestPacket.data(100, [1]).with { $0.destination = service })
      wire.finish()
      #expect(wire.recorder.streams[0]?.route?.destination == service)
      #expect(wire.recorder.bytes(0) == [1])
      #expect(wire.recorder.bytes(1) == [9])
    }
  }

  @Test func elseWhoeverWasSeenFirstOpened() {
    var wire = Wire()
    let other = Endpoint(address: .v4(0x0a00_0002), port: 7000)
    wire.send(TestPacket.answer(500, [9]).with { $0.source = other })
    wire.send(TestPacket.data(100, [1]).with { $0.destination = other })
    wire.finish()
    #expect(wire.recorder.bytes(0) == [9])
  }

  @Test func aHandshakeTellsBetterThanPorts() {
    var wire = Wire()
    let odd = TestPacket(source: TestPacket.gateway, destination: TestPacket.client, sequence: 9, flags: 0x02)
    wire.send(odd, .answer(10, [1]))
    wire.finish()
    #expect(wire.recorder.streams[0]?.route?.source == TestPacket.gateway)
  }

  @Test func aSynAckAloneTellsBothStarts() {
    var wire = Wire()
    wire.send(.synAck(499, acknowledging: 100), .data(102, [3]), .data(100, [1, 2]), .answer(500, [9]))
    #expect(wire.recorder.bytes(0) == [1, 2, 3])
    #expect(wire.recorder.bytes(1) == [9])
  }

  @Test func aHandshakeRecordedLateStillCounts() {
    var wire = Wire()
    wire.send(.data(102, [3]), .data(100, [1, 2]), .syn(99), .data(103, [4]))
    #expect(wire.recorder.bytes(0) == [1, 2, 3, 4])
    #expect(wire.reassembler.tally.connections == 1)
  }

  // MARK: Beginning and end

  @Test func aSynMayCarryData() {
    var wire = Wire()
    wire.send(.syn(99, [1, 2]), .synAck(499, acknowledging: 102), .data(102, [3]))
    #expect(wire.recorder.bytes(0) == [1, 2, 3])
    #expect(wire.reassembler.tally.connections == 1)
  }

  @Test func aFinClosesWhenAllBytesAreThere() {
    var wire = Wire()
    wire.send(.syn(99), .fin(102), .data(101, [2]))
    #expect(wire.recorder.closed == [])
    wire.send(.data(100, [1]))
    #expect(wire.recorder.closed == [0])
    wire.send(.data(102, [3]))
    #expect(wire.reassembler.tally.strayBytes == 1)
  }

  @Test func aLostTailIsAGapWhenTheFinTells() {
    var wire = Wire()
    wire.send(.syn(99), .data(100, [1]), .fin(105))
    wire.finish()
    #expect(wire.recorder.runs[0] == [.bytes([1]), .gap(4)])
  }

  @Test func aResetEndsItsDirectionOnly() {
    var wire = Wire()
    wire.send(.syn(99), .synAck(499, acknowledging: 100), .data(100, [1]), .answer(500, [8]), .answer(502, [8]))
    wire.send(TestPacket.answer(503, []).with { $0.flags = 0x04 })
    // What stands before it may still come.
    #expect(wire.recorder.closed == [])
    // What was under way to the peer that gave up was sent, and is of interest.
    wire.send(.data(101, [2]))
    wire.finish()
    #expect(wire.recorder.bytes(0) == [1, 2])
    #expect(wire.recorder.runs[1] == [.bytes([8]), .gap(1), .bytes([8])])
  }

  @Test func dataBehindAnEndThatCameEarlyIsNotLost() {
    for end in [TestPacket.rst(102), .fin(102)] {
      var wire = Wire()
      wire.send(.syn(99), end, .data(103, [4]), .data(100, [1, 2]), .data(102, [3]))
      #expect(wire.recorder.bytes(0) == [1, 2, 3, 4])
      // Now it is over.
      wire.send(.data(104, [5]))
      #expect(wire.reassembler.tally.strayBytes == 1)
    }
    var wire = Wire()
    wire.send(.syn(99), .data(100, [1]), .rst(105))
    wire.finish()
    #expect(wire.recorder.runs[0] == [.bytes([1]), .gap(4)])
    #expect(wire.reassembler.tally.missingBytes == 4)
  }

  @Test func reusedPortsAreAnotherConnection() {
    var wire = Wire()
    wire.send(.syn(99), .data(100, [1]), .data(103, [4]), .syn(7000), .data(7001, [5]), .syn(7000), .data(7002, [6]))
    wire.finish()
    #expect(wire.recorder.runs[0] == [.bytes([1]), .gap(2), .bytes([4])])
    #expect(wire.recorder.bytes(2) == [5, 6])
    #expect(wire.recorder.closed == [0, 2])
    #expect(wire.reassembler.tally.connections == 2)
  }

  @Test func aHandshakeAfterTheMiddleOfAnotherConnectionIsReuse() {
    var wire = Wire()
    wire.send(.data(100, [1]), .answer(500, [2]), .syn(3_000_000), .data(3_000_001, [3]))
    wire.finish()
    #expect(wire.recorder.bytes(0) == [1])
    #expect(wire.recorder.bytes(1) == [2])
    #expect(wire.recorder.bytes(2) == [3])
  }

  @Test func aRepeatedSynIsNotReuse() {
    var wire = Wire()
    wire.send(.syn(99), .syn(99), .synAck(499, acknowledging: 100), .data(100, [1]), .syn(99), .data(101, [2]))
    wire.finish()
    #expect(wire.recorder.bytes(0) == [1, 2])
  }

  @Test func packetsRecordedTwiceCountOnce() {
    var wire = Wire()
    let packets: [TestPacket] = [
      .syn(99), .synAck(499, acknowledging: 100), .data(100, [1, 2]), .answer(500, [9]), .fin(102),
    ]
    wire.send(packets.flatMap { [$0, $0] })
    wire.finish()
    #expect(wire.recorder.runs == [0: [.bytes([1, 2])], 1: [.bytes([9])]])
    #expect(wire.reassembler.tally.lateBytes + wire.reassembler.tally.strayBytes == 0)
  }

  @Test func endpointsPrintAsPeopleWriteThem() {
    let addresses: [(UInt64, UInt64, String)] = [
      (0x2001_0db8_0000_0000, 1, "[2001:db8::1]:2195"), (0, 1, "[::1]:2195"), (0, 0, "[::]:2195"),
      (0x2001_0db8_0000_0001, 0x0001_0001_0001_0001, "[2001:db8:0:1:1:1:1:1]:2195"),
      (0x2001_0000_0000_0001, 0x0000_0000_0000_0001, "[2001:0:0:1::1]:2195"),
      (0x2001_0db8_0000_0000, 0x0001_0000_0000_0001, "[2001:db8::1:0:0:1]:2195"),
      (0xfe80_0000_0000_0000, 0, "[fe80::]:2195"), (0, 0xffff_0a00_0001, "[::ffff:10.0.0.1]:2195"),
    ]
    for (high, low, text) in addresses {
      #expect(Endpoint(address: .v6(high: high, low: low), port: 2195).description == text)
    }
    #expect(TestPacket.client.description == "10.0.0.1:40000")
  }
}
