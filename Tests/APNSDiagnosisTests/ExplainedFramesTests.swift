import APNSDiagnosis
import APNSInput
import APNSWire
import TestSupport
import Testing

/// What is said of frames that a cause explains, and what a repair makes of them.
@Suite struct ExplainedFramesTests {
  private typealias Frame = TwoMistakesTests.Frame

  /// Frames of command 2 whose tokens differ.
  private static func frames(_ count: Int, _ written: (Frame) -> [UInt8]) -> [[UInt8]] {
    var random = SeededGenerator(seed: 3)
    return (0..<count).map { written(Frame(number: $0, token: random.bytes(32))) }
  }

  private static func repaired(_ bytes: [UInt8], _ role: StreamRole? = .provider) -> [UInt8] {
    NameTests.repaired(bytes, findings(in: bytes, role, RulePolicy()).compactMap(\.cause).filter { $0.repaired != nil })
  }

  /// The lengths after a wrong one divide the frame into items that no sender wrote.
  @Test(
    arguments: [[.countsCharacters], [.frameLengthPlusFive], [.lengthsLittleEndian]] as [Set<TwoMistakesTests.Mistake>])
  func noOtherFindingRestsOnAWrongLength(_ mistakes: Set<TwoMistakesTests.Mistake>) {
    let found = findings(in: Self.frames(3) { $0.written(mistakes) }.flatMap(\.self))
    let causes = found.compactMap(\.cause?.id)
    #expect(causes.count == 3 && Set(causes).count == 1)
    #expect(found.filter { $0.severity > .note }.count == 3, "\(found.map(\.rule))")
  }

