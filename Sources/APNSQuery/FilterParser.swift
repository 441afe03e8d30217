/// Compiles the text of a filter into its program, in one pass.
///
///     filter     = all *( ("||" / "or") all )
///     all        = factor *( ("&&" / "and") factor )
///     factor     = ("!" / "not") factor / "(" filter ")" / name [ comparison ]
///     comparison = relation value / "contains" value / "in" ( range / "{" range *( "," range ) "}" )
///     range      = value [ ".." value ]
struct FilterParser {
  /// The maximum nesting of parentheses and negations.
  private static let nestingLimit = 256

  private let text: [UInt8]
  private var position = 0
  private let names: FieldNames
  private let now: Int
  private var program: [Filter.Step] = []
  private var depth = 0

  init(_ text: String, _ names: FieldNames, now: Int) {
    self.text = Array(text.utf8)
    self.names = names
    self.now = now
  }

  mutating func parse() throws(FilterError) -> [Filter.Step] {
    try readAny()
    guard position == text.count else {
      if next == UInt8(ascii: ")") { throw error("this closing parenthesis has no opening one") }
      throw error(hint() ?? "expected &&, || or the end of the filter")
    }
    return program
  }

  private mutating func readAny() throws(FilterError) {
    try readAll()
    while consume("||") || consumeWord("or") { try readOperand(decidedBy: true) }
  }

  private mutating func readAll() throws(FilterError) {
    try readFactor()
    while consume("&&") || consumeWord("and") { try readOperand(decidedBy: false) }
  }

  private mutating func readOperand(decidedBy verdict: Bool) throws(FilterError) {
    let jump = program.count
    program.append(.jump(when: verdict, to: 0))
    if verdict { try readAll() } else { try readFactor() }
    program[jump] = .jump(when: verdict, to: program.count)
  }

  // Recursion is bounded by `nestingLimit`.
  private mutating func readFactor() throws(FilterError) {
    let start = skipSpace()
    guard depth < Self.nestingLimit else {
      throw error("parentheses and negations are nested more than \(Self.nestingLimit) deep")
    }
    depth += 1
    defer { depth -= 1 }
    if consume("(") {
      try readAny()
      guard consume(")") else {
        if position < text.count { throw error(hint() ?? "expected &&, || or a closing parenthesis") }
        throw error("this parenthesis is not closed", at: start)
      }
    } else if consume("!") || consumeWord("not") {
      try readFactor()
      program.append(.invert)
    } else {
      try readTest()
    }
  }

  private mutating func readTest() throws(FilterError) {
    let start = skipSpace()
    let name = readName()
    guard !name.isEmpty else { throw error("expected a field") }
    if name == "NOT" { throw error("write not in lower case, or !", at: start) }
    let reader: FieldReader
    do throws(UnknownName) { reader = try names.reader(for: name) } catch { throw self.error("\(error)", at: start) }
    guard let relation = try readRelation() else {
      program.append(.test(Filter.Test(reader: reader, check: .present, isNegated: false)))
      return
    }
    let operands = relation == .isIn ? try readSet() : [Operand(low: try readValue(), high: nil)]
    let compiler = CheckCompiler(reader: reader, relation: relation, now: now)
    do throws(Mismatch) {
      let check = try compiler.check(operands)
      program.append(.test(Filter.Test(reader: reader, check: check, isNegated: relation == .notEqual)))
    } catch {
      throw self.error(error.reason, at: error.offset ?? start)
    }
  }

  private mutating func readRelation() throws(FilterError) -> Relation? {
    // Longer operators come before their prefixes.
    let signs: [(String, Relation)] = [
      ("==", .equal), ("!=", .notEqual), ("<=", .lessOrEqual), (">=", .greaterOrEqual), ("<", .less), (">", .greater),
    ]
    let words: [(String, Relation)] = [
      ("eq", .equal), ("ne", .notEqual), ("lt", .less), ("le", .lessOrEqual), ("gt", .greater),
      ("ge", .greaterOrEqual), ("contains", .contains), ("in", .isIn),
    ]
    skipSpace()
    for (sign, meant) in Self.foreignOperators where text[position...].starts(with: sign.utf8) {
      throw error("write \(meant) instead of \(sign)")
    }
    for (sign, relation) in signs where consume(sign) { return relation }
    for (word, relation) in words where consumeWord(word) { return relation }
    if next == UInt8(ascii: "=") { throw error("write == for equality") }
    return nil
  }

  private mutating func readSet() throws(FilterError) -> [Operand] {
    let start = skipSpace()
    guard consume("{") else {
      let isOther = next == UInt8(ascii: "(") || next == UInt8(ascii: "[")
      if isOther { throw error("write a set in braces: in {1, 2}") }
      return [try readRange()]
    }
    var ranges = [try readRange()]
    while consume(",") { ranges.append(try readRange()) }
    guard consume("}") else {
      if position < text.count { throw error("expected a comma or a closing brace") }
      throw error("this brace is not closed", at: start)
    }
    return ranges
  }

  private mutating func readRange() throws(FilterError) -> Operand {
    let low = try readValue()
    return Operand(low: low, high: consume("..") ? try readValue() : nil)
  }
}

