import APNSInput
import APNSPayload
import APNSWire
import Octets

/// Compiles the right side of a comparison into a condition on a value, according to the type of the field.
struct Comparison {
  let field: QueryField
  let relation: Relation
  let parser: FilterParser

  /// Whether a value of the field meets a condition. The bytes are those of the record.
  typealias Condition = @Sendable (FieldValue, Span<UInt8>) -> Bool

  /// The condition that any of the operands holds. `!=` has the condition of `==`.
  func condition(_ operands: [Operand], at start: Int) throws(FilterError) -> Condition {
    let (isOrdered, isSearchable) = field.kind.relations
    if relation.isOrder && !isOrdered || relation == .contains && !isSearchable {
      let others = (isOrdered ? " < <= > >=" : "") + (isSearchable ? " contains" : "")
      throw parser.error("\(field.name) can only be used with == !=\(others) and in", at: start)
    }
    if !isOrdered, let high = operands.lazy.compactMap(\.high).first {
      throw parser.error("\(field.name) has no order, so it has no ranges", at: high.offset)
    }
    switch field.kind {
    case .number(let bytes, let meaning, let codes):
      let isMet = try interval(operands) { (literal) throws(FilterError) in try number(literal, bytes, meaning, codes) }
      return { value, _ in if case .number(let number) = value { isMet(number) } else { false } }
    case .time:
      let isMet = try interval(operands, time)
      return { value, _ in if case .time(let time) = value { isMet(time) } else { false } }
    case .word(let words, _) where relation != .contains:
      let isMet = try interval(operands) { (literal) throws(FilterError) in try index(of: literal, in: words) }
      let meant = words.indices.filter(isMet).map { words[$0] }
      return { value, _ in if case .text(let text) = value { meant.contains(text) } else { false } }
    case .word, .text, .octets, .json, .jsonValue, .endpoint:
      var conditions: [Condition] = []
      for operand in operands { conditions.append(try condition(operand)) }
      guard conditions.count > 1 else { return conditions[0] }
      return { [conditions] value, bytes in conditions.contains { $0(value, bytes) } }
    }
  }

  private func condition(_ operand: Operand) throws(FilterError) -> Condition {
    let literal = operand.low
    if case .endpoint = field.kind {
      let isMet = try endpoint(literal)
      return { value, _ in if case .endpoint(let endpoint) = value { isMet(endpoint) } else { false } }
    }
    let text = try text(literal)
    if relation == .contains { return { $0.contains(text, $1) } }
    guard case .jsonValue = field.kind else { return { $0.equals(text, $1) } }
    if relation.isOrder || operand.high != nil || (try? jsonNumber(literal)) != nil {
      let isMet = try interval([operand], jsonNumber)
      return { value, bytes in
        guard case .json(.number, let range) = value, let number = JSONNumber(bytes, range) else { return false }
        return isMet(number)
      }
    }
    let constants: [String: JSONScanner.Kind] = ["true": .true, "false": .false, "null": .null]
    if literal.style == .word, let constant = constants[literal.text] {
      return { value, _ in if case .json(constant, _) = value { true } else { false } }
    }
    return { $0.equals(text, $1) }
  }

  /// Whether a value satisfies the relation to any of the operands.
  private func interval<Value: Comparable & Sendable>(
    _ operands: [Operand], _ read: (Literal) throws(FilterError) -> Value
  ) throws(FilterError) -> @Sendable (Value) -> Bool {
    var ranges: [(low: Value, high: Value)] = []
    for operand in operands {
      let (low, high) = (try read(operand.low), try read(operand.high ?? operand.low))
      if high < low { throw parser.error("the range ends before it begins", at: operand.low.offset) }
      ranges.append((low, high))
    }
    let low = ranges[0].low
    switch relation {
    case .less: return { $0 < low }
    case .lessOrEqual: return { $0 <= low }
    case .greater: return { $0 > low }
    case .greaterOrEqual: return { $0 >= low }
    case .equal, .notEqual, .contains, .isIn:
      return { [ranges] value in ranges.contains { $0.low <= value && value <= $0.high } }
    }
  }
}

// MARK: - Values of each type
extension Comparison {
  /// A message lists all valid words up to this number; beyond it, only the nearest one.
  static let longestList = 16

