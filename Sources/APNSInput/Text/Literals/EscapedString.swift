extension TextFormat {
  public static let escapes = TextFormat(
    "escapes", "string with escapes (\\x02\\x00N)", recognises: { EscapedString.recognises($0) },
    decoder: { head, strict in EscapedString(isQuoted: EscapedString.isQuoted(head), strict: strict) })
}

/// A string literal as C, Python, Ruby or Wireshark print bytes: escapes, and printable characters as themselves.
///
///     b'\x08\x08\x00N'
///     "\x08\x08" \
///     "\000\n"
///
/// Without quotes, blanks at either end of a line are not data. `\x` takes two digits, as everywhere but in C, where
/// it would run on.
struct EscapedString: TextDecoder {
  private enum Place {
    /// Before, between and after quoted pieces; unquoted text may begin only if nothing came yet.
    case outside(isFirst: Bool)
    /// After a `b` that may be Python's or, as the first character of all, data.
    case prefix(TextPosition, isFirst: Bool)
    case bare
    case quoted(UInt8, from: TextPosition)
  }

  private enum Escape {
    case none
    case backslash
    /// After a backslash and a carriage return: the line's end must follow.
    case lineEnd
    case hex(UInt8, at: TextPosition)
    case hexStart
    case octal(Int, digits: Int, at: TextPosition)
    case unicode(Int, digits: Int, at: TextPosition)
  }

  /// The bytes stand in quotes, so that other text before them is no data.
  let isQuoted: Bool

  let strict: Bool
  private var place = Place.outside(isFirst: true)
  private var escape = Escape.none
  /// Blanks of an unquoted line, which are data only if more follows.
  private var blanks: [TextPosition] = []
  private var lineIsBlank = true
  /// A quote has come on this line, so that only another one may follow.
  private var lineHasQuote = false

  init(isQuoted: Bool, strict: Bool) {
    self.isQuoted = isQuoted
    self.strict = strict
  }

  var leads: LineLead.Kind {
    if case .outside = place, isQuoted { .all } else { .none }
  }

