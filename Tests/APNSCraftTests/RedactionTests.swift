import APNSCraft
import APNSDiagnosis
import APNSInput
import APNSPayload
import APNSWire
import Foundation
import Octets
import TestSupport
import Testing

/// Redacting every sample: nothing of what was private stays, and the findings of sound frames do.
@Suite struct RedactionTests {
  private let redactor = Redactor(StandIns(key: "a key for tests"), catalog: .standard)

  /// By text, raw bytes and dumps: whatever can be read.
  @Test(arguments: ["frames", "malformed", "peers", "text"])
  func redactsEverySample(_ folder: String) throws {
    var (count, changed) = (0, [] as [String])
    for file in try Samples.files(in: folder, endingWith: "") {
      guard ["bin", "hex", "txt"].contains(file.pathExtension), let log = try Self.log(of: file) else { continue }
      var redacted = log
      for index in log.streams.indices {
        let bytes = redactor.redact(log.streams[index])
        let leaks = Private(log.streams[index].bytes).leaks(in: bytes)
        #expect(leaks.isEmpty, "\(file.lastPathComponent) \(leaks)")
        redacted.streams[index].bytes = bytes
        count += 1
      }
      let difference = redactor.difference(log, redacted)
      if let difference { changed.append("\(file.lastPathComponent): \(difference)") }
    }
    // Findings of damaged frames may depend on what is replaced.
    #expect(changed.count * 6 <= count, "\(changed)")
    #expect(count > 10)
  }

  private static func log(of file: URL) throws -> StreamLog? {
    let bytes = try Samples.bytes(file)
    guard file.pathExtension != "bin" else { return StreamLog(bytes) }
    var log = StreamLog()
    var reader = TextReader(.standard)
    do throws(ReadError) {
      try reader.read(bytes.span, into: &log)
      try reader.finish(into: &log)
      return log
    } catch {
      return nil  // samples of what cannot be read
    }
  }

  /// Of a frame type that the project has never heard of: letters become other letters.
  @Test func textIsReplaced() throws {
    let memo = FrameSchema(
      "memo", title: "Memo", role: .provider, command: 0x6d,
      parts: [.counted(Field("memo", "memo", .text), by: .uint8)], reference: "invented")
    let redactor = Redactor(StandIns(key: "a key"), catalog: Catalog.standard.adding(memo))
    let stream = [0x6d, 11] + Array("Call Jenna!".utf8)
    let redacted = redactor.redact(StreamLog(stream).streams[0])
    #expect(redacted[..<2] == stream[..<2] && redacted[2...] != stream[2...])
    #expect(String(decoding: redacted[2...], as: UTF8.self).wholeMatch(of: /[A-Z][a-z]{3} [A-Z][a-z]{4}!/) != nil)
  }

  @Test func oneTokenHasOneStandIn() throws {
    let token = Array(0x40...0x5f as ClosedRange<UInt8>).map { $0 &* 7 }
    let push =
      [0, 0, 32] + token + [0, 2] + "{}".utf8 + [1, 0, 0, 0, 7, 0, 0, 0, 0, 0, 32] + token + [0, 2] + "{}".utf8
    let feedback: [UInt8] = [0x52, 0x8a, 0xaa, 0, 0, 32] + token
    let pushed = redactor.redact(StreamLog(push).streams[0])
    let reported = redactor.redact(StreamLog(feedback).streams[0])
    #expect(pushed[3..<35] == reported[6...] && pushed[50..<82] == reported[6...])
    #expect(pushed[3..<35] != push[3..<35])
    let other = Redactor(StandIns(key: "another key"), catalog: .standard).redact(StreamLog(push).streams[0])
    #expect(other[3..<35] != pushed[3..<35])
    // What is no value stays.
    #expect(pushed[..<3] == push[..<3] && pushed[39..<50] == push[39..<50])
  }

