import APNSPayload
import TestSupport
import Testing

@Suite struct PayloadFormsTests {
  /// Whether text is a value that a form takes in place of another.
  private static func isValue(_ text: [UInt8]) -> Bool {
    var forms = PayloadForms()
    let first = read(Array(#"{"k":"x"}"#.utf8), &forms)
    return read(Array(#"{"k":""#.utf8) + text + Array(#""}"#.utf8), &forms, learns: false) == first
  }

  private static func read(
    _ text: [UInt8], _ forms: inout PayloadForms, learns: Bool = true
  ) -> PayloadForms.Reading? {
    let bytes = text + Array(#"",:{}[]"0123456789 and bytes after it"#.utf8)
    if let reading = forms.read(bytes.span, text.indices) { return reading }
    var outline = PayloadOutline()
    outline.read(bytes.span, text.indices)
    return learns && outline.error == nil && forms.wantsToLearn() ? forms.learn(outline, bytes.span, text.indices) : nil
  }

  /// Bytes at the ends of what RFC 3629 has a range for.
  private static let bytes: [UInt8] = [
    0x20, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbd, 0xbf, 0xc0, 0xc1, 0xc2, 0xc3, 0xdf, 0xe0, 0xe1, 0xe2, 0xec, 0xed,
    0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff,
  ]

  /// A form takes text that is well-formed UTF-8 and in which nothing looks mangled, wherever it is.
  @Test(arguments: [0, 1, 13, 14, 15, 16, 17, 31, 40])
  func takesWellFormedTextOnly(lead: Int) {
    for length in 1...3 {
      var indices = [Int](repeating: 0, count: length)
      repeat {
        let characters = indices.map { Self.bytes[$0] }
        check([UInt8](repeating: 0x78, count: lead) + characters)
        // What needs four bytes.
        if length == 3 { check([UInt8](repeating: 0x78, count: lead) + characters + [0x80]) }
      } while Self.advance(&indices)
    }
  }

  @Test func takesRandomTextAsTheOutlineDoes() {
    var generator = SeededGenerator(seed: 5)
    let parts = ["é", "Ã", "©", "â", "€", "\u{fffd}", "я", "新", "🎉", "\u{d7ff}", "a", " ", "ß", "\u{80}", "\u{10ffff}"]
    for _ in 0..<20_000 {
      let count = Int.random(in: 1..<40, using: &generator)
      var text = Array((0..<count).map { _ in parts.randomElement(using: &generator)! }.joined().utf8)
      if generator.chance(20) { text[Int.random(in: text.indices, using: &generator)] ^= 0x40 }
      check(text)
    }
  }

  /// Payloads of one form differ in nothing that rules look at: same keys, same types, nothing damaged.
  @Test func payloadsOfAFormAreAlike() {
    var generator = SeededGenerator(seed: runSeed)
    var forms = PayloadForms()
    var firsts: [PayloadForms.Reading: Likeness] = [:]
    var again = 0
    var same = generator
    for run in 0..<30_000 {
      // Three with the same keys, and other values.
      if run.isMultiple(of: 3) { same = generator } else { generator = same }
      var text = Array(Self.payload(&generator, turn: run % 3).utf8)
      if generator.chance(40) {
        let place = Int.random(in: text.indices, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: text[place] = Array(#""\{}[],:09-.eE tn"#.utf8).randomElement(using: &generator)!
        case 1: text.remove(at: place)
        default: text.insert(text[place], at: place)
        }
      }
      guard let reading = Self.read(text, &forms) else { continue }
      let likeness = Likeness(text)
      if let first = firsts[reading] {
        again += 1
        guard first == likeness else {
          Issue.record("APNSCOPE_SEED=\(runSeed) \(String(decoding: text, as: UTF8.self)): \(first), \(likeness)")
          return
        }
      } else {
        firsts[reading] = likeness
      }
    }
    #expect(again > 250 && firsts.count > 300, "\(again) \(firsts.count)")
  }

  /// What rules look at.
  private struct Likeness: Equatable {
    let error: JSONError?
    let members: [String]
    let present: PayloadOutline.Keys
    let repeatedKeys: Int
    let whiteSpace: Int
    let hasEscapes: Bool
    let isDamaged: Bool

    init(_ text: [UInt8]) {
      var outline = PayloadOutline()
      outline.read(text.span, text.indices)
      error = outline.error
      members = outline.members.map { member in
        let fault = member.key.flatMap { PayloadKey.all[$0].fault(in: member.value, text.span) }
        let isEmpty = member.value.kind == .string && member.value.range.count == 2
        return
          "\(member.container) \(member.key ?? -1) \(member.value.kind) \(isEmpty) \(fault.map { "\($0)" }?.prefix(5) ?? "")"
      }
      present = outline.present
      repeatedKeys = outline.repeatedKeys.count
      whiteSpace = outline.whiteSpace
      hasEscapes = outline.text.escapes > 0
      isDamaged = outline.text.mangled != nil || outline.text.loneSurrogate != nil
    }
  }

  /// Few forms, many values; and now and then a form that nothing else has.
  private static func payload(_ generator: inout SeededGenerator, turn: Int) -> String {
    func turned(_ texts: [String]) -> [String] { Array(texts[turn...] + texts[..<turn]) }
    let strings = turned(["Hi", "Привет, как дела", #"\u041f"#, #"a\nb \"c\""#, "x", "default", "time-sensitive"])
    let numbers = turned(["0", "1", "-3", "42", "1.5e3"])
    func pick(_ usual: [String], _ odd: String..., from generator: inout SeededGenerator) -> String {
      (generator.chance(95) ? usual : odd).randomElement(using: &generator)!
    }
    func string(_ generator: inout SeededGenerator) -> String {
      "\"\(pick(strings, "", "Ã©", #"\ud800"#, from: &generator))\""
    }
    func number(_ generator: inout SeededGenerator) -> String {
      pick(numbers, "01", "7.", "999999999999999999", from: &generator)
    }
    func value(_ generator: inout SeededGenerator) -> String {
      switch Int.random(in: 0..<8, using: &generator) {
      case 0...2: string(&generator)
      case 3, 4: number(&generator)
      case 5: ["true", "false", "null", "{}", "[]"].randomElement(using: &generator)!
      case 6: "[\(string(&generator)),\(number(&generator))]"
      default: #"{"a":\#(string(&generator)),"b":{"c":\#(number(&generator))}}"#
      }
    }
    var aps: [String] = []
    for key in ["badge", "sound", "content-available", "category", "mutable-content", "interruption-level"]
    where generator.chance(25) { aps.append(#""\#(key)":\#(value(&generator))"#) }
    let alert = [
      string(&generator),
      #"{"body":\#(string(&generator)),"loc-args":[\#(string(&generator)),\#(string(&generator))]}"#,
      #"{"title":\#(string(&generator)),"body":\#(string(&generator))}"#, value(&generator),
    ]
    aps.append(#""alert":\#(alert.randomElement(using: &generator)!)"#)
    var members = [#""aps":{\#(aps.joined(separator: ","))}"#]
    for key in ["acme1", "acme2", "a-rather-long-name-of-an-app-s-own", "t"] where generator.chance(40) {
      members.append(#""\#(key)":\#(value(&generator))"#)
    }
    if generator.chance(2) { members.append(#""k\#(Int.random(in: 0..<10_000, using: &generator))":1"#) }
    return "{\(members.joined(separator: ","))}"
  }

  private func check(_ text: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
    guard !text.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }) else { return }
    let payload = Array(#"{"k":""#.utf8) + text + Array(#""}"#.utf8)
    var outline = PayloadOutline()
    outline.read(payload.span, payload.indices)
    let isFine = outline.error == nil && String(validating: text, as: UTF8.self) != nil
    #expect((outline.error == nil) == isFine, "\(text)", sourceLocation: sourceLocation)
    if Self.isValue(text) {
      #expect(isFine && outline.text.mangled == nil, "\(text)", sourceLocation: sourceLocation)
    } else {
      // What may be mangled is left to the rules.
      let mayBeMangled = String(decoding: text, as: UTF8.self).unicodeScalars.contains {
        $0 == "\u{fffd}" || 0xc0...0xff ~= $0.value
      }
      #expect(!isFine || mayBeMangled, "\(text)", sourceLocation: sourceLocation)
    }
  }

  /// The next combination; false behind the last.
  private static func advance(_ indices: inout [Int]) -> Bool {
    for place in indices.indices {
      indices[place] += 1
      if indices[place] < bytes.count { return true }
      indices[place] = 0
    }
    return false
  }
}