  mutating func take(_ byte: UInt8, at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    switch escape {
    case .none:
      try takePlain(byte, at: position, into: &output)
    case .backslash:
      try takeEscaped(byte, at: position, into: &output)
    case .lineEnd:
      guard byte == UInt8(ascii: "\n") else { throw .notHex(byte, at: position, Self.advice) }
      escape = .none
      lineIsBlank = true
    case .hexStart:
      guard let digit = byte.hexDigit else { throw .notHex(byte, at: position, "is not a hex digit; \\x needs two") }
      escape = .hex(digit, at: position)
    case .hex(let high, let start):
      guard let low = byte.hexDigit else { throw .oddDigits(at: start) }
      output.append(high << 4 | low, at: start)
      escape = .none
    case .unicode(let value, let digits, let start):
      guard let digit = byte.hexDigit else { throw .notHex(byte, at: position, "is not a hex digit; \\u needs four") }
      guard digits == 3 else {
        escape = .unicode(value << 4 | Int(digit), digits: digits + 1, at: start)
        break
      }
      escape = .none
      guard value < 0x08 else {
        let reason =
          "above \\u007f this may be a byte or UTF-8; print the bytes as \\x and two digits"
        throw ReadError(.ambiguousText, reason, position: start)
      }
      output.append(UInt8(truncatingIfNeeded: value << 4 | Int(digit)), at: start)
    case .octal(let value, let digits, let start):
      if (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(byte) && digits < 3 {
        guard !strict else { throw .notHex(byte, at: position, "makes an octal escape; write \\x and two hex digits") }
        let longer = value << 3 | Int(byte & 7)
        guard longer <= 0xff else { throw .notHex(byte, at: position, "makes this octal escape more than \\377") }
        escape = .octal(longer, digits: digits + 1, at: start)
      } else {
        output.append(UInt8(truncatingIfNeeded: value), at: start)
        escape = .none
        try takePlain(byte, at: position, into: &output)
      }
    }
  }

  mutating func finish(at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    switch escape {
    case .none: break
    case .octal(let value, _, let start): output.append(UInt8(truncatingIfNeeded: value), at: start)
    case .hex(_, let start): throw .oddDigits(at: start)
    case .backslash, .lineEnd, .hexStart, .unicode:
      if case .outside = place { return }
      throw ReadError(.cutText, "the text ends inside an escape; paste all of it", position: position)
    }
    if case .prefix(let start, let isFirst) = place {
      guard isFirst else { throw .notHex(UInt8(ascii: "b"), at: start, Self.afterQuote) }
      output.append(UInt8(ascii: "b"), at: start)
    }
    if case .quoted(_, let start) = place {
      throw ReadError(.cutText, "this quote is never closed; paste all of the string", position: start)
    }
  }

  private mutating func takePlain(
    _ byte: UInt8, at position: TextPosition, into output: inout TextOutput
  ) throws(ReadError) {
    let isQuote = byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
    switch place {
    case .outside(let isFirst):
      if byte == UInt8(ascii: "\n") { lineHasQuote = false }
      if byte.isWhite { return }
      if isQuote {
        place = .quoted(byte, from: position)
        lineHasQuote = true
      } else if isQuoted && !strict && byte != UInt8(ascii: "\\") && (!lineHasQuote || Self.closers.contains(byte)) {
        // What a log or a program has around its strings.
      } else if byte == UInt8(ascii: "b") && !strict {
        place = .prefix(position, isFirst: isFirst)
      } else if isFirst {
        place = .bare
        try takeBare(byte, at: position, into: &output)
      } else if byte == UInt8(ascii: "\\") {
        escape = .backslash
      } else {
        throw .notHex(byte, at: position, Self.afterQuote)
      }
    case .prefix(let start, let isFirst):
      if isQuote {
        place = .quoted(byte, from: position)
      } else {
        guard isFirst else { throw .notHex(UInt8(ascii: "b"), at: start, Self.afterQuote) }
        place = .bare
        try takeBare(UInt8(ascii: "b"), at: start, into: &output)
        try takeBare(byte, at: position, into: &output)
      }
    case .bare:
      try takeBare(byte, at: position, into: &output)
    case .quoted(let quote, _):
      if byte == quote {
        place = .outside(isFirst: false)
      } else if byte == UInt8(ascii: "\\") {
        escape = .backslash
      } else {
        guard byte.isPrintable else { throw .notHex(byte, at: position, Self.advice) }
        output.append(byte, at: position)
      }
    }
  }

  private mutating func takeBare(
    _ byte: UInt8, at position: TextPosition, into output: inout TextOutput
  ) throws(ReadError) {
    switch byte {
    case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
      blanks.removeAll()
      lineIsBlank = true
      return
    case UInt8(ascii: "\t") where lineIsBlank:
      return
    case UInt8(ascii: " ") where !strict:
      if !lineIsBlank { blanks.append(position) }
      guard blanks.count < TextOutput.dueCount else {
        throw ReadError(.oversizedText, "this run of blanks is longer than 32 KiB; remove it", position: position)
      }
      return
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      throw .notHex(byte, at: position, "is inside text without quotes; paste only the quoted string")
    default:
      guard byte.isPrintable && byte != UInt8(ascii: " ") else { throw .notHex(byte, at: position, Self.advice) }
    }
    lineIsBlank = false
    for blank in blanks { output.append(UInt8(ascii: " "), at: blank) }
    blanks.removeAll()
    if byte == UInt8(ascii: "\\") { escape = .backslash } else { output.append(byte, at: position) }
  }

  /// Takes the character after a backslash.
  private mutating func takeEscaped(
    _ byte: UInt8, at position: TextPosition, into output: inout TextOutput
  ) throws(ReadError) {
    escape = .none
    if byte == UInt8(ascii: "\n") {
      lineIsBlank = true
      return
    }
    if byte == UInt8(ascii: "\r") {
      escape = .lineEnd
      return
    }
    if case .outside = place { throw .notHex(byte, at: position, "follows a backslash outside the quotes") }
    switch byte {
    case UInt8(ascii: "x"):
      escape = .hexStart
    case UInt8(ascii: "u") where !strict:
      escape = .unicode(0, digits: 0, at: position)
    case UInt8(ascii: "0")...UInt8(ascii: "7"):
      guard !strict || byte == UInt8(ascii: "0") else { throw .notHex(byte, at: position, Self.advice) }
      escape = .octal(Int(byte & 7), digits: 1, at: position)
    default:
      guard let value = Self.letters[byte] else { throw .notHex(byte, at: position, Self.advice) }
      output.append(value, at: position)
    }
  }

  private static let letters: [UInt8: UInt8] = [
    UInt8(ascii: "n"): 0x0a, UInt8(ascii: "r"): 0x0d, UInt8(ascii: "t"): 0x09, UInt8(ascii: "a"): 0x07,
    UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0c, UInt8(ascii: "v"): 0x0b, UInt8(ascii: "e"): 0x1b,
    UInt8(ascii: "\\"): 0x5c, UInt8(ascii: "\""): 0x22, UInt8(ascii: "'"): 0x27,
    UInt8(ascii: "#"): 0x23, UInt8(ascii: "/"): 0x2f,
  ]
  private static let closers = Array(")],;+bB".utf8)
  private static let afterQuote = "follows the closing quote; only another quoted piece may follow"
  private static let advice = "is not allowed in a string with escapes; write it as \\x and two hex digits"
}

// Recognition.
extension EscapedString {
  static func isQuoted(_ head: TextHead) -> Bool {
    let quote = head.text.firstIndex { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'") }
    let backslash = head.text.firstIndex(of: UInt8(ascii: "\\"))
    guard let quote else { return false }
    return backslash.map { quote < $0 } ?? true
  }

  /// `\x08` or an octal one. `\u0008` too, but only as the first of a string: JSON has it anywhere.
  static func recognises(_ head: TextHead) -> Bool {
    let text = head.text
    return text.indices.contains { index in
      guard text[index] == UInt8(ascii: "\\") else { return false }
      let rest = text[(index + 1)...]
      if let octal = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(octal) { return true }
      if rest.first == UInt8(ascii: "u"), index > 0, text[index - 1] == UInt8(ascii: "\"") {
        return rest.dropFirst().prefix(2).isText("00")
      }
      return rest.first == UInt8(ascii: "x") && rest.dropFirst().first?.hexDigit != nil
    }
  }
}