// MARK: - Mistakes from other languages
extension FilterParser {
  private static let foreignOperators = [
    ("===", "=="), ("=>", ">="), ("=<", "<="), ("<>", "!="), ("!~", "! and contains"), ("=~", "contains"),
    ("~", "contains"),
  ]

  /// A message about what was found instead of && or ||.
  private mutating func hint() -> String? {
    switch next {
    case UInt8(ascii: "&"): return "write && instead of &"
    case UInt8(ascii: "|"): return "write || instead of |"
    case UInt8(ascii: ","): return "write a set in braces: in {1, 2}"
    default: break
    }
    let start = position
    defer { position = start }
    let word = readName()
    switch word.lowercased() {
    case "and", "or":
      return "write \(word.lowercased()) in lower case, or \(word.lowercased() == "or" ? "||" : "&&")"
    case "is", "equals", "equal": return "write == instead of \(word)"
    case "matches", "like", "regex":
      return "\(word) is not supported; use contains to search for a text"
    case "eq", "ne", "lt", "le", "gt", "ge", "contains", "in":
      return "write \(word.lowercased()) in lower case, after a field"
    default:
      let isValue = !word.isEmpty && program.last.map { if case .test = $0 { true } else { false } } == true
      return isValue ? "expected &&, || or the end of the filter; put a value of several words in double quotes" : nil
    }
  }
}

// MARK: - Words and operators
extension FilterParser {
  private var next: UInt8? { position < text.count ? text[position] : nil }

  @discardableResult
  private mutating func skipSpace() -> Int {
    while let byte = next, byte == 0x20 || (0x09...0x0d).contains(byte) { position += 1 }
    return position
  }

  private mutating func consume(_ sign: String) -> Bool {
    skipSpace()
    guard text[position...].starts(with: sign.utf8) else { return false }
    position += sign.utf8.count
    return true
  }

  private mutating func consumeWord(_ word: String) -> Bool {
    let start = skipSpace()
    if readName() == word { return true }
    position = start
    return false
  }

  private mutating func readName() -> String {
    let start = position
    while let byte = next, !Self.endsWord(byte) { position += 1 }
    return String(decoding: text[start..<position], as: UTF8.self)
  }

  private static func endsWord(_ byte: UInt8) -> Bool {
    byte <= 0x20 || byte == 0x7f || "(){}<>=!&|,\"".utf8.contains(byte)
  }

  private mutating func readValue() throws(FilterError) -> Literal {
    let start = skipSpace()
    if consume("\"") { return try readQuoted(from: start) }
    for quote in ["'", "\u{2018}", "\u{2019}", "\u{201c}", "\u{201d}"] where text[start...].starts(with: quote.utf8) {
      throw error("put the value in double quotes (\")")
    }
    if consume("<") {
      let first = position
      while let byte = next, byte != UInt8(ascii: ">") { position += 1 }
      let digits = String(decoding: text[first..<position], as: UTF8.self)
      guard consume(">") else { throw error("this angle bracket is not closed", at: start) }
      return Literal(text: digits, style: .octets, offset: start)
    }
    while let byte = next, !Self.endsWord(byte), !text[position...].starts(with: "..".utf8) { position += 1 }
    guard position > start else { throw error("expected a value") }
    return Literal(text: String(decoding: text[start..<position], as: UTF8.self), style: .word, offset: start)
  }

  private mutating func readQuoted(from start: Int) throws(FilterError) -> Literal {
    var out: [UInt8] = []
    while let byte = next {
      position += 1
      if byte == UInt8(ascii: "\"") {
        return Literal(text: String(decoding: out, as: UTF8.self), style: .quoted, offset: start)
      }
      guard byte == UInt8(ascii: "\\") else {
        out.append(byte)
        continue
      }
      let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "\""): UInt8(ascii: "\""), UInt8(ascii: "\\"): UInt8(ascii: "\\"), UInt8(ascii: "n"): 0x0a,
        UInt8(ascii: "r"): 0x0d, UInt8(ascii: "t"): 0x09,
      ]
      guard let escape = next, let meant = escapes[escape] else {
        throw error("a backslash is allowed only before \" \\ n r or t", at: position - 1)
      }
      out.append(meant)
      position += 1
    }
    throw error("this quotation mark is not closed", at: start)
  }

  private func error(_ reason: String, at offset: Int? = nil) -> FilterError {
    let before = String(decoding: text[..<(offset ?? position)], as: UTF8.self)
    return FilterError(column: before.count + 1, reason: reason)
  }
}

/// A value in the text of a filter.
struct Literal {
  let text: String
  let style: Style
  /// Byte offset in the filter.
  let offset: Int

  enum Style { case word, quoted, octets }
}

/// One value, or all values from `low` to `high`.
struct Operand {
  let low: Literal
  let high: Literal?
}

enum Relation {
  case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual, contains, isIn

  var isOrder: Bool {
    switch self {
    case .less, .lessOrEqual, .greater, .greaterOrEqual: true
    case .equal, .notEqual, .contains, .isIn: false
    }
  }
}