  /// Faults in frames of one's own types: what a gateway answers about stays, and what it says does not.
  @Test(arguments: [
    ("sound", "09 00000007 0002aabb 000e 01 0003 c1c2c3 02 0004 5290a000"),
    ("an item that the type has not", "09 00000007 0002aabb 0015 03 0004 a1b2c3d4 01 0003 c1c2c3 02 0004 5290a000"),
    ("a list that is too long", "09 00000007 0002aabb 0015 01 0003 c1c2c3 02 0004 5290a000"),
    ("bytes after the last item", "09 00000007 0002aabb 000f 01 0003 c1c2c3 02 0004 5290a000 e7"),
  ])
  func keepsIdentifiersAndLengthsOfOwnTypes(_ fault: String, _ digits: String) throws {
    let ack = FrameSchema(
      "ack", title: "Ack", role: .gateway, command: 9,
      parts: [
        .fixed(Field("identifier", "identifier", .integer(bytes: 4, .identifier))),
        .counted(Field("note", "note", .octets), by: .uint16),
        .counted(
          Field(
            "reasons", "reasons",
            .items([
              Item(1, "reason", Field("reason", "reason", .octets)),
              Item(2, "after", Field("after", "after", .integer(bytes: 4, .unixSeconds(zero: "never")))),
            ])), by: .uint16),
      ], reference: "invented")
    let redactor = Redactor(
      StandIns(key: "a key"), catalog: Catalog.standard.adding(ack), policy: RolePolicy(role: .gateway))
    let parts = digits.split(separator: " ").map { part in
      stride(from: 0, to: part.count, by: 2).compactMap { UInt8(part.dropFirst($0).prefix(2), radix: 16) }
    }
    let redacted = redactor.redact(StreamLog(parts.flatMap(\.self)).streams[0])
    var start = 0
    for part in parts {
      let (before, after) = (part, Array(redacted[start..<(start + part.count)]))
      start += part.count
      switch part.last {
      case 0xbb: #expect(after[..<2] == before[..<2] && after[2] != 0xaa && after[3] != 0xbb)
      case 0xc3, 0xd4: #expect(zip(before, after).allSatisfy { $0 != $1 }, "\(after)")
      case 0xe7: break  // one byte
      default: #expect(after == before, "\(fault): \(before) became \(after)")
      }
    }
  }

