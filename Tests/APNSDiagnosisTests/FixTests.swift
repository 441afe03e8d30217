import APNSDiagnosis
import APNSWire
import Octets
import Testing

/// Fixes name the value to write if the bytes show it, and never a value that would make things worse.
@Suite struct FixTests {
  private static let frames = enhanced(8) + enhanced(9)
  private static let lengthOfPayload = 43..<45

  /// Command 1 with this payload length.
  private func frame(saying length: Int) -> [UInt8] {
    var bytes = enhanced()
    bytes.replaceSubrange(Self.lengthOfPayload, with: bigEndian(length, 2))
    return bytes
  }

  private func first(_ rule: String, in bytes: [UInt8], recovers: Bool = true) -> Finding? {
    findings(in: bytes, recovers: recovers).first { $0.rule == rule }
  }

  @Test(arguments: [23, 24, 40, 200]) func aLengthThatIsTooLargeIsCorrected(_ length: Int) {
    for (rule, rest) in [("overruled-length", Self.frames), ("truncated", [])] {
      let found = first(rule, in: frame(saying: length) + rest)
      #expect(found?.range == Self.lengthOfPayload, "\(rule) \(length)")
      #expect(found?.fix.hasPrefix("write 00 16 as the payload length; ") == true, "\(rule) \(length)")
    }
  }

  /// However the bytes arrive.
  @Test(
    arguments: [
      (21, "write 00 16 as the payload length; "), (20, "write 00 16 as the payload length; "),
      (12, "write 22 as its length"), (3, "write 00 16 as the payload length; "),
    ])
  func aLengthThatIsTooSmallIsCorrected(_ length: Int, _ fix: String) {
    let bytes = frame(saying: length) + Self.frames
    let found = first("json-cut", in: bytes)
    #expect(found?.fix.hasPrefix(fix) == true, "\(found?.fix ?? "nothing")")
    var stream = JudgedStream()
    for byte in bytes { stream.append([byte]) }
    #expect(stream.finish() == findings(in: bytes))
  }

  /// A length is right, and bytes are missing: to write a smaller length would send half a token.
  @Test(arguments: [15, 30, 50, 60]) func missingBytesAreNotCoveredUp(_ count: Int) {
    let found = first("overruled-length", in: enhanced(7).prefix(count) + Self.frames)
    #expect(found != nil && found?.fix.contains("send all bytes") == true && found?.fix.hasPrefix("write ") == false)
  }

  /// The frame length is at fault, not the end of the stream.
  @Test func anImpossibleFrameLengthIsMarked() {
    let items = notification().dropFirst(5)
    let bytes = [2, 0, UInt8(items.count), 1, 0, 32] + items.dropFirst(3)
    let found = first("truncated", in: bytes)
    #expect(found?.range == 1..<5)
    #expect(found?.fix.contains("00 00 00 \(String(items.count, radix: 16))") == true, "\(found?.fix ?? "nothing")")
  }

  @Test func itemsAreCorrected() {
    let size = first("wrong-item-size", in: [2, 0, 0, 0, 7, 5, 0, 4, 0, 0, 0, 10])
    #expect(size?.fix == "write 00 01 as its length, then 0a")
    let spare = first("spare-bytes", in: [2, 0, 0, 0, 6, 5, 0, 1, 10, 0, 0])
    #expect(spare?.fix.hasPrefix("write 00 00 00 04 as the frame length") == true)
    let json = Array("{}".utf8)
    let overrun = first("item-overrun", in: [2, 0, 0, 0, 5, 2, 0, 0x16] + json)
    #expect(overrun?.fix.hasPrefix("write 00 02 as the item's length") == true)
  }

  /// A wrong length in the frame before is not the reason if that frame is intact, or if there is none.
  @Test func foreignBytesAreSeenInTheirPlace() {
    let line = Array("[INFO] sent 7\n".utf8)
    let fixes = [line, enhanced() + line + Self.frames, frame(saying: 3).dropLast(4) + Self.frames].map { bytes in
      findings(in: bytes, recovers: false).first { $0.rule == "unknown-command" }?.fix ?? ""
    }
    #expect(Set(fixes).count == 3)
    #expect(fixes.map { $0.contains("the preceding frame first") } == [false, false, true])
  }

  @Test(arguments: [([0x1f, 0x8b, 8, 0], "gzip"), (Array("bplist00".utf8), "property list")] as [([UInt8], String)])
  func otherFormatsAreNamed(_ start: [UInt8], _ name: String) {
    let found = first("payload-not-json", in: enhanced(7, 0, goodToken, start + [0, 1, 2, 3]))
    #expect(found?.message.contains(name) == true)
  }

  /// RFC 4627 allows UTF-16 and UTF-32, and does not mention a byte order mark.
  @Test func encodingsOfTheRFCAreNoErrors() {
    let text = Array(#"{"aps":{}}"#.utf8)
    let payloads: [[UInt8]] = [
      text.flatMap { [$0, 0] }, text.flatMap { [0, $0] }, text.flatMap { [$0, 0, 0, 0] },
      text.flatMap { [0, 0, 0, $0] },
      [0xef, 0xbb, 0xbf] + text,
    ]
    for payload in payloads {
      let found = findings(in: enhanced(7, 1_384_819_200, goodToken, payload))
      #expect(found.map(\.severity) == [.warning], "\(payload): \(found.map(\.rule))")
    }
  }

  /// Only the edition of 2017 requires exactly one token and one payload.
  @Test func repeatedItemsAreErrorsWhereAnEditionSaysSo() {
    let token = [1] + counted(goodToken)
    let priority: [UInt8] = [5, 0, 1, 10]
    let start = token + [2] + counted(goodPayload)
    for (item, edition, severity) in [
      (token, Edition.year2013, Finding.Severity.warning), (token, .year2017, .error), (priority, .year2017, .warning),
    ] {
      let items = start + item + (item == priority ? item : [])
      let found = findings(in: [2] + bigEndian(items.count, 4) + items, edition: edition).filter {
        $0.rule == "repeated-item"
      }
      #expect(found.map(\.severity) == [severity])
      #expect(found.first?.answer == (severity == .error ? .status(128) : nil))
    }
  }
}
