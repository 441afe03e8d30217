/// Compiles the text of a filter into a closure, in one pass.
///
///     filter     = all *( ("||" / "or") all )
///     all        = factor *( ("&&" / "and") factor )
///     factor     = ("!" / "not") factor / "(" filter ")" / name [ comparison ]
///     comparison = relation value / "contains" value / "in" ( range / "{" range *( "," range ) "}" )
///     range      = value [ ".." value ]
struct FilterParser {
  /// The maximum nesting of parentheses and negations.
  private static let nestingLimit = 256

  let text: [UInt8]
  let names: FieldNames
  let now: Int
  var position = 0
  var depth = 0

  mutating func parse() throws(FilterError) -> Filter.Predicate {
    let filter = try readAny()
    guard position == text.count else {
      if next == UInt8(ascii: ")") { throw error("this closing parenthesis has no opening one") }
      throw unexpected("the end of the filter")
    }
    return filter
  }

  private mutating func readAny() throws(FilterError) -> Filter.Predicate {
    var operands = [try readAll()]
    while consume("||", or: "or") { operands.append(try readAll()) }
    guard operands.count > 1 else { return operands[0] }
    return { [operands] record, bytes in operands.contains { $0(record, bytes) } }
  }

  private mutating func readAll() throws(FilterError) -> Filter.Predicate {
    var operands = [try readFactor()]
    while consume("&&", or: "and") { operands.append(try readFactor()) }
    guard operands.count > 1 else { return operands[0] }
    return { [operands] record, bytes in operands.allSatisfy { $0(record, bytes) } }
  }

  // Recursion is bounded by `nestingLimit`.
  private mutating func readFactor() throws(FilterError) -> Filter.Predicate {
    let start = skipSpace()
    guard depth < Self.nestingLimit else {
      throw error("parentheses and negations are nested more than \(Self.nestingLimit) deep")
    }
    depth += 1
    defer { depth -= 1 }
    if consume("!", or: "not") {
      let operand = try readFactor()
      return { !operand($0, $1) }
    }
    guard consume("(") else { return try readTest() }
    let filter = try readAny()
    if position == text.count { throw error("this parenthesis is not closed", at: start) }
    guard consume(")") else { throw unexpected("a closing parenthesis") }
    return filter
  }

  private mutating func readTest() throws(FilterError) -> Filter.Predicate {
    let start = skipSpace()
    let name = readName()
    if name.isEmpty { throw error("expected a field") }
    if let hint = Self.hint(for: name) { throw error(hint, at: start) }
    let field: QueryField
    do throws(UnknownName) { field = try names.field(name) } catch { throw self.error("\(error)", at: start) }
    let relation = try readRelation()
    var condition: Comparison.Condition = { _, _ in true }
    if let relation {
      let operands = relation == .isIn ? try readSet() : [(try readValue(), nil)]
      let comparison = Comparison(field: field, relation: relation, parser: self)
      condition = try comparison.condition(operands, at: start)
    }
    return { [walk = field.walk, condition, isNegated = relation == .notEqual] record, bytes in
      var (hasValue, isMet) = (false, false)
      walk(record, bytes) { value in
        hasValue = true
        isMet = condition(value, bytes)
        return !isMet
      }
      return isNegated ? hasValue && !isMet : isMet
    }
  }

  private mutating func readRelation() throws(FilterError) -> Relation? {
    for (sign, word, relation) in Relation.spellings where consume(sign, or: word) { return relation }
    if next == UInt8(ascii: "=") { throw error("write == for equality") }
    return nil
  }

  private mutating func readSet() throws(FilterError) -> [Operand] {
    let start = skipSpace()
    guard consume("{") else { return [try readRange()] }
    var ranges = [try readRange()]
    while consume(",") { ranges.append(try readRange()) }
    if position == text.count { throw error("this brace is not closed", at: start) }
    guard consume("}") else { throw error("expected a comma or a closing brace") }
    return ranges
  }

  private mutating func readRange() throws(FilterError) -> Operand {
    (try readValue(), consume("..") ? try readValue() : nil)
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

  private mutating func consume(_ sign: String?, or word: String? = nil) -> Bool {
    let start = skipSpace()
    if let sign, text[start...].starts(with: sign.utf8) {
      position += sign.utf8.count
      return true
    }
    if let word, readName() == word { return true }
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
      let digits = String(decoding: text[position...].prefix { $0 != UInt8(ascii: ">") }, as: UTF8.self)
      position += digits.utf8.count
      guard consume(">") else { throw error("this angle bracket is not closed", at: start) }
      return Literal(text: digits, style: .octets, offset: start)
    }
    while let byte = next, !Self.endsWord(byte), !text[position...].starts(with: "..".utf8) { position += 1 }
    guard position > start else { throw error("expected a value") }
    return Literal(text: String(decoding: text[start..<position], as: UTF8.self), style: .word, offset: start)
  }

  private mutating func readQuoted(from start: Int) throws(FilterError) -> Literal {
    let escapes = Dictionary(uniqueKeysWithValues: zip("\"\\nrt".utf8, "\"\\\n\r\t".utf8))
    var out: [UInt8] = []
    while var byte = next, byte != UInt8(ascii: "\"") {
      if byte == UInt8(ascii: "\\") {
        guard let escape = text[(position + 1)...].first, let meant = escapes[escape] else {
          throw error("a backslash is allowed only before \" \\ n r or t")
        }
        position += 1
        byte = meant
      }
      out.append(byte)
      position += 1
    }
    guard next != nil else { throw error("this quotation mark is not closed", at: start) }
    position += 1
    return Literal(text: String(decoding: out, as: UTF8.self), style: .quoted, offset: start)
  }

  /// The error about what follows a comparison.
  private mutating func unexpected(_ end: String) -> FilterError {
    let start = position
    let hint = Self.hint(for: readName())
    return error(hint ?? "expected &&, || or \(end); put a value of several words in double quotes", at: start)
  }

  private static func hint(for word: String) -> String? {
    ["AND", "OR", "NOT"].contains(word) ? "write \(word.lowercased()) in lower case" : nil
  }

  func error(_ reason: String, at offset: Int? = nil) -> FilterError {
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
typealias Operand = (low: Literal, high: Literal?)

enum Relation {
  case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual, contains, isIn

  /// Signs come after the longer ones that they begin.
  static let spellings: [(sign: String?, word: String, Relation)] = [
    ("==", "eq", .equal), ("!=", "ne", .notEqual), ("<=", "le", .lessOrEqual), (">=", "ge", .greaterOrEqual),
    ("<", "lt", .less), (">", "gt", .greater), (nil, "contains", .contains), (nil, "in", .isIn),
  ]

  var isOrder: Bool { [.less, .lessOrEqual, .greater, .greaterOrEqual].contains(self) }
}
