import APNSInput
import APNSWire
import Octets

/// Why a value is invalid for its field: a sentence, and the byte offset in the filter; nil means the offset of the
/// field.
struct Mismatch: Error {
  let reason: String
  let offset: Int?
}

/// Compiles the right side of a comparison into a check, according to the type of the field.
struct CheckCompiler {
  /// A message lists all valid words up to this number; beyond it, only the nearest one.
  private static let listLimit = 16

  let reader: FieldReader
  let relation: Relation
  let now: Int

  func check(_ operands: [Operand]) throws(Mismatch) -> Check {
    switch reader.field.kind {
    case .json where !reader.path.isEmpty: return try jsonCheck(operands)
    case .number(let bytes, let meaning): return try numberCheck(operands, bytes, meaning)
    case .word(let words, let isOrdered): return try wordCheck(operands, words, isOrdered)
    case .time: return try timeCheck(operands)
    case .endpoint: return try endpointCheck(operands)
    case .octets: return try textCheck(operands, octets)
    case .json, .text: return try textCheck(operands, textBytes)
    }
  }

  private func numberCheck(
    _ operands: [Operand], _ bytes: Int, _ meaning: Field.Meaning
  ) throws(Mismatch) -> Check {
    try reject([.contains], "== != < <= > >= and in")
    var ranges: [ClosedRange<UInt64>] = []
    for operand in operands {
      ranges += try range(operand) { (literal) throws(Mismatch) in try number(literal, bytes, meaning) }
    }
    return .numbers(ranges)
  }

  private func number(_ literal: Literal, _ bytes: Int, _ meaning: Field.Meaning) throws(Mismatch) -> UInt64 {
    let codes = reader.field.codes
    let meant = codes.filter { $0.word.lowercased() == literal.text.lowercased() }.map(\.code)
    if FieldText.number(literal.text) == nil, let code = meant.first {
      guard meant.allSatisfy({ $0 == code }) else {
        let numbers = Set(meant).sorted().map(String.init).joined(separator: " or ")
        throw mismatch("\(reader.name) \(literal.text) is \(numbers), depending on the frame type", literal)
      }
      return code
    }
    do throws(AssignmentError) {
      return try FieldText.integer(literal.text, reader.name, bytes: bytes, meaning, now: now)
    } catch {
      let words = codes.map(\.word).sorted()
      let begun = words.first { $0.lowercased().hasPrefix(literal.text.lowercased() + " ") }
      let hint = begun.map { "; if you mean \"\($0)\", put it in double quotes" }
      throw mismatch("\(error)\(hint ?? suggestion(literal.text, words))", literal)
    }
  }

  private func wordCheck(
    _ operands: [Operand], _ words: [UInt64: String], _ isOrdered: Bool
  ) throws(Mismatch) -> Check {
    if relation == .contains {
      let needle = Needle(Array(operands[0].low.text.utf8))
      let meant = words.filter { needle.isFound(in: Array($0.value.utf8)) }.keys.sorted()
      return .numbers(meant.map { $0...$0 })
    }
    if !isOrdered { try reject([.less, .lessOrEqual, .greater, .greaterOrEqual], "== != contains and in") }
    var ranges: [ClosedRange<UInt64>] = []
    for operand in operands {
      if let high = operand.high, !isOrdered {
        throw mismatch("\(reader.name) has no order, so it has no ranges", high)
      }
      ranges += try range(operand) { (literal) throws(Mismatch) in try word(literal, words) }
    }
    return .numbers(ranges)
  }

  private func word(_ literal: Literal, _ words: [UInt64: String]) throws(Mismatch) -> UInt64 {
    let meant = words.filter { $0.value.lowercased() == literal.text.lowercased() }.keys.min()
    if let meant { return meant }
    let all = words.sorted { $0.key < $1.key }.map(\.value)
    let hint = suggestion(literal.text, all)
    guard all.count <= Self.listLimit else {
      throw mismatch("\(reader.name) is never \"\(literal.text)\"\(hint)", literal)
    }
    throw mismatch("\(reader.name) must be one of \(all.joined(separator: ", "))\(hint)", literal)
  }

  private func timeCheck(_ operands: [Operand]) throws(Mismatch) -> Check {
    try reject([.contains], "== != < <= > >= and in")
    var ranges: [ClosedRange<Int128>] = []
    for operand in operands { ranges += try range(operand, time) }
    return .times(ranges)
  }

  private func time(_ literal: Literal) throws(Mismatch) -> Int128 {
    if let seconds = FieldText.number(literal.text) { return Int128(seconds) * 1_000_000_000 }
    guard let seconds = FieldText.seconds(literal.text, now: now) else {
      let forms = "2013-11-19T00:00:00.25Z, seconds since 1970, now, or -1d"
      throw mismatch("\(reader.name) must be a time: \(FieldText.isoHint(literal.text) ?? forms)", literal)
    }
    return Int128(seconds) * 1_000_000_000 + Int128(UTC.parse(Array(literal.text.utf8).span)?.nanoseconds ?? 0)
  }