  /// The rules judge the payload up to its end, as if its length were right.
  @Test func valuesAreJudgedAsMeant() throws {
    let payload = Array(#"{"aps":{"alert":"Привет","badge":"3"},"Aps":1}"#.utf8)
    let right = enhanced(7, 1_384_819_200, goodToken, payload)
    let length = right.count - payload.count - 2
    var wrong = right
    wrong[length + 1] -= 6
    let (good, found) = (findings(in: right), findings(in: wrong))
    let first = try #require(found.first)
    #expect(first.cause?.id == "payload-length-in-characters" && first.range == length..<(length + 2))
    #expect(!good.isEmpty && found.dropFirst().map(\.rule) == good.map(\.rule))
    let rest = zip(good, found.dropFirst())
    // What is after the frame, as its length says, is found at its end.
    #expect(rest.allSatisfy { min($0.range.lowerBound, right.count - 6) == $1.range.lowerBound })
    #expect(found.dropFirst().allSatisfy { $0.answer == nil })
  }

  /// The sender of an identifier also reads it, in whatever order it writes one.
  @Test func anUnusualIdentifierIsLeftAsItIs() {
    var random = SeededGenerator(seed: 5)
    let meant = (0..<4).map { number in
      enhanced((0xa1b2_c3d5 + number * 0x1234_5679) & 0xffff_ffff, 1_384_819_200 + 60 * number, random.bytes(32))
    }
    let written = meant.map { $0[..<5] + $0[5..<9].reversed() + $0[9...] }
    #expect(Self.repaired(Array(written.joined())) == Array(meant.joined()))
  }

  /// A tuple that is cut takes the first bytes of the next one for the end of its token.
  @Test(arguments: 6...31) func aCutTupleHidesNoOther(_ size: Int) {
    var random = SeededGenerator(seed: UInt64(size))
    let tuples = (0..<5).map { feedback(1_384_732_800 + 60 * $0, random.bytes(32)) }
    let bytes = tuples[0] + tuples[1] + tuples[2].prefix(size) + tuples[3] + tuples[4]
    let records = dissected(bytes, .feedback)
    #expect(records == [38, 38, size, 38, 38])
  }

  /// A sender that takes a frame for a list of notifications.
  @Test func theItemsOfSeveralInOneFrameAreSeveralFrames() {
    let frames = Self.frames(4) { $0.written([]) }
    let items = frames[1...2].flatMap { $0.dropFirst(5) }
    let together = [2, 0, 0, UInt8(items.count >> 8), UInt8(items.count & 255)] + items
    #expect(Self.repaired(frames[0] + together + frames[3]) == frames.flatMap(\.self))
  }

  /// Items in frames of their own are of one notification only if others have the same ones.
  @Test(arguments: [0, 1, 7, 12]) func itemsOfDifferentNotificationsAreNotJoined(_ lost: Int) {
    var parts = Self.frames(4) { $0.written([.itemsInFrames]) }.flatMap { bytes in
      var (parts, rest): ([[UInt8]], ArraySlice<UInt8>) = ([], bytes[...])
      while let size = rest.dropFirst(4).first {
        parts.append(Array(rest.prefix(5 + Int(size))))
        rest = rest.dropFirst(5 + Int(size))
      }
      return parts
    }
    let tokens = parts.filter { $0[5] == 1 }.map { Array($0.dropFirst(8)) }
    let payloads = parts.filter { $0[5] == 2 }.map { Array($0.dropFirst(8)) }
    parts.remove(at: lost)
    let repaired = Self.repaired(parts.flatMap(\.self))
    for (index, token) in tokens.enumerated() {
      for (other, payload) in payloads.enumerated() where other != index {
        #expect(repaired.firstRange(of: token + [2, 0, UInt8(payload.count)] + payload) == nil)
      }
    }
  }

  /// A buffer whose end is written twice; the frame before may have come long before.
  @Test(arguments: [20, 50, 1000]) func whatIsWrittenAgainIsMeantOnce(inPiecesOf size: Int) {
    let frames = Self.frames(4) { $0.written([]) }
    let bytes = frames[0] + frames[1] + frames[1].suffix(80) + frames[2] + frames[3]
    var stream = JudgedStream()
    for start in stride(from: 0, to: bytes.count, by: size) { stream.append(Array(bytes[start...].prefix(size))) }
    #expect(NameTests.repaired(bytes, stream.finish().compactMap(\.cause)) == frames.flatMap(\.self))
  }

  /// Of a write that ended early, and all of it once more, one frame was meant.
  @Test(arguments: [5, 9, 30, 60, 90]) func aFrameThatIsWrittenAgainIsMeantOnce(_ size: Int) {
    let frames = Self.frames(4) { $0.written([]) }
    let bytes = frames[0] + frames[1].prefix(size) + frames[1] + frames[2] + frames[3]
    #expect(Self.repaired(bytes) == frames.flatMap(\.self))
  }

  /// The same where more frames are sent again before it.
  @Test func aPartOfALaterFrameIsMeantOnce() {
    let frames = Self.frames(5) { $0.written([]) }
    let bytes = frames[0] + frames[1] + frames[2].prefix(40) + frames[1] + frames[2] + frames[3]
    #expect(Self.repaired(bytes) == [0, 1, 1, 2, 3].flatMap { frames[$0] })
  }

  /// Where a brace is missing is seen only if each key is where it belongs then, and a text may have been cut at the
  /// longest size.
  @Test(arguments: [
    (#"{"aps":{"alert":"Hi","badge":1,"id":5}"#, false), (#"{"aps":{"alert":{"body":"Hi","badge":1}}"#, false),
    (#"{"aps":{"alert":"Hi","badge":1},"id":5"#, false), (#"{"aps":{"alert":"Hi","badge":1},"id":{"u":5}"#, true),
    (#"{"aps":{"alert":"Hi","badge":1}"#, true),
    (#"{"aps":{"alert":"\#(String(repeating: "o", count: 229))","a":1}"#, false),
  ]) func aBraceIsAddedWhereItWas(_ text: String, isCertain: Bool) {
    func frames(_ text: String) -> [UInt8] {
      (0..<3).flatMap { number -> [UInt8] in
        [1] + bigEndian(number, 4) + bigEndian(0, 4) + counted(goodToken) + counted(Array(text.utf8))
      }
    }
    #expect(Self.repaired(frames(text)) == frames(isCertain ? text + "}" : text))
  }

  /// An expiry that is the same in each frame says once what it may mean, which is no evidence.
  @Test(arguments: [0xef38_9000, 0x1a95_dc00]) func aNumberThatIsAlwaysTheSameIsLeftAlone(_ expiry: Int) {
    let bytes = (0..<3).flatMap { enhanced($0, expiry) }
    #expect(Self.repaired(bytes) == bytes)
  }

  /// Text after a payload that does not end is the rest of it.
  @Test func theRestOfAPayloadIsKept() {
    let payload = Array(#"{"aps":{"alert":"Γεια σου, νέο"},"u":"http://example.com/?x=1""#.utf8)
    let bytes = (0..<3).flatMap { number -> [UInt8] in
      [1] + bigEndian(number, 4) + bigEndian(0, 4) + counted(goodToken) + [0, UInt8(payload.count - 10)] + payload
    }
    #expect(Self.repaired(bytes) == bytes)
  }

  /// The first byte of the next frame is not the end of a faulty payload whose length counts one byte too many.
  @Test func aCommandIsNotTakenForANUL() {
    func frames(_ payload: String, _ size: Int) -> [UInt8] {
      (0..<3).flatMap { _ -> [UInt8] in [0] + counted(goodToken) + [0, UInt8(size)] + Array(payload.utf8) }
    }
    let meant = #"{"aps":{"alert":"Hi"}}"#
    let written = meant.dropLast() + ",}"
    let repaired = Self.repaired(frames(String(written), written.utf8.count + 1))
    #expect(repaired == frames(meant, meant.utf8.count))
  }

  /// A tuple that has lost a byte makes no other of the next one.
  @Test func aTupleThatLostAByteIsNotFilledFromTheNext() {
    let tuples = (0..<4).map { feedback(1_384_732_800 + 60 * $0) }
    let bytes: [UInt8] = tuples[0] + tuples[1].dropLast() + tuples[2] + tuples[3]
    #expect(Self.repaired(bytes, .feedback) == bytes)
  }

  /// An item is no padding of the payload whose length counts it.
  @Test func itemsInAPayloadAreKept() throws {
    let frame = Self.frames(1) { $0.written([]) }[0]
    let payload = try #require(frame.indices.first { frame[$0...].starts(with: [2, 0]) && $0 > 5 })
    var written = frame
    written[payload + 2] += 7
    #expect(Self.repaired(written) == frame)
  }

  @Test func aHabitMayBeTheSameInEachFrame() {
    let time = 1_384_819_200
    func frames(_ expiry: [UInt8]) -> [UInt8] {
      Self.frames(4) { frame in
        let items =
          [1] + counted(frame.token) + [2] + counted(goodPayload) + [3] + counted(bigEndian(100 + frame.number, 4)) + [
            4
          ]
          + counted(expiry)
        return [2] + bigEndian(items.count, 4) + items
      }.flatMap(\.self)
    }
    #expect(Self.repaired(frames(bigEndian(1000 * time, 8))) == frames(bigEndian(time, 4)))
  }

  /// A time as the identifier, and an expiry in seconds from now.
  @Test(arguments: [0, 300, 86_400]) func aLifetimeIsNoIdentifier(_ lifetime: Int) {
    let bytes = (0..<4).flatMap { enhanced(1_384_819_200 + 7 * $0, lifetime) }
    #expect(Self.repaired(bytes) == bytes)
  }

  /// The size of a token that a text or C has cut is no mistake of its length.
  @Test(arguments: [4, 16, 20]) func aTokenThatIsCutIsLost(_ size: Int) {
    let token = Array(goodToken.prefix(size))
    let bytes = (0..<3).flatMap { number -> [UInt8] in
      let numbers = bigEndian(number, 4) + bigEndian(0, 4)
      return [1] + numbers + [0, 32] + token + counted(goodPayload)
    }
    #expect(Self.repaired(bytes) == bytes)
  }

  /// Without a role that is given, faulty frames show it.
  @Test func faultyTuplesShowTheirRole() {
    var random = SeededGenerator(seed: 3)
    let tuples: [[UInt8]] = (0..<4).map { feedback(1_384_732_800 + 60 * $0, random.bytes(32)) }
    let meant = Array(tuples.joined())
    let written = tuples.flatMap { $0.prefix(4).reversed() + $0.dropFirst(4) }
    #expect(Self.repaired(written, nil) == meant)
    #expect(Self.repaired(tuples.flatMap { [0, UInt8($0.count)] + $0 }, nil) == meant)
    #expect(Self.repaired(tuples.flatMap { $0.prefix(4) + $0.dropFirst(6) }, nil) == meant)
  }
}

/// The sizes of all records of a stream, in bytes.
private func dissected(_ bytes: [UInt8], _ role: StreamRole) -> [Int] {
  struct Sizes: RecordSink {
    var all: [Int] = []
    var wantsMore: Bool { true }
    mutating func take(_ record: Record, _ bytes: Span<UInt8>) { all.append(bytes.count) }
  }
  var dissector = Dissector(.standard, policy: RolePolicy(role: role), into: Sizes())
  dissector.open(ByteStream(number: 0))
  dissector.append(bytes.span, from: .input(offset: 0), to: 0)
  dissector.finish()
  return dissector.records.all
}
