import APNSPayload
import TestSupport
import Testing

@Suite struct JSONRecogniserTests {
  /// The scanner, eight bytes at a time and told by states, takes what a recogniser that follows the grammar does.
  @Test func agreesWithTheGrammar() {
    var taken = 0
    for run in 0..<200_000 {
      let seed = runSeed &+ UInt64(run)
      var random = RandomJSON(seed: seed)
      // Before and behind it stands what no value can, so that a step over its bounds shows.
      let text = random.text()
      let bytes = [0x22] + text + [0x22, 0x5d, 0x80]
      let error = JSONScanner.firstError(in: bytes.span, range: 1..<(text.count + 1))
      let isJSON = Grammar.takes(text)
      taken += isJSON ? 1 : 0
      guard (error == nil) == isJSON else {
        Issue.record("APNSCOPE_SEED=\(seed) \(text) \(String(describing: error))")
        return
      }
      if let error { #expect(1...(text.count + 1) ~= error.offset, "APNSCOPE_SEED=\(seed) \(text)") }
    }
    // Neither side of the question is left out.
    #expect(20_000..<180_000 ~= taken)
  }

  /// Where text is cut, the first violation is where it was before, or the cut.
  @Test func namesTheFirstViolation() {
    for run in 0..<3_000 {
      let seed = runSeed &+ UInt64(run)
      var random = RandomJSON(seed: seed)
      let text = random.text()
      let whole = JSONScanner.firstError(in: text.span, range: 0..<text.count)
      for cut in text.indices {
        guard let error = JSONScanner.firstError(in: text.span, range: 0..<cut) else { continue }
        let isCut = error.offset == cut || error.code == .cutCharacter
        let isWide = error.code.isWide || whole?.code.isWide == true
        #expect(
          isCut || isWide || error.offset == whole?.offset, "APNSCOPE_SEED=\(seed) \(text) at \(cut): \(error)")
      }
    }
  }
}

/// RFC 8259 by recursive descent, one production a function. UTF-8 is the standard library's to judge.
private struct Grammar {
  private var rest: ArraySlice<UInt8>

  static func takes(_ text: [UInt8]) -> Bool {
    guard String(validating: text, as: UTF8.self) != nil else { return false }
    var grammar = Grammar(rest: text[...])
    grammar.space()
    guard grammar.value(depth: 0) else { return false }
    grammar.space()
    return grammar.rest.isEmpty
  }

  private mutating func take(_ character: Character) -> Bool {
    guard rest.first == character.asciiValue else { return false }
    rest.removeFirst()
    return true
  }

  private mutating func space() { rest = rest.drop { [0x20, 0x09, 0x0a, 0x0d].contains($0) } }

  private mutating func value(depth: Int) -> Bool {
    for literal in ["true", "false", "null"] where rest.starts(with: literal.utf8) {
      rest.removeFirst(literal.utf8.count)
      return true
    }
    if take("\"") { return string() }
    if take("{") { return depth < JSONScanner.deepest && list(end: "}", depth: depth, isObject: true) }
    if take("[") { return depth < JSONScanner.deepest && list(end: "]", depth: depth, isObject: false) }
    return number()
  }

  private mutating func list(end: Character, depth: Int, isObject: Bool) -> Bool {
    space()
    if take(end) { return true }
    repeat {
      space()
      if isObject {
        guard take("\""), string() else { return false }
        space()
        guard take(":") else { return false }
        space()
      }
      guard value(depth: depth + 1) else { return false }
      space()
    } while take(",")
    return take(end)
  }

  private mutating func number() -> Bool {
    _ = take("-")
    if !take("0"), digits() == 0 { return false }
    if take("."), digits() == 0 { return false }
    guard take("e") || take("E") else { return true }
    if !take("+") { _ = take("-") }
    return digits() > 0
  }

  private mutating func digits() -> Int {
    let digits = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    rest = rest.dropFirst(digits.count)
    return digits.count
  }

  private mutating func string() -> Bool {
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\"") { return true }
      if byte < 0x20 { return false }
      guard byte == UInt8(ascii: "\\") else { continue }
      guard let escape = rest.popFirst() else { return false }
      if escape == UInt8(ascii: "u") {
        let digits = rest.prefix(4).prefix { Character(Unicode.Scalar($0)).isHexDigit && $0 < 0x80 }
        if digits.count < 4 { return false }
        rest = rest.dropFirst(4)
      } else if !"\"\\/bfnrt".utf8.contains(escape) {
        return false
      }
    }
    return false
  }
}
