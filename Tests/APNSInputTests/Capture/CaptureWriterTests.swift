import APNSInput
import Testing

@Suite struct CaptureWriterTests {
  /// Checked with tshark, which found the checksums right.
  @Test func aPacketIsWhatWiresharkExpects() {
    var writer = CaptureWriter()
    var out: [UInt8] = []
    let route = ByteStream.Route(source: TestPacket.client, destination: TestPacket.gateway)
    let time = CaptureTime(seconds: 1, nanoseconds: 2_000_999, digits: 9)
    writer.segment([1, 2, 3].span, on: route, at: time, into: &out)
    let hex = out.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    #expect(hex.hasPrefix("4d3cb2a102000400000000000000000000000400010000000100000067881e003600000036000000"))
    let packet = """
      0100000067881e003900000039000000 0200002222220200001111110800
      4500002b00004000400626cb0a0000010a000002 9c40089300000001000000015018fffff2ef0000 010203
      """
    #expect(hex.hasSuffix(packet.filter { $0.isHexDigit }))
  }

  /// The file says whether it is in nanoseconds before the second time is known.
  @Test func timesAreAsPreciseAsTheFirst() {
    let route = ByteStream.Route(source: TestPacket.client, destination: TestPacket.gateway)
    for (digits, magic, cut) in [(UInt8(9), UInt8(0x4d), 0), (6, 0xd4, 1)] {
      var writer = CaptureWriter()
      var out: [UInt8] = []
      writer.segment([1].span, on: route, at: CaptureTime(seconds: 1, nanoseconds: 0, digits: digits), into: &out)
      writer.segment([1].span, on: route, at: CaptureTime(seconds: 1, nanoseconds: 1, digits: 9), into: &out)
      writer.segment([1].span, on: route, at: CaptureTime(seconds: -1, nanoseconds: 0, digits: 6), into: &out)
      #expect(out[0] == magic && writer.cutTimes == cut && writer.clampedTimes == 1)
    }
  }

  @Test func whatIsMissingStaysMissing() {
    var writer = CaptureWriter()
    var out: [UInt8] = []
    let route = ByteStream.Route(source: TestPacket.client, destination: TestPacket.gateway)
    writer.gap(of: 3, on: route, into: &out)
    writer.segment([1, 2].span, on: route, at: nil, into: &out)
    writer.gap(of: 70_000, on: route, into: &out)
    writer.segment([3].span, on: route, at: nil, into: &out)
    writer.gap(of: 1, on: route, into: &out)
    writer.finish(into: &out)

    let recorder = read(out)
    #expect(recorder.runs == [0: [.gap(3), .bytes([1, 2]), .gap(70_000), .bytes([3]), .gap(1)]])
  }

  /// Each side ends its own direction, and the same ports may be used again.
  @Test func connectionsOpenAndClose() {
    var writer = CaptureWriter()
    var out: [UInt8] = []
    let route = ByteStream.Route(source: TestPacket.client, destination: TestPacket.gateway)
    for (number, isReset) in [(UInt8(1), false), (2, true), (3, true), (4, false)] {
      writer.open(number == 4 ? route.reversed : route, at: nil, into: &out)
      writer.segment([number].span, on: route, at: nil, into: &out)
      writer.close(route.reversed, isReset: isReset, at: nil, into: &out)
      if !isReset { writer.segment([number + 10].span, on: route, at: nil, into: &out) }
      for _ in 0..<2 { writer.close(route, at: nil, into: &out) }
    }
    writer.finish(into: &out)
    let recorder = read(out)
    #expect(
      recorder.runs == [
        0: [.bytes([1, 11])], 2: [.bytes([2])], 4: [.bytes([3])],
        // The other side opened it.
        7: [.bytes([4, 14])],
      ])
    let endings: [Int: StreamEnding] = [
      0: .finishedAfterPeer, 1: .finished, 2: .open, 3: .reset, 4: .open, 5: .reset, 6: .finished,
      7: .finishedAfterPeer,
    ]
    #expect(recorder.endings == endings && recorder.misuse == [])
  }

  private func read(_ capture: [UInt8]) -> CaptureRecorder {
    var wire = Wire()
    var offset = 24
    while offset + 16 <= capture.count {
      let length = Int(capture[offset + 8]) + Int(capture[offset + 9]) << 8
      wire.send([UInt8](capture[(offset + 16)..<(offset + 16 + length)]), link: .ethernet)
      offset += 16 + length
    }
    wire.finish()
    return wire.recorder
  }
}
