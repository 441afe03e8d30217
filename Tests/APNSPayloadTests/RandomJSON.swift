import TestSupport

/// JSON, JSON with something wrong, and heaps of what JSON is made of.
struct RandomJSON {
  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  mutating func text() -> [UInt8] {
    switch Int.random(in: 0..<10, using: &generator) {
    case 0...3: return space() + value(depth: 0) + space()
    case 4...7:
      var text = value(depth: 0)
      for _ in 0..<Int.random(in: 1...3, using: &generator) { damage(&text) }
      return text
    default: return (0..<Int.random(in: 0...8, using: &generator)).flatMap { _ in piece() }
    }
  }

  private mutating func value(depth: Int) -> [UInt8] {
    switch Int.random(in: 0..<(depth > 3 ? 6 : 10), using: &generator) {
    case 0: return Array((["true", "false", "null"].randomElement(using: &generator) ?? "").utf8)
    case 1, 2: return number()
    case 3...5: return string()
    case 6, 7: return list("[", "]", depth) { $0.value(depth: depth + 1) }
    default:
      return list("{", "}", depth) { json in
        json.string() + json.space() + [UInt8(ascii: ":")] + json.space() + json.value(depth: depth + 1)
      }
    }
  }

  private mutating func list(
    _ open: String, _ close: String, _ depth: Int, _ element: (inout RandomJSON) -> [UInt8]
  ) -> [UInt8] {
    var text = Array(open.utf8) + space()
    for index in 0..<Int.random(in: 0...4, using: &generator) {
      if index > 0 { text += [UInt8(ascii: ",")] + space() }
      text += element(&self) + space()
    }
    return text + Array(close.utf8)
  }

  private mutating func number() -> [UInt8] {
    func digits(_ count: Int) -> String {
      (0..<count).map { _ in String(Int.random(in: 0...9, using: &generator)) }.joined()
    }
    var text = generator.chance(30) ? "-" : ""
    text += generator.chance(30) ? "0" : String(Int.random(in: 1...999, using: &generator))
    if generator.chance(30) { text += "." + digits(Int.random(in: 1...9, using: &generator)) }
    if generator.chance(20) {
      text +=
        (["e", "E", "e+", "E-"].randomElement(using: &generator) ?? "e")
        + digits(Int.random(in: 1...3, using: &generator))
    }
    return Array(text.utf8)
  }

  /// Of any length, so that what is read in words ends everywhere in one.
  private mutating func string() -> [UInt8] {
    let characters = [
      "a", "b ", "plain text", "/", "é", "ж", "新", "\u{d7ff}", "\u{e000}", "\u{ffff}", "🎉", "\u{10ffff}", "\u{80}",
      "\u{7f}", "\u{800}", #"\""#, #"\\"#, #"\/"#, #"\n"#, #"\u0041"#, #"\uFfAa"#, #"\ud83c\udf89"#, #"\udc00"#,
    ]
    var text = "\""
    for _ in 0..<Int.random(in: 0...9, using: &generator) { text += characters.randomElement(using: &generator) ?? "" }
    return Array((text + "\"").utf8)
  }

  private mutating func space() -> [UInt8] {
    generator.chance(15) ? Array(([" ", "\n", "\t", "\r\n  "].randomElement(using: &generator) ?? "").utf8) : []
  }

  private mutating func damage(_ text: inout [UInt8]) {
    guard !text.isEmpty else { return }
    let place = Int.random(in: 0..<text.count, using: &generator)
    switch Int.random(in: 0..<7, using: &generator) {
    case 0: text[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
    case 1: text[place] = UInt8.random(in: 0...255, using: &generator)
    case 2: text.remove(at: place)
    case 3: text.insert(contentsOf: piece(), at: place)
    case 4: text.removeSubrange(place...)
    case 5: text.replaceSubrange(place..<(place + 1), with: piece())
    default: text += text[..<place]
    }
  }

  private mutating func piece() -> [UInt8] {
    let pieces = [
      "{", "}", "[", "]", ":", ",", "\"", "\"a\"", "\"\":", "1", "-", "0", ".5", "e1", "true", "nul", " ", "\\", "\\u",
      "\\u00e", "\\ud800", "/", "'", "\n", "\0", "+", "{}", "[]", "é", "\u{feff}",
    ]
    let bytes: [[UInt8]] = [[0x80], [0xc3], [0xff], [0xfe, 0xff], [0xed, 0xa0], [0xf4, 0x90], [0xe0, 0x80], [0xc0]]
    return generator.chance(10)
      ? bytes.randomElement(using: &generator) ?? []
      : Array((pieces.randomElement(using: &generator) ?? "").utf8)
  }
}
