import APNSPayload
import Octets
import TestSupport
import Testing

@Suite struct PayloadOutlineTests {
  private func outline(_ text: String) -> PayloadOutline { outline(Array(text.utf8)) }

  private func outline(_ text: [UInt8]) -> PayloadOutline {
    var outline = PayloadOutline()
    outline.read(text.span, 0..<text.count)
    return outline
  }

  @Test func keepsWhatStandsBeforeAnError() {
    let outline = outline(#"{"aps":{"badge":1,"alert":{"body":"x",}}}"#)
    #expect(outline.error == JSONError(.trailingComma, at: 37))
    #expect(
      outline.members.map { $0.key.map { PayloadKey.all[$0].path } } == [
        "aps", "aps.badge", "aps.alert", "aps.alert.body",
      ])
    #expect(outline.members.map(\.value.range.upperBound) == [37, 17, 37, 37])
    #expect(outline.root?.range == 0..<37)
  }

  @Test func findsKeysBehindEscapes() {
    let outline = outline(#"{"\u0061ps":{"b\u0061dge":1,"badge":2}}"#)
    #expect(outline.members.compactMap(\.key).map { PayloadKey.all[$0].path } == ["aps", "aps.badge", "aps.badge"])
    #expect(outline.repeatedKeys.map(\.keyRange) == [28..<35])
    #expect(outline.repeatedKeys.map(\.first) == [13..<25])
  }

  @Test func countsTheSecondOfTwoObjects() {
    let outline = outline(#"{"aps":{"badge":1},"aps":{"badge":2}}"#)
    #expect(outline.repeatedKeys.count == 1)
  }

  /// However many keys repeat, all are found.
  @Test func takesThousandsOfKeys() {
    let keys = (0..<20_000).map { "\"k\($0)\":0" }.joined(separator: ",")
    #expect(outline("{\(keys)}").repeatedKeys.count == 0)
    let twice = outline("{\(keys),\(keys)}")
    #expect(twice.repeatedKeys.count == 20_000)
    #expect(outline("[{\(keys)},{\(keys)}]").repeatedKeys.count == 0)
  }

  @Test(
    arguments: [
      ("Ã©", .encodedTwice, 1..<5), ("caf\\u00c3\\u00a9", .encodedTwice, 4..<16), ("ÃÂ", nil, nil),
      ("«MANHû", nil, nil), ("MAÃº", nil, nil), ("segÃºn", .encodedTwice, 4..<8), ("« CAFÉ »", nil, nil),
      ("café\u{a0}»", nil, nil),
      ("Ð\u{9f}Ñ\u{80}", .encodedTwice, 1..<5), ("æ\u{96}°", .encodedTwice, 1..<7), ("donâ€™t", .encodedTwice, 4..<9),
      ("É…", nil, nil), ("ð\u{9f}\u{8e}\u{89}", .encodedTwice, 1..<9), ("cut \u{fffd}...", .replaced, 5..<8),
      (#"\ufffd"#, .replaced, 1..<7), ("Привет 新消息，🎉", nil, nil),
    ] as [(String, TextTraits.Damage?, Range<Int>?)])
  func findsMangledText(_ text: String, _ damage: TextTraits.Damage?, _ range: Range<Int>?) {
    let found = outline("\"\(text)\"").text.mangled
    #expect(found?.damage == damage && found?.range == range)
  }

  /// Wherever it stands in the words that are read at once.
  @Test(arguments: ["Ã©", "donâ€™t", "\u{fffd}", #"\ufffd"#, #"\u00c3©"#])
  func findsMangledTextEverywhere(_ damage: String) {
    for before in 0..<20 {
      for after in [0, 1, 3, 9] {
        let text = String(repeating: "x", count: before) + "é，" + damage + String(repeating: "y", count: after)
        #expect(outline("{\"k\":\"\(text)\"}").text.mangled != nil, "\(text)")
        let whole = text.replacing(damage, with: "Ö—«»")
        #expect(outline("{\"k\":\"\(whole)\"}").text.mangled == nil, "\(whole)")
      }
    }
  }

  @Test func knowsWhatEscapesCost() {
    let text = outline(#"{"a\u00e9":"\u0041 \ud83c\udf89 \u0022\n\u000a \u65b0","\udf89":1}"#).text
    #expect(text.escapes == 3)
    // é 2 for 6 bytes, 🎉 4 for 12, 新 3 for 6; A is ASCII.
    #expect(text.savedBytes == 4 + 8 + 3)
    #expect(text.firstEscape == 3..<9)
    #expect(text.loneSurrogate == 56..<62)
  }

  /// One outline, read over and over, says what a reading into a tree says.
  @Test func agreesWithANaiveReading() {
    var outline = PayloadOutline()
    for run in 0..<30_000 {
      let seed = runSeed &+ UInt64(run)
      var payload = RandomPayload(seed: seed)
      var text = payload.text()
      if run % 3 == 2 {
        var noise = RandomStream(seed: seed)
        text = noise.mutated(text)
      }
      if run % 50 == 0 { text = payload.generator.bytes(run % 97) }
      outline.read(text.span, 0..<text.count)
      let comment: Comment = "APNSCOPE_SEED=\(seed) \(String(decoding: text, as: UTF8.self))"
      #expect(outline.error == JSONScanner.firstError(in: text.span, range: 0..<text.count), comment)
      guard let naive = NaiveOutline(text) else {
        #expect(outline.error != nil, comment)
        continue
      }
      #expect(outline.members.map(NaiveOutline.Member.init) == naive.members, comment)
      #expect(outline.root?.range == naive.root, comment)
      #expect(outline.repeatedKeys.map(\.keyRange.lowerBound) == naive.repeated, comment)
      #expect(outline.whiteSpace == naive.whiteSpace, comment)
      #expect((outline.text.loneSurrogate != nil) == naive.hasLoneSurrogate, comment)
    }
  }
}

/// A payload read the slow way: into a tree, every pair of keys compared.
private struct NaiveOutline {
  var members: [Member] = []
  var root: Range<Int>
  var repeated: [Int] = []
  var whiteSpace: Int
  var hasLoneSurrogate = false

  struct Member: Equatable {
    let path: String
    let key: String?
    let keyRange: Range<Int>
    let kind: PayloadOutline.Kind
    let range: Range<Int>

    init(_ member: PayloadOutline.Member) {
      path = member.container.path
      key = member.key.map { PayloadKey.all[$0].path }
      keyRange = member.keyRange
      kind = member.value.kind
      range = member.value.range
    }

    init(_ path: String, _ key: String?, _ keyRange: Range<Int>, _ kind: PayloadOutline.Kind, _ range: Range<Int>) {
      (self.path, self.key, self.keyRange, self.kind, self.range) = (path, key, keyRange, kind, range)
    }
  }

  init?(_ text: [UInt8]) {
    guard let value = try? JSONValue(text.span, range: 0..<text.count),
      let compact = try? JSONValue.compact(text.span, range: 0..<text.count)
    else { return nil }
    root = value.range
    whiteSpace = text.count - compact.count
    walk(value, "", text)
    members.sort { $0.keyRange.lowerBound < $1.keyRange.lowerBound }
    repeated.sort()
  }

  private mutating func walk(_ value: JSONValue, _ path: String?, _ text: [UInt8]) {
    switch value.content {
    case .string(nil): hasLoneSurrogate = true
    case .array(let values): for value in values { walk(value, nil, text) }
    case .object(let object):
      var names: [[UInt8]] = []
      for member in object {
        // Halves of pairs name no character, so only the escapes themselves can be compared.
        let characters = JSONValue.unescape(member.keyRange, in: text.span)
        if characters == nil { hasLoneSurrogate = true }
        let name = characters ?? text[member.keyRange].map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }
        if names.contains(name) { repeated.append(member.keyRange.lowerBound) }
        names.append(name)
        var inner: String?
        if let path {
          let full = path.isEmpty ? member.key : path + "." + member.key
          let known = PayloadKey.named(full)?.path
          members.append(Member(path, known, member.keyRange, kind(member.value), member.value.range))
          if ["aps", "aps.alert"].contains(full) { inner = full }
        }
        walk(member.value, inner, text)
      }
    default: break
    }
  }

  private func kind(_ value: JSONValue) -> PayloadOutline.Kind {
    switch value.content {
    case .object: .object
    case .array: .array
    case .string: .string
    case .number: .number
    case .bool: .bool
    case .null: .null
    }
  }
}

/// Payloads with documented keys in and out of their places, repeated, spelt with escapes, spaced out.
private struct RandomPayload {
  var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  mutating func text() -> [UInt8] { Array((space() + object(0, keys: ["aps", "aps", "mdm", "a"]) + space()).utf8) }

  private mutating func object(_ depth: Int, keys: [String]) -> String {
    let members = (0..<Int.random(in: 0...5, using: &generator)).map { _ -> String in
      let key = keys.randomElement(using: &generator) ?? "a"
      return "\(space())\"\(spelt(key))\"\(space()):\(space())\(value(depth + 1))\(space())"
    }
    return "{\(members.joined(separator: ","))\(members.isEmpty ? space() : "")}"
  }

  private mutating func value(_ depth: Int) -> String {
    let keys = [
      "alert", "badge", "sound", "body", "title", "critical", "name", "loc-key", "x", "é", #"\ud83c"#, "",
      "content-available", "content-bvailable", "content-availablf", "action-loc-key", "sounds", "boty",
    ]
    switch Int.random(in: 0..<(depth > 5 ? 6 : 12), using: &generator) {
    case 0: return "-1.5e3"
    case 1: return "true"
    case 2: return "null"
    case 3: return #""\ud83c\udf89\n""#
    case 4: return generator.chance(10) ? #""\udf89x""# : "\"新\""
    case 5: return "0"
    case 6, 7: return "[\(space())\(value(depth + 1)),\(value(depth + 1))]"
    default: return object(depth, keys: keys)
    }
  }

  private mutating func spelt(_ key: String) -> String {
    guard generator.chance(15), let first = key.unicodeScalars.first, first.isASCII, first != "\\" else { return key }
    return "\\u00" + String(first.value, radix: 16) + String(key.dropFirst())
  }

  private mutating func space() -> String { generator.chance(10) ? " \n\t" : "" }
}