  private func number(
    _ literal: Literal, _ bytes: Int, _ meaning: Field.Meaning, _ codes: [(key: UInt64, value: String)]
  ) throws(FilterError) -> UInt64 {
    let text = literal.text.lowercased()
    let meant = Set(codes.filter { $0.value.lowercased() == text }.map(\.key)).sorted()
    if FieldText.number(literal.text) == nil, let code = meant.first {
      guard meant.count > 1 else { return code }
      let numbers = meant.map(String.init).joined(separator: " or ")
      throw parser.error("\(field.name) \(literal.text) is \(numbers), depending on the frame type", at: literal.offset)
    }
    do throws(AssignmentError) {
      return try FieldText.integer(literal.text, field.name, bytes: bytes, meaning, now: parser.now)
    } catch {
      let words = codes.map(\.value).sorted()
      let begun = words.first { $0.lowercased().hasPrefix(text + " ") }
      let hint = begun.map { "; if you mean \"\($0)\", put it in double quotes" }
      throw parser.error("\(error)\(hint ?? suggestion(literal.text, words))", at: literal.offset)
    }
  }

  private func index(of literal: Literal, in words: [String]) throws(FilterError) -> Int {
    if let index = words.firstIndex(where: { $0.lowercased() == literal.text.lowercased() }) { return index }
    let isShort = words.count <= Self.longestList
    let reason = isShort ? "must be one of \(words.joined(separator: ", "))" : "is never \"\(literal.text)\""
    throw parser.error("\(field.name) \(reason)\(suggestion(literal.text, words))", at: literal.offset)
  }

  private func time(_ literal: Literal) throws(FilterError) -> CaptureTime {
    let written = FieldText.number(literal.text).map { Int(clamping: $0) }
    guard let seconds = written ?? FieldText.seconds(literal.text, now: parser.now) else {
      let forms = FieldText.isoHint(literal.text) ?? "2013-11-19T00:00:00.25Z, seconds since 1970, now, or -1d"
      throw parser.error("\(field.name) must be a time: \(forms)", at: literal.offset)
    }
    let fraction = UTC.parse(Array(literal.text.utf8).span)?.nanoseconds ?? 0
    return CaptureTime(seconds: seconds, nanoseconds: fraction, digits: 9)
  }

  /// `10.0.0.1:2195`, `10.0.0.1`, `[2001:db8::1]:2195`, `2001:db8::1` or `2195`.
  private func endpoint(_ literal: Literal) throws(FilterError) -> @Sendable (Endpoint) -> Bool {
    let text = literal.text
    if let port = UInt16(text) { return { $0.port == port } }
    if let address = (Endpoint(text + ":0") ?? Endpoint("[\(text)]:0"))?.address { return { $0.address == address } }
    if let endpoint = Endpoint(text) { return { $0 == endpoint } }
    throw parser.error("\(field.name) must be an address and a port, or one of them: 10.0.0.1:2195", at: literal.offset)
  }

  private func text(_ literal: Literal) throws(FilterError) -> [UInt8] {
    let isOctets = if case .octets = field.kind { true } else { literal.style == .octets }
    guard isOctets else { return Array(literal.text.utf8) }
    let digits = literal.text.hasPrefix("0x") ? String(literal.text.dropFirst(2)) : literal.text
    do throws(AssignmentError) { return try FieldText.octets(digits, field.name) } catch {
      throw parser.error("\(error)", at: literal.offset)
    }
  }

  private func jsonNumber(_ literal: Literal) throws(FilterError) -> JSONNumber {
    let text = Array((FieldText.number(literal.text).map(String.init) ?? literal.text).utf8)
    guard literal.style == .word, let number = JSONNumber(text.span, text.indices) else {
      throw parser.error("\(field.name) can only be less or greater than a number", at: literal.offset)
    }
    return number
  }
}

extension QueryField.Kind {
  /// Whether its values can be less or greater than others, and whether they can contain a text.
  fileprivate var relations: (isOrdered: Bool, isSearchable: Bool) {
    switch self {
    case .number, .time: (true, false)
    case .word(_, let isOrdered): (isOrdered, true)
    case .jsonValue: (true, true)
    case .text, .octets, .json: (false, true)
    case .endpoint: (false, false)
    }
  }
}
