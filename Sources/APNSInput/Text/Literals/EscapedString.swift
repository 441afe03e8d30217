import Octets

extension TextFormat {
  /// A string with escapes: `\x02\x00N`.
  public static let escapes = TextFormat(
    "escapes", "string with escapes (\\x02\\x00N)", recognises: { EscapedString.recognises($0) },
    decoder: { EscapedString(isQuoted: EscapedString.isQuoted($0), isDecimal: EscapedString.isDecimal($0)) })
}

/// A string literal with bytes as C, Python, Ruby or Wireshark print them: escapes, and printable characters unchanged.
///
///     b'\x08\x08\x00N'
///     "\x08\x08" \
///     "\000\n"
///
/// Without quotes, blanks at either end of a line are not data. `\x` takes two digits, as in all of these languages
/// except C, where it takes any number.
struct EscapedString: TextDecoder {
  private enum State {
    /// Before, between or after quoted pieces.
    case outside
    /// Inside a string without quotes.
    case bare
    case quoted(UInt8, from: TextPosition)
  }

  /// Whether the bytes are in quotes, so that other text around them is skipped.
  let isQuoted: Bool
  /// Whether escapes of three digits are decimal, as in OCaml and Lua.
  let isDecimal: Bool
  private var state = State.outside
  /// Nothing has been decoded, so a string without quotes may begin.
  private var isFirst = true
  /// The preceding line ended with a backslash, so leading blanks inside quotes are data.
  private var isContinued = false
  /// The line has a closed quote, so only another quote may follow.
  private var hasQuote = false

  init(isQuoted: Bool, isDecimal: Bool = false) {
    self.isQuoted = isQuoted
    self.isDecimal = isDecimal
  }

  var leads: LineLead.Kind {
    if case .outside = state, isQuoted { .all } else { .none }
  }
  var longestLine: Int? { nil }

  mutating func decode(_ line: TextLine, into output: inout TextOutput) throws(ReadError) {
    var start = line.first
    if case .quoted = state { start = 0 }
    if line.isStart { hasQuote = false }
    try decode(line, start..<line.text.count, into: &output)
    guard line.isEnd, !isContinued, case .quoted(_, let quote) = state else { return }
    throw .openQuote(at: quote)
  }

  mutating func finish(at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    if isContinued {
      throw ReadError(.cutText, "the text ends inside an escape; paste all of it", position: position)
    }
    if case .quoted(_, let start) = state {
      throw .openQuote(at: start)
    }
  }

  /// Decodes a part of a line.
  mutating func decode(_ line: TextLine, _ range: Range<Int>, into output: inout TextOutput) throws(ReadError) {
    isContinued = false
    var index = range.lowerBound
    while index < range.upperBound {
      let byte = line.text[index]
      let position = line.position(index)
      switch state {
      case .outside:
        let next = index + 1 < range.upperBound ? line.text[index + 1] : UInt8(ascii: "\n")
        index += 1
        if byte.isWhite { break }
        if Self.isQuote(byte) {
          state = .quoted(byte, from: position)
          (hasQuote, isFirst) = (true, false)
        } else if isQuoted, byte != UInt8(ascii: "\\"), !hasQuote || Self.closers.contains(byte) {
          // Skip text of a log or a program around strings.
        } else if byte == UInt8(ascii: "b"), Self.isQuote(next) {
          // Skip the prefix of Python's b'...'.
        } else if isFirst {
          isFirst = false
          state = .bare
          index -= 1
        } else if byte != UInt8(ascii: "\\") {
          throw .notHex(byte, at: position, Self.afterQuote)
        } else if index < range.upperBound {
          throw .notHex(next, at: line.position(index), "follows a backslash outside the quotes")
        }
      case .quoted(byte, _):
        state = .outside
        index += 1
      case .bare where Self.isQuote(byte):
        throw .notHex(byte, at: position, "is inside text without quotes; paste only the quoted string")
      case .bare, .quoted:
        if byte == UInt8(ascii: "\\") {
          index = try decodeEscape(at: index, of: line, range.upperBound, into: &output)
          continue
        }
        guard byte.isPrintable else { throw .notHex(byte, at: position, Self.explanation) }
        output.append(byte, at: position)
        index += 1
      }
    }
  }

  /// Decodes the escape at `start`. Returns the index after it.
  private mutating func decodeEscape(
    at start: Int, of line: TextLine, _ end: Int, into output: inout TextOutput
  ) throws(ReadError) -> Int {
    guard start + 1 < end else {
      isContinued = true
      return end
    }
    let letter = line.text[start + 1]
    let letterPosition = line.position(start + 1)
    if letter == UInt8(ascii: "x") || letter == UInt8(ascii: "u"), start + 2 < end,
      line.text[start + 2] == UInt8(ascii: "{")
    {
      return try decodeBraces(at: start + 3, of: line, end, isByte: letter == UInt8(ascii: "x"), into: &output)
    }
    switch letter {
    case UInt8(ascii: "x"):
      let digits = try hex(2, from: start + 2, of: line, end, "x")
      output.append(UInt8(truncatingIfNeeded: digits), at: line.position(start + 2))
      return start + 4
    case UInt8(ascii: "u"):
      let value = try hex(4, from: start + 2, of: line, end, "u")
      guard value < 0x80 else { throw .notOneByte(at: letterPosition) }
      output.append(UInt8(value), at: letterPosition)
      return start + 6
    case _ where isDecimal && letter.isDecimalDigit:
      let digits = line.text[(start + 1)..<min(start + 4, end)]
      guard digits.count == 3, let value = digits.number(radix: 10), value <= 0xff else {
        throw .notHex(
          letter, at: letterPosition, "does not begin a decimal escape; write three digits, at most \\255")
      }
      output.append(UInt8(value), at: letterPosition)
      return start + 4
    case UInt8(ascii: "0")...UInt8(ascii: "7"):
      let digits = line.text[(start + 1)..<min(start + 4, end)].prefix { UInt8(ascii: "0")...UInt8(ascii: "7") ~= $0 }
      guard let value = digits.number(radix: 8), value <= 0xff else {
        throw .notHex(
          line.text[start + 3], at: line.position(start + 3), "makes this octal escape larger than \\377")
      }
      output.append(UInt8(value), at: letterPosition)
      return digits.endIndex
    default:
      guard let value = Self.letters[letter] else { throw .notHex(letter, at: letterPosition, Self.explanation) }
      output.append(value, at: letterPosition)
      return start + 2
    }
  }