  /// No byte of a token or text is replaced by itself, also where the text is in no known structure.
  @Test(arguments: [
    "Call Jenna at 555-0199 about the results", "Gr\u{fc}\u{df}e aus M\u{fc}nchen",
    "\u{41f}\u{440}\u{438}\u{432}\u{435}\u{442}",
    "\u{4f60}\u{597d}\u{ff0c}\u{4e16}\u{754c}",
  ])
  func keepsNoTextOfUnknownBytes(_ text: String) throws {
    let latin1 = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    for bytes in [Array(text.utf8), latin1, [0xff, 0, 0, 0x4d] + text.utf8, Array((#"{"note":""# + text).utf8)]
      as [[UInt8]]
    {
      let redacted = redactor.redact(StreamLog(bytes).streams[0])
      var (run, longest) = (0, 0)
      for (before, after) in zip(bytes, redacted).suffix(latin1.count) {
        run = before == after ? run + 1 : 0
        longest = max(longest, run)
      }
      #expect(longest <= 3, "\(bytes) became \(redacted)")
    }
  }

  /// Wherever damage makes a token be read as something else. A length, or an error response of six bytes, may be what a
  /// finding hangs on, and a byte beside it the same by chance: so these are the same streams in each run.
  @Test func keepsNoTokenOfDamagedStreams() throws {
    var numbers = 0
    for run in 0..<100 {
      var random = RandomStream(seed: UInt64(run))
      let tokens = (0..<4).map { _ in random.generator.bytes(32) }
      let whole = tokens.flatMap { random.notification(token: $0) }
      let bytes = random.mutated(whole)
      let redacted = redactor.redact(StreamLog(bytes).streams[0])
      func keeps(_ count: Int) -> Bool {
        let pieces = Set(tokens.flatMap { token in (0...(32 - count)).map { Array(token[$0..<($0 + count)]) } })
        return (0..<max(0, redacted.count - count + 1)).contains { pieces.contains(Array(redacted[$0..<($0 + count)])) }
      }
      #expect(!keeps(6), "\(run): \(bytes) became \(redacted)")
      if keeps(4) { numbers += 1 }
    }
    // Four bytes are a number of a frame that nothing makes doubtful.
    #expect(numbers < 2)
  }

  @Test(arguments: [
    #"{"aps":{"alert":"Grüße aus München 🎉","badge":3,"sound":"default"},"acme":{"id":40961,"names":["Bob",null]}}"#,
    #"{"aps":{"alert":{"loc-key":"GAME","loc-args":["Jenna"]},"content_available":1},"caf\u00e9":"\ud83c\udf89 \"x\""}"#,
    #"{"a":1,"b":2,"c":3,"a":4,"\u0062":5}"#, #"{"aps":{"alert":"caf\ud83c A\n","badge":"5"},"k":-0.50e+12}"#,
  ])
  func keepsSizesOfText(_ payload: String) throws {
    let bytes = Array(payload.utf8)
    let frame =
      [0, 0, 32] + (1...32 as ClosedRange<UInt8>) + [UInt8(bytes.count >> 8), UInt8(bytes.count & 255)] + bytes
    let redacted = redactor.redact(StreamLog(frame).streams[0])
    let other = String(decoding: redacted[37...], as: UTF8.self)
    #expect(other.utf8.count == payload.utf8.count)
    #expect(other.utf16.count == payload.utf16.count)
    #expect(other.unicodeScalars.count == payload.unicodeScalars.count)
    let outlines = [payload, other].map { text in
      var outline = PayloadOutline()
      let bytes = Array(text.utf8)
      outline.read(bytes.span, 0..<bytes.count)
      return outline
    }
    #expect(outlines[0].members == outlines[1].members && outlines[0].text == outlines[1].text)
    #expect(outlines[0].repeatedKeys == outlines[1].repeatedKeys)
  }

  @Test func repeatsTheVectorOfSipHash() {
    // Of the paper: the key 00 to 0f, and the bytes 00 to 0e.
    let hash = SipHash(low: 0x0706_0504_0302_0100, high: 0x0f0e_0d0c_0b0a_0908).hash(0...14 as ClosedRange<UInt8>)
    #expect(hash == 0xa129_ca61_49be_45e5)
  }
}

/// What must not be found in redacted bytes: strings of the payloads and keys, as far as they are not Apple's own, and
/// tokens; as they are, as digits and in base64, wherever it begins.
struct Private {
  private var values: Set<[UInt8]> = []

  init(_ bytes: [UInt8]) {
    // Between quotes, wherever they stand: also where no frame can be read.
    var start: Int?
    for (index, byte) in bytes.enumerated() {
      guard byte == UInt8(ascii: "\"") else { continue }
      if let start, index - start > 4 { add(Array(bytes[(start + 1)..<index])) }
      start = index
    }
    let catalog = Catalog.standard
    for role in catalog.roles {
      var framer = Framer(catalog, role: role)
      var position = 0
      while let frame = framer.next(at: position, in: bytes.span, isFinal: true) {
        position = frame.end
        guard frame.condition == .complete, catalog.isPlausible(frame, in: bytes.span),
          let token = catalog.leaf(.token, of: frame, in: bytes.span), token.count >= 8
        else { continue }
        let value = Array(bytes[token.range])
        if Set(value).count > 2 { values.insert(value) }
      }
    }
  }

  private mutating func add(_ text: [UInt8]) {
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]  // of the byte order
    let isText = text.contains { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20) || $0 >= 0x80 }
    if text.starts(with: mark) { return }
    guard isText, !text.contains(where: { $0 < 0x20 }), !Self.vocabulary.contains(text) else { return }
    // What stands between two strings is punctuation with at most numbers.
    if text.allSatisfy({ Self.punctuation.contains($0) }) || Self.isLike(text) { return }
    values.insert(text)
  }

  private static let vocabulary: Set<[UInt8]> = Set(
    (PayloadKey.all.map(\.name) + ["default"]).map { Array($0.utf8) })
  private static let punctuation = Set(":,{}[]-+.eE0123456789truefalsn \n\\\r\t".utf8)

  /// A key that looks like one of Apple's stays, as it is told of.
  private static func isLike(_ text: [UInt8]) -> Bool {
    !PayloadKey.spelt(text).isEmpty
      || PayloadKey.Container.allCases.contains { PayloadKey.oneLetterOff(text, in: $0) != nil }
  }

  func leaks(in bytes: [UInt8]) -> [String] {
    let data = Data(bytes)
    let text = Data(bytes.map { String(format: "%02x", $0) }.joined().utf8)
    let packed = data.base64EncodedData()
    return values.compactMap { value in
      let digits = Data(value.map { String(format: "%02x", $0) }.joined().utf8)
      var found = data.range(of: Data(value)) != nil || data.range(of: digits) != nil || text.range(of: digits) != nil
      for lead in 0..<3 {
        // Without the characters that hang on what stands around it.
        let padded = Data([UInt8](repeating: 0, count: lead) + value).base64EncodedString()
        let certain = padded.dropFirst(lead == 0 ? 0 : lead + 1).prefix { $0 != "=" }.dropLast(2)
        if certain.count >= 6 {
          found = found || packed.range(of: Data(certain.utf8)) != nil || data.range(of: Data(certain.utf8)) != nil
        }
      }
      return found ? String(decoding: value, as: UTF8.self) : nil
    }
  }
}
