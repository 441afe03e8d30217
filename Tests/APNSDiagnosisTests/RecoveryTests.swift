import APNSDiagnosis
import APNSInput
import APNSWire
import TestSupport
import Testing

/// Where lengths cannot be believed, dissecting goes on with the next frames that fit.
@Suite struct RecoveryTests {
  /// Whole frames of the three commands, and where they begin; no expiry ends in 00, since the end of a frame of command
  /// 1 with such a one reads exactly like a frame of command 0.
  private static func stream(frames: Int) -> (bytes: [UInt8], starts: [Int]) {
    var generator = SeededGenerator(seed: runSeed)
    var bytes: [UInt8] = []
    var starts: [Int] = []
    for number in 0..<frames {
      starts.append(bytes.count)
      let token = (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let texts = ["Hi", "Привет", "新消息", "🎉 party", #"{\"x\":1}"#]
      let text = texts[number % texts.count] + String(repeating: "x", count: Int.random(in: 0...90, using: &generator))
      let payload = Array(#"{"aps":{"alert":"\#(text)","badge":\#(number)}}"#.utf8)
      let expiry = UInt64(1_384_819_200 + number * 256 + 1 + number % 255)
      let identifier = UInt64(number)
      var draft: FrameDraft
      switch UInt8.random(in: 0...2, using: &generator) {
      case 0:
        draft = FrameDraft(LegacyNotification.schema)
        draft.values = ["token": .octets(token), "payload": .octets(payload)]
      case 1:
        draft = FrameDraft(EnhancedNotification.schema)
        draft.values = [
          "identifier": .integer(identifier), "expiry": .integer(expiry), "token": .octets(token),
          "payload": .octets(payload),
        ]
      default:
        draft = FrameDraft(APNSWire.Notification.schema)
        draft.values["items"] = .items([
          ItemDraft(1, data: .octets(token)), ItemDraft(2, data: .octets(payload)),
          ItemDraft(3, data: .integer(identifier)), ItemDraft(4, data: .integer(expiry)),
          ItemDraft(5, data: .integer(10)),
        ])
      }
      guard let frame = try? draft.bytes() else { preconditionFailure("a draft lacks a field") }
      bytes += frame
    }
    return (bytes, starts)
  }

  private struct Frames: RecordSink {
    var all: [Range<Int>] = []
    /// Complete frames whose token has its usual size.
    var usual: [Range<Int>] = []
    var wantsMore: Bool { true }

    mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
      all.append(record.offset..<(record.offset + record.count))
      guard case .frame(let frame, _) = record.content, frame.condition == .complete,
        Catalog.standard.leaf(.token, of: frame, in: bytes)?.count == 32
      else { return }
      usual.append(record.offset..<(record.offset + record.count))
    }
  }

  /// The pieces of a provider's stream, which may arrive in two parts.
  private static func frames(in bytes: [UInt8], cutAt size: Int = 0) -> Frames {
    var dissector = Dissector(.standard, policy: RolePolicy(role: .provider), into: Frames())
    dissector.open(ByteStream(number: 0))
    if size > 0 { dissector.append(bytes.span.extracting(..<size), from: .input(offset: 0), to: 0) }
    dissector.append(bytes.span.extracting(size...), from: .input(offset: size), to: 0)
    dissector.finish()
    return dissector.records
  }

  /// An intact frame between others that nothing explains is a record of its own.
  @Test func anIntactFrameBetweenBadOnes() {
    let (good, quoted): ([UInt8], [UInt8]) = ([0x64, 0xc3, 0x33, 0x6c], Array("\"1690512932\"".utf8))
    let expiries = [good, good] + [[UInt8]](repeating: quoted, count: 5) + [good, quoted, good, good, good]
    let payload = Array(#"{"aps":{"alert":"Hello"}}"#.utf8)
    let frames = expiries.enumerated().map { number, expiry in
      var frame: [UInt8] = [1, 0, 0, 3, UInt8(number)]
      frame += expiry + [0, 32]
      frame += (0..<32).map { UInt8(truncatingIfNeeded: ($0 + number) * 37) }
      return frame + [0, UInt8(payload.count)] + payload
    }
    var expected: [Range<Int>] = []
    var start = 0
    for (frame, expiry) in zip(frames, expiries) {
      if expiry == good { expected.append(start..<(start + frame.count)) }
      start += frame.count
    }
    #expect(Self.frames(in: frames.flatMap(\.self)).usual == expected)
  }

  /// Bytes before each frame, of which nine of ten have text in place of JSON, take no frame along, however many there
  /// are: also not when the stream may spend no more on searches.
  @Test(arguments: ["\r\n", "sent 1 notification\n", "\u{1}\u{2}\u{3}"]) func foreignBytesTakeNoFrameAlong(
    _ gap: String
  ) {
    var random = SeededGenerator(seed: 1)
    var (bytes, expected): ([UInt8], [Range<Int>]) = ([], [])
    for number in 0..<2_000 {
      let payload = number % 10 == 0 ? #"{"aps":{"alert":"Hello"}}"# : "Hello world, no JSON"
      bytes += gap.utf8
      let start = bytes.count
      bytes += [1, 0, 0, UInt8(number >> 8), UInt8(number & 0xff), 0x52, 0x8a, 0xaa, 1, 0, 32]
      bytes += (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
      bytes += [0, UInt8(payload.utf8.count)] + payload.utf8
      expected.append(start..<bytes.count)
    }
    #expect(Self.frames(in: bytes).usual == expected)
  }

  /// After more foreign bytes than a search holds, the head of the next frame may arrive in pieces.
  @Test(arguments: 1..<12) func theHeadOfAFrameMayArriveInPieces(size: Int) {
    var random = SeededGenerator(seed: 1)
    var bytes = (0..<20_000).map { _ in UInt8.random(in: 0xf0...0xff, using: &random) }
    let begin = bytes.count
    for number in UInt8(1)...6 {
      bytes += [1, 0, 0, 0, number, 0x52, 0x8a, 0xaa, number, 0, 32]
      bytes += (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
      bytes += [0, 20] + Array(#"{"aps":{"badge":13}}"#.utf8)
    }
    #expect(Self.frames(in: bytes, cutAt: begin + size).all == Self.frames(in: bytes).all)
  }

  /// A token that is cut makes the head of the next frame part of it, but takes that frame not along.
  @Test(arguments: [23, 26, 29]) func aCutTokenTakesNoFrameAlong(size: Int) {
    var random = SeededGenerator(seed: 1)
    func frame(tokenSize: Int) -> [UInt8] {
      let token = (0..<tokenSize).map { _ in UInt8.random(in: 0...255, using: &random) }
      return [1, 0, 0, 0x4e, UInt8.random(in: 0...255, using: &random), 0, 0, 0, 0, 0, 32] + token
        + [0, 20] + Array(#"{"aps":{"badge":13}}"#.utf8)
    }
    var (bytes, expected): ([UInt8], [Range<Int>]) = ([], [])
    for number in 0..<40 {
      let next = frame(tokenSize: number % 4 == 2 ? size : 32)
      if number % 4 != 2 { expected.append(bytes.count..<(bytes.count + next.count)) }
      bytes += next
    }
    #expect(Self.frames(in: bytes).usual == expected)
  }

  /// A priority of two bytes whose length says one: with its rest, a frame of command 1 would begin that leads to the
  /// token of the next frame.
  @Test func aTokenIsThatOfThePlausibleFrame() {
    var random = SeededGenerator(seed: 1)
    func frame(_ number: UInt8, priority: [UInt8]) -> [UInt8] {
      let token = (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
      let items =
        [1, 0, 32] + token + [2, 0, 20] + Array(#"{"aps":{"badge":13}}"#.utf8) + [3, 0, 4, 0, 0, 0, number]
        + [4, 0, 4, 0x52, 0x8a, 0xaa, number, 5, 0, 1] + priority
      return [2, 0, 0, 0, UInt8(items.count)] + items
    }
    let frames = (1...4).map { frame($0, priority: $0 == 1 ? [0, 10] : [10]) }
    let second = frames[0].count..<(frames[0].count + frames[1].count)
    #expect(Self.frames(in: frames.flatMap(\.self)).usual.contains(second))
  }

  /// From any byte on, at most the frame that was cut is lost, and nothing is taken for a good frame that was not sent.
  /// The rest of a frame may read as the beginning of another by chance, so a few of 2,500 offsets may lose one more.
  @Test func aCutStreamLosesOneFrameAtMost() {
    let (bytes, starts) = Self.stream(frames: 24)
    let sent = starts.indices.map { starts[$0]..<($0 + 1 < starts.count ? starts[$0 + 1] : bytes.count) }
    var lost: [Int] = []
    for offset in 0...starts[20] {
      let found = Self.frames(in: Array(bytes[offset...])).usual
      let whole = found.map { ($0.lowerBound + offset)..<($0.upperBound + offset) }
      let expected = sent.filter { $0.lowerBound >= offset }
      #expect(
        whole.allSatisfy(expected.contains) && whole.count >= expected.count - 1,
        "APNSCOPE_SEED=\(runSeed) from \(offset)")
      if whole.count < expected.count { lost.append(offset) }
    }
    #expect(lost.count <= 8, "APNSCOPE_SEED=\(runSeed) from \(lost)")
  }

  /// Damage in one frame leaves every other whole, whatever it is. As above, two of 2,000 may lose one more by chance.
  @Test func damageStaysInItsFrame() {
    let (bytes, starts) = Self.stream(frames: 40)
    var lost: [String] = []
    for run in 0..<2_000 {
      var random = SeededGenerator(seed: runSeed &+ UInt64(run))
      let hurt = Int.random(in: 0..<39, using: &random)
      let place = Int.random(in: starts[hurt]..<starts[hurt + 1], using: &random)
      var damaged = bytes
      var shift = 0
      switch run % 4 {
      case 0: damaged[place] ^= UInt8.random(in: 1...255, using: &random)
      case 1:
        damaged.remove(at: place)
        shift = -1
      case 2:
        damaged.insert(UInt8.random(in: 0...255, using: &random), at: place)
        shift = 1
      default:
        let end = min(place + 2, starts[hurt + 1])
        for index in place..<end { damaged[index] = 0xff }
      }
      let found = Self.frames(in: damaged)
      #expect(found.all.last?.upperBound == damaged.count)
      let whole = Set(found.usual)
      for index in starts.indices where index != hurt {
        let end = index + 1 < starts.count ? starts[index + 1] : bytes.count
        let moved = index > hurt ? shift : 0
        let range = (starts[index] + moved)..<(end + moved)
        if !whole.contains(range) { lost.append("run \(run): frame \(index) by damage at \(place), frame \(hurt)") }
      }
    }
    #expect(lost.count <= 2, "APNSCOPE_SEED=\(runSeed) \(lost)")
  }

  /// A 1 that got into the end of a frame makes an enhanced notification of it and the legacy one behind; the date in
  /// that one, long before the service was there, gives it away.
  @Test func aDateOfNobodyBeginsNoFrame() throws {
    var first = FrameDraft(APNSWire.Notification.schema)
    first.values["items"] = .items([
      ItemDraft(1, data: .octets([UInt8](repeating: 7, count: 32))),
      ItemDraft(2, data: .octets(Array(#"{"aps":{}}"#.utf8))),
      ItemDraft(3, data: .integer(33)), ItemDraft(4, data: .integer(1_384_827_682)), ItemDraft(5, data: .integer(10)),
    ])
    var second = FrameDraft(LegacyNotification.schema)
    second.values = [
      "token": .octets([UInt8](repeating: 9, count: 32)), "payload": .octets(Array(#"{"aps":{}}"#.utf8)),
    ]
    var bytes = try first.bytes()
    bytes.insert(1, at: bytes.count - 7)
    let begin = bytes.count
    bytes += try second.bytes()
    #expect(Self.frames(in: bytes).usual.last == begin..<bytes.count)
  }

  /// The lengths of a frame that no others begin in are believed, however odd it is.
  @Test func oddFramesStayWhole() {
    var draft = FrameDraft(LegacyNotification.schema)
    draft.values = ["token": .octets([UInt8](repeating: 7, count: 3_000)), "payload": .octets([0x5b, 0x5d])]
    guard let odd = try? draft.bytes() else { preconditionFailure("a draft lacks a field") }
    #expect(Self.frames(in: odd + odd).all == [0..<odd.count, odd.count..<(2 * odd.count)])
  }

  /// An identifier of 512 and an expiry of 0 contain what reads as a list without items.
  @Test func anEmptyListIsNoEvidence() throws {
    var draft = FrameDraft(EnhancedNotification.schema)
    draft.values = [
      "identifier": .integer(512), "expiry": .integer(0), "token": .octets([0xaa, 0xbb]),
      "payload": .octets(Array(#"{"aps":{"alert":"Hi"}}"#.utf8)),
    ]
    let bytes = try draft.bytes()
    #expect(Self.frames(in: bytes).all == [bytes.indices])
  }
}
