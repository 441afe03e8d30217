import APNSCapture
import APNSInput
import Foundation
import Testing

@Suite struct CaptureReaderTests {
  let provider = Endpoint(address: .v4(0x0a00_0001), port: 40000)
  let gateway = Endpoint(address: .v4(0x0a00_0002), port: 2195)

  /// Two large segments there, an answer back.
  private func capture(
    of sent: [UInt8]? = nil, from source: Endpoint, to destination: Endpoint, at time: CaptureTime? = nil
  ) -> [UInt8] {
    let sent = sent ?? self.sent
    var writer = CaptureWriter()
    var out: [UInt8] = []
    writer.segment(sent.span, on: .init(source: source, destination: destination), at: time, into: &out)
    writer.segment(answer.span, on: .init(source: destination, destination: source), at: time, into: &out)
    writer.finish(into: &out)
    return out
  }
  let sent = (0..<2000).map { UInt8(truncatingIfNeeded: $0) }
  let answer: [UInt8] = [8, 8, 0, 0, 0, 7]

  @Test func whatWasWrittenIsRead() throws {
    let v6 = Endpoint(address: .v6(high: 0x2001_0db8_0000_0000, low: 2), port: 2196)
    for (source, destination) in [(provider, gateway), (v6, provider), (Endpoint(address: v6.address, port: 7), v6)] {
      let result = try read(capture(from: source, to: destination))
      let opener = source == v6 ? 1 : 0
      #expect(result.bytes[opener] == sent)
      #expect(result.bytes[1 - opener] == answer)
      #expect(result.closed == [0, 1])
      #expect(result.gaps.isEmpty)
      #expect(result.packetCount == 9)
    }
  }

  /// Recorded and taken later, the same streams come, up to where a capture is cut.
  @Test func recordingChangesNothing() throws {
    let sent = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }
    let whole = capture(of: sent, from: provider, to: gateway)
    for bytes in [whole, Array(whole.dropLast(100_001))] {
      let path = FileManager.default.temporaryDirectory.appending(path: "pieces-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: path) }
      try Data(bytes).write(to: path)
      let alone = CaptureContent(reading: try FileHandle(forReadingFrom: path))
      let together = CaptureContent(reading: try FileHandle(forReadingFrom: path), piece: 1 << 17)
      #expect(together.bytes == alone.bytes && together.gaps == alone.gaps && together.closed == alone.closed)
      #expect(together.packets == alone.packets && together.packetCount == alone.packetCount)
      #expect(together.error == alone.error)
    }
  }

  /// Reading it all, a cut capture breaks off once; by pieces, that is left to the caller.
  @Test func aCutCaptureBreaksOffOnce() throws {
    let bytes = Array(capture(from: provider, to: gateway).dropLast())
    let all = CaptureContent(of: bytes)
    #expect(all.error?.code == .damagedCapture && all.breaks == 1)
    var collector = CaptureCollector()
    var reassembler = Reassembler()
    let pipe = Pipe()
    pipe.fileHandleForWriting.write(Data(bytes))
    pipe.fileHandleForWriting.closeFile()
    var reader = try CaptureReader(ByteSource(descriptor: pipe.fileHandleForReading.fileDescriptor))
    #expect(throws: ReadError.self) { _ = try reader.readPiece(.max, into: &reassembler, &collector) }
    #expect(collector.content.breaks == 0)
    #expect(CaptureContent(of: capture(from: provider, to: gateway)).breaks == 0)
  }

  @Test func theWriterGivesTheSameBytesAgain() {
    #expect(capture(from: provider, to: gateway) == capture(from: provider, to: gateway))
    var writer = CaptureWriter()
    var empty: [UInt8] = []
    writer.finish(into: &empty)
    #expect(empty.count == 24)
    #expect(isCapture(empty))
  }

  @Test func timesAreKept() throws {
    let time = CaptureTime(seconds: 1_384_732_800, nanoseconds: 123_456_000, digits: 6)
    #expect(try read(capture(from: provider, to: gateway, at: time)).packets.first?.time == time)
    let clock = try read(capture(from: provider, to: gateway)).packets
    #expect(clock.map(\.time?.nanoseconds) == [3_000_000, 4_000_000, 5_000_000])
  }

  @Test func nanosecondsAreKept() throws {
    var bytes = capture(from: provider, to: gateway)
    bytes.replaceSubrange(0..<4, with: [0x4d, 0x3c, 0xb2, 0xa1])
    #expect(isCapture(bytes))
    #expect(try read(bytes).packets.map(\.time?.nanoseconds) == [3000, 4000, 5000])
    for head in [0, 2, 24] {
      #expect(try read(bytes, peeked: head).packets.map(\.time?.digits) == [9, 9, 9])
    }
  }