  private func endpointCheck(_ operands: [Operand]) throws(Mismatch) -> Check {
    try reject([.contains, .less, .lessOrEqual, .greater, .greaterOrEqual], "== != and in")
    var patterns: [EndpointPattern] = []
    for literal in try singleValues(operands) {
      guard let pattern = EndpointPattern(literal.text) else {
        throw mismatch("\(reader.name) must be an address and a port, or one of them: 10.0.0.1:2195", literal)
      }
      patterns.append(pattern)
    }
    return .endpoints(patterns)
  }

  private func textCheck(
    _ operands: [Operand], _ read: (Literal) throws(Mismatch) -> [UInt8]
  ) throws(Mismatch) -> Check {
    try reject([.less, .lessOrEqual, .greater, .greaterOrEqual], "== != contains and in")
    var texts: [[UInt8]] = []
    for literal in try singleValues(operands) { texts.append(try read(literal)) }
    return relation == .contains ? .contains(Needle(texts[0])) : .texts(texts)
  }

  private func textBytes(_ literal: Literal) throws(Mismatch) -> [UInt8] {
    literal.style == .octets ? try octets(literal) : Array(literal.text.utf8)
  }

  private func octets(_ literal: Literal) throws(Mismatch) -> [UInt8] {
    let text = literal.text.hasPrefix("0x") ? String(literal.text.dropFirst(2)) : literal.text
    do throws(AssignmentError) { return try FieldText.octets(text, reader.name) } catch {
      throw mismatch("\(error)", literal)
    }
  }
}

// MARK: - Values inside JSON
extension CheckCompiler {
  private func jsonCheck(_ operands: [Operand]) throws(Mismatch) -> Check {
    if relation == .contains { return .contains(Needle(try textBytes(operands[0].low))) }
    var patterns: [JSONPattern] = []
    for operand in operands { patterns.append(try jsonPattern(operand)) }
    return .json(patterns)
  }

  private func jsonPattern(_ operand: Operand) throws(Mismatch) -> JSONPattern {
    let low = operand.low
    if relation.isOrder || operand.high != nil {
      return try jsonRange(operand)
    }
    switch (low.style, low.text) {
    case (.word, "true"): return .literal(.true)
    case (.word, "false"): return .literal(.false)
    case (.word, "null"): return .literal(.null)
    case (.word, _):
      if let number = numberWord(low) { return .numbers(from: number, to: number, excludesEnds: false) }
      return .string(Array(low.text.utf8))
    default: return .string(try textBytes(low))
    }
  }

  private func jsonRange(_ operand: Operand) throws(Mismatch) -> JSONPattern {
    let low = try jsonNumber(operand.low)
    switch relation {
    case .less: return .numbers(from: nil, to: low, excludesEnds: true)
    case .greater: return .numbers(from: low, to: nil, excludesEnds: true)
    case .lessOrEqual: return .numbers(from: nil, to: low, excludesEnds: false)
    case .greaterOrEqual: return .numbers(from: low, to: nil, excludesEnds: false)
    case .equal, .notEqual, .contains, .isIn:
      let high = try jsonNumber(operand.high ?? operand.low)
      if high < low { throw mismatch("the range ends before it begins", operand.low) }
      return .numbers(from: low, to: high, excludesEnds: false)
    }
  }

  private func jsonNumber(_ literal: Literal) throws(Mismatch) -> JSONNumber {
    if literal.style == .word, let number = numberWord(literal) { return number }
    throw mismatch("\(reader.name) can only be less or greater than a number", literal)
  }

  private func numberWord(_ literal: Literal) -> JSONNumber? {
    JSONNumber(FieldText.number(literal.text).map(String.init) ?? literal.text)
  }
}

// MARK: - Shared by all types
extension CheckCompiler {
  /// The values that satisfy the relation; empty if there are none.
  private func range<Number: FixedWidthInteger & Sendable>(
    _ operand: Operand, _ read: (Literal) throws(Mismatch) -> Number
  ) throws(Mismatch) -> [ClosedRange<Number>] {
    let low = try read(operand.low)
    switch relation {
    case .less: return low == Number.min ? [] : [Number.min...(low - 1)]
    case .lessOrEqual: return [Number.min...low]
    case .greater: return low == Number.max ? [] : [(low + 1)...Number.max]
    case .greaterOrEqual: return [low...Number.max]
    case .equal, .notEqual, .contains, .isIn:
      let high = try read(operand.high ?? operand.low)
      guard low <= high else { throw mismatch("the range ends before it begins", operand.low) }
      return [low...high]
    }
  }

  private func singleValues(_ operands: [Operand]) throws(Mismatch) -> [Literal] {
    if let high = operands.lazy.compactMap(\.high).first {
      throw mismatch("\(reader.name) has no order, so it has no ranges", high)
    }
    return operands.map(\.low)
  }

  private func reject(_ relations: [Relation], _ others: String) throws(Mismatch) {
    guard relations.contains(relation) else { return }
    throw Mismatch(reason: "\(reader.name) can only be used with \(others)", offset: nil)
  }

  private func mismatch(_ reason: String, _ literal: Literal) -> Mismatch {
    Mismatch(reason: reason, offset: literal.offset)
  }
}