  /// Decodes `\x{08}` (Perl) or `\u{8}` (Swift, Rust, JavaScript); `start` is the index after the brace.
  private func decodeBraces(
    at start: Int, of line: TextLine, _ end: Int, isByte: Bool, into output: inout TextOutput
  ) throws(ReadError) -> Int {
    let digits = line.text[start..<end].prefix { $0.hexDigitValue != nil }
    let isClosed = digits.endIndex < end && line.text[digits.endIndex] == UInt8(ascii: "}")
    guard let value = digits.number(), isClosed, !isByte || value <= 0xff else {
      throw ReadError(
        .notHex, "this escape is not a byte; write two hex digits and a brace, as in \\x{08}",
        position: line.position(start))
    }
    guard isByte || value < 0x80 else { throw .notOneByte(at: line.position(start)) }
    output.append(UInt8(value), at: line.position(start))
    return digits.endIndex + 1
  }

  /// The value of `count` hex digits.
  private func hex(
    _ count: Int, from start: Int, of line: TextLine, _ end: Int, _ letter: String
  ) throws(ReadError) -> Int {
    let digits = line.text[start..<min(start + count, end)]
    if let value = digits.number(), digits.count == count { return value }
    if count == 2, digits.first?.hexDigitValue != nil { throw .oddDigits(at: line.position(start)) }
    guard let wrong = digits.firstIndex(where: { $0.hexDigitValue == nil }) else {
      throw ReadError(
        .cutText, "the line ends inside an escape; paste all of it", position: line.position(digits.endIndex))
    }
    let needed = count == 2 ? "two" : "four"
    throw .notHex(line.text[wrong], at: line.position(wrong), "is not a hex digit; \\\(letter) needs \(needed)")
  }

  /// The index of the quote that closes a string whose characters begin at `start`.
  static func end(_ quote: UInt8, in text: [UInt8], from start: Int) -> Int? {
    var index = start
    while index < text.count, text[index] != quote { index += text[index] == UInt8(ascii: "\\") ? 2 : 1 }
    return index < text.count ? index : nil
  }

  private static func isQuote(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }

  private static let letters: [UInt8: UInt8] = [
    UInt8(ascii: "n"): 0x0a, UInt8(ascii: "r"): 0x0d, UInt8(ascii: "t"): 0x09, UInt8(ascii: "a"): 0x07,
    UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0c, UInt8(ascii: "v"): 0x0b, UInt8(ascii: "e"): 0x1b,
    UInt8(ascii: "\\"): 0x5c, UInt8(ascii: "\""): 0x22, UInt8(ascii: "'"): 0x27,
    UInt8(ascii: "#"): 0x23, UInt8(ascii: "/"): 0x2f,
  ]
  private static let closers = Array(")],;+bB".utf8)
  private static let afterQuote = "follows the closing quote; only another quoted piece may follow"
  private static let explanation = "is not allowed in a string with escapes; write it as \\x and two hex digits"
}

// MARK: - Recognition
extension EscapedString {
  static func isQuoted(_ head: TextHead) -> Bool {
    let quote = head.text.firstIndex { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'") }
    let backslash = head.text.firstIndex(of: UInt8(ascii: "\\"))
    guard let quote else { return false }
    return backslash.map { quote < $0 } ?? true
  }

  /// Every escape with digits has three that are a byte in decimal, and at least one of them is not a byte in octal.
  static func isDecimal(_ head: TextHead) -> Bool {
    let escapes = head.text.indices.filter { index in
      head.text[index] == UInt8(ascii: "\\") && head.text[(index + 1)...].first?.isDecimalDigit == true
    }
    let digits = escapes.map { head.text[($0 + 1)...].prefix(3) }.filter { $0.endIndex < head.text.count }
    return digits.allSatisfy { $0.number(radix: 10) ?? 0x100 <= 0xff }
      && digits.contains { $0.number(radix: 8) ?? 0x100 > 0xff }
  }

  /// `\x08` or an octal escape. `\u0008` only at the start of a string, because JSON contains it anywhere.
  static func recognises(_ head: TextHead) -> Bool {
    let text = head.text
    return text.indices.contains { index in
      guard text[index] == UInt8(ascii: "\\") else { return false }
      let rest = text[(index + 1)...]
      if let octal = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(octal) { return true }
      if rest.first == UInt8(ascii: "u"), index > 0, text[index - 1] == UInt8(ascii: "\"") {
        return rest.dropFirst().prefix(2).isText("00")
      }
      let isBraced = rest.dropFirst().first == UInt8(ascii: "{")
      if isBraced { return rest.first == UInt8(ascii: "x") || rest.first == UInt8(ascii: "u") }
      return rest.first == UInt8(ascii: "x") && rest.dropFirst().first?.hexDigitValue != nil
    }
  }
}

extension ReadError {
  fileprivate static func notOneByte(at position: TextPosition) -> ReadError {
    let reason = "above \\u007f this may be a byte or UTF-8; print the bytes as \\x and two digits"
    return ReadError(.ambiguousText, reason, position: position)
  }
}