  /// However much was peeked at to recognise the format, nothing is read twice or lost.
  @Test(arguments: [0, 1, 4, 24, 30, 1000, 100_000])
  func theHeadIsServedFirst(count: Int) throws {
    let bytes = capture(from: provider, to: gateway)
    #expect(try read(bytes, peeked: count).bytes[0] == sent)
  }

  @Test func aCaptureCutAnywhereIsReadAsFarAsItGoes() throws {
    let bytes = capture(of: [1, 2, 3], from: provider, to: gateway)
    let whole = try read(bytes)
    let ends = packetEnds(in: bytes)
    for count in 0..<bytes.count {
      let result = CaptureContent(of: [UInt8](bytes.prefix(count)))
      let isWhole = ends.contains(count)
      #expect(result.error?.code == (isWhole ? nil : .damagedCapture), "cut at \(count)")
      #expect(result.packetCount == ends.count { $0 <= count && $0 > 24 }, "cut at \(count)")
      #expect(whole.packets.starts(with: result.packets))
      #expect(result.closed.count == result.bytes.count)
    }
  }

  @Test func filtersChoosePacketsAndKeepTheirNumbers() throws {
    let bytes = capture(from: provider, to: gateway)
    let result = try read(bytes, filter: "src port 2195")
    #expect(result.bytes[1] == answer)
    #expect(result.bytes[0] == nil)
    #expect(result.packets.map(\.number) == [6])
    #expect(try read(bytes, filter: "tcp port 80").bytes.isEmpty)
  }

  @Test func aBadFilterIsNamed() {
    let result = CaptureContent(of: capture(from: provider, to: gateway), filter: "port of call")
    #expect(result.error?.code == .badFilter)
  }

  @Test func anUnknownLinkTypeIsNamed() {
    var bytes = capture(from: provider, to: gateway)
    bytes[20] = 105
    let error = CaptureContent(of: bytes).error
    #expect(error?.code == .unknownLinkType)
    #expect(error?.reason.contains("105 (IEEE802_11)") == true)
  }

  @Test func whatIsNoCaptureIsDamaged() {
    #expect(CaptureContent(of: [UInt8]("hello, this is no capture at all".utf8)).error?.code == .damagedCapture)
  }

  @Test func aDescriptorThatCannotBeReadIsUnreadable() {
    let error = #expect(throws: ReadError.self) { _ = try CaptureReader(ByteSource(descriptor: -1)) }
    #expect(error?.code == .unreadable)
  }

  @Test func formatsAreRecognised() {
    let pcapng: [UInt8] = [10, 13, 13, 10, 28, 0, 0, 0, 0x4d, 0x3c, 0x2b, 0x1a]
    #expect(isCapture(pcapng))
    #expect(!isCapture([10, 13, 13, 10] + [UInt8](repeating: 10, count: 20)))
    for magic: [UInt8] in [
      [0xa1, 0xb2, 0xc3, 0xd4], [0xa1, 0xb2, 0x3c, 0x4d], [0xa1, 0xb2, 0xcd, 0x34],
    ] {
      #expect(isCapture(magic))
      #expect(isCapture(magic.reversed()))
    }
    #expect(!isCapture([]))
    #expect(!isCapture([0xa1, 0xb2]))
  }

  @Test func readingStopsWhenTheSinkHasEnough() throws {
    #expect(try read(capture(from: provider, to: gateway), limit: 1).packetCount == 4)
  }

  @Test func damageInTheMiddleNeverTraps() {
    let bytes = capture(from: provider, to: gateway)
    var state: UInt64 = 88_172_645_463_325_252
    for _ in 0..<500 {
      var copy = bytes
      for _ in 0..<3 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        copy[24 + Int((state >> 33) % UInt64(copy.count - 24))] = UInt8(truncatingIfNeeded: state >> 56)
      }
      _ = CaptureContent(of: copy)
    }
  }
}

private func read(
  _ bytes: [UInt8], filter: String? = nil, peeked: Int = 24, limit: Int = .max
) throws -> CaptureContent {
  let content = CaptureContent(of: bytes, peeked: peeked, filter: filter, limit: limit)
  if let error = content.error { throw error }
  return content
}

/// The offsets in a little-endian pcap file at which it may end.
private func packetEnds(in bytes: [UInt8]) -> Set<Int> {
  var ends: Set<Int> = [24]
  var offset = 24
  while offset + 16 <= bytes.count {
    offset += 16 + Int(bytes[offset + 8]) + Int(bytes[offset + 9]) << 8
    ends.insert(offset)
  }
  return ends
}
