import APNSDiagnosis
import APNSInput
import APNSWire
import TestSupport
import Testing

/// A stream of 500 frames in segments that are swapped, lost, repeated and overlapping: from bytes to frames.
@Suite struct LossyCaptureTests {
  /// Every frame whose bytes are all in the capture is found where it is, and every missing byte is counted.
  @Test(arguments: 0..<400)
  func noWholeFrameIsLost(seed: Int) {
    var session = Session(seed: UInt64(seed), frameCount: 500)
    let segments = session.segments()
    var covered = [Bool](repeating: false, count: session.bytes.count)
    for segment in segments { for index in segment { covered[index] = true } }

    var dissector = Dissector(.standard, into: Found())
    var reassembler = Reassembler()
    var number = 0
    func send(_ flags: UInt8, at position: Int, _ payload: ArraySlice<UInt8>) {
      number += 1
      let packet = session.packet(flags, at: position, payload)
      let origin = Origin.Packet(number: number, time: CaptureTime(seconds: number, nanoseconds: 0, digits: 6))
      reassembler.packet(packet.span, link: .raw, origin: origin, into: &dissector)
    }
    send(2, at: -1, [])
    for segment in segments { send(0x18, at: segment.lowerBound, session.bytes[segment]) }
    send(0x11, at: session.bytes.count, [])
    reassembler.finish(into: &dissector)

    let found = dissector.records
    let lost = session.frames.filter { frame in
      frame.allSatisfy { covered[$0] } && found.whole[frame.lowerBound] != frame.count
    }
    #expect(lost == [], "seed \(seed)")
    #expect(found.missing == covered.count { !$0 }, "seed \(seed)")
    #expect(reassembler.tally.missingBytes == found.missing, "seed \(seed)")
    #expect(found.bytes == covered.count { $0 }, "seed \(seed)")
  }

  private struct Found: RecordSink {
    var whole: [Int: Int] = [:]
    var missing = 0
    var bytes = 0
    var wantsMore: Bool { true }

    mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
      switch record.content {
      case .frame(_, nil): whole[record.offset] = record.count
      case .gap: missing += record.count
      default: break
      }
      self.bytes += bytes.count
    }
  }
}

/// What a provider sends, and the segments of it that a capture holds.
private struct Session {
  let bytes: [UInt8]
  let frames: [Range<Int>]
  private var random: SeededGenerator
  private let firstSequence: UInt32

  init(seed: UInt64, frameCount: Int) {
    random = SeededGenerator(seed: seed)
    var bytes: [UInt8] = []
    var frames: [Range<Int>] = []
    for number in 0..<frameCount {
      let start = bytes.count
      bytes += Self.frame(number, &random)
      frames.append(start..<bytes.count)
    }
    self.bytes = bytes
    self.frames = frames
    // Some wrap.
    firstSequence = random.chance(30) ? UInt32.max - 20_000 : UInt32.random(in: 0...UInt32.max, using: &random)
  }

  private static func frame(_ number: Int, _ random: inout SeededGenerator) -> [UInt8] {
    let token = [0, 32] + random.bytes(32)
    let words = String(repeating: "word ", count: Int.random(in: 0...20, using: &random))
    let payload = Array(#"{"aps":{"alert":"\#(words)\#(number)"}}"#.utf8)
    let length = [UInt8(payload.count >> 8), UInt8(payload.count & 255)]
    let identifier: [UInt8] = [0, 0, UInt8(number >> 8), UInt8(number & 255)]
    // An expiry that ends in 0 would make the end of command 1 read as command 0.
    let expiry: [UInt8] = [0x52, 0x8a, 0xaa, 1]
    if number % 3 == 0 { return [1] + identifier + expiry + token + length + payload }
    let items: [UInt8] =
      [1] + token + [2] + length + payload + [3, 0, 4] + identifier + [4, 0, 4] + expiry + [5, 0, 1, 10]
    return [2, 0, 0, UInt8(items.count >> 8), UInt8(items.count & 255)] + items
  }

  /// In the order of the capture.
  mutating func segments() -> [Range<Int>] {
    let longest = Int.random(in: 50...1460, using: &random)
    let (loses, repeats, overlaps) = (random.chance(70), random.chance(50), random.chance(50))
    let reach = [0, 3, 40, 10_000].randomElement(using: &random) ?? 0
    var segments: [(place: Int, range: Range<Int>)] = []
    var start = 0
    while start < bytes.count {
      let end = min(bytes.count, start + Int.random(in: 1...longest, using: &random))
      let from = overlaps && random.chance(30) ? max(0, start - Int.random(in: 0...200, using: &random)) : start
      let copies = loses && random.chance(3) ? 0 : repeats && random.chance(20) ? 2 : 1
      for _ in 0..<copies {
        segments.append((segments.count + Int.random(in: 0...reach, using: &random), from..<end))
      }
      start = end
    }
    return segments.enumerated().sorted { ($0.element.place, $0.offset) < ($1.element.place, $1.offset) }
      .map(\.element.range)
  }

  func packet(_ flags: UInt8, at position: Int, _ payload: ArraySlice<UInt8>) -> [UInt8] {
    rawPacket(flags, sequence: firstSequence &+ UInt32(truncatingIfNeeded: position), payload)
  }
}
