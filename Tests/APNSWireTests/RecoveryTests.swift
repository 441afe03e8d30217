import APNSWire
import TestSupport
import Testing

/// Where lengths cannot be believed, framing goes on with the next frames that fit.
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

  /// From any byte on, at most the frame that was cut is lost, and nothing is taken for a good frame that nobody sent
  /// (one that begins the stream with a token of another size draws an error).
  @Test func aCutStreamLosesOneFrameAtMost() {
    let (bytes, starts) = Self.stream(frames: 1_000)
    var nextFrame = 0
    for offset in bytes.indices {
      if nextFrame < starts.count, starts[nextFrame] < offset { nextFrame += 1 }
      let next = nextFrame < starts.count ? starts[nextFrame] : bytes.count
      var framer = Framer(.standard, role: .provider, recovers: true)
      var position = offset
      while position < next, let frame = framer.next(at: position, in: bytes.span, isFinal: true) {
        let token = Catalog.standard.leaf(.token, of: frame, in: bytes.span)
        if frame.condition == .complete, token?.count == 32, Catalog.standard.isPlausible(frame, in: bytes.span) {
          Issue.record("APNSCOPE_SEED=\(runSeed) from \(offset): a frame \(frame.range) before \(next)")
          return
        }
        position = frame.end
      }
      guard position == next else {
        Issue.record("APNSCOPE_SEED=\(runSeed) from \(offset): framing went on at \(position), not at \(next)")
        return
      }
    }
  }

  /// Damage in one frame leaves every other whole, whatever it is.
  @Test func damageStaysInItsFrame() {
    let (bytes, starts) = Self.stream(frames: 40)
    for run in 0..<20_000 {
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
      var framer = Framer(.standard, role: .provider, recovers: true)
      var found: Set<Range<Int>> = []
      var position = 0
      while let frame = framer.next(at: position, in: damaged.span, isFinal: true) {
        if frame.condition == .complete { found.insert(frame.range) }
        position = frame.end
      }
      #expect(position == damaged.count)
      for index in starts.indices where index != hurt {
        let end = index + 1 < starts.count ? starts[index + 1] : bytes.count
        let moved = index > hurt ? shift : 0
        let range = (starts[index] + moved)..<(end + moved)
        if !found.contains(range) {
          Issue.record(
            "APNSCOPE_SEED=\(runSeed) run \(run): frame \(index) is lost by damage at \(place), frame \(hurt)")
          return
        }
      }
    }
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
    var framer = Framer(.standard, role: .provider, recovers: true)
    var whole: [Range<Int>] = []
    var position = 0
    while let frame = framer.next(at: position, in: bytes.span, isFinal: true) {
      if frame.condition == .complete { whole.append(frame.range) }
      position = frame.end
    }
    #expect(whole.last == begin..<bytes.count)
  }

  /// The lengths of a frame that no others begin in are believed, however odd it is.
  @Test func oddFramesStayWhole() {
    var draft = FrameDraft(LegacyNotification.schema)
    draft.values = ["token": .octets([UInt8](repeating: 7, count: 3_000)), "payload": .octets([0x5b, 0x5d])]
    guard let odd = try? draft.bytes() else { preconditionFailure("a draft lacks a field") }
    var framer = Framer(.standard, role: .provider, recovers: true)
    let frame = framer.next(at: 0, in: (odd + odd).span, isFinal: false)
    #expect(frame?.condition == .complete && frame?.end == odd.count)
  }

  /// An identifier of 512 and an expiry of 0 contain what reads as a list without items.
  @Test func anEmptyListIsNoEvidence() throws {
    var draft = FrameDraft(EnhancedNotification.schema)
    draft.values = [
      "identifier": .integer(512), "expiry": .integer(0), "token": .octets([0xaa, 0xbb]),
      "payload": .octets(Array(#"{"aps":{"alert":"Hi"}}"#.utf8)),
    ]
    let bytes = try draft.bytes()
    var framer = Framer(.standard, role: .provider, recovers: true)
    #expect(framer.next(at: 0, in: bytes.span, isFinal: true)?.end == bytes.count)
  }
}
