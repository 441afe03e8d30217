import Octets

extension TextFormat {
  /// The description of an `NSData`, or of a `Buffer` in Node.js: `<b4bce12f 9d34>`.
  package static let nsdata = TextFormat(
    "nsdata", "NSData description or node's Buffer (<b4bce12f 9d34>)", needs: "<{",
    layouts: { _ in [EnclosedDigits(.description)] })

  /// Hexadecimal digits in a literal of a program or database: `X'0808'`.
  package static let literal = TextFormat(
    "literal", "hex digits as a program or a database writes them (bytes.fromhex('0808'), X'0808', \\x08080000)",
    layouts: { _ in [EnclosedDigits(.literal)] })
}

/// Pairs of hex digits in brackets or quotes that show what they are.
///
///     2013-11-18 10:00:00 Sender[42] <Notice>: token <b4bce12f 9d34>
///     {length = 6, bytes = 0x08080000 0007}                              since iOS 13
///     bytes.fromhex('0808 0000')     Buffer.from("08080000", "hex")     X'08080000'     \x08080000 of Postgres
///
/// Text around them is skipped, and so are brackets around a word (`<Notice>`). Once digits have begun, an error in
/// them is reported.
struct EnclosedDigits: TextDecoder {
  enum Kind { case description, literal }

  /// Digits that have begun.
  private struct Enclosure {
    /// Nil for digits without quotes, which a delimiter ends.
    let closing: UInt8?
    let start: TextPosition
    /// The number of bytes that the description states.
    var promised: Int?
    var count = 0
  }

  private let kind: Kind
  private var current: Enclosure?
  private var octets = DigitBits(width: 4)
  /// Whether the line contains the word hex.
  private var saysHex = false
  private(set) var isSure = false
  /// Whether there were digits in quotes, or more than a byte after `\x`, which is an escape otherwise.
  private var isLiteral = false

  init(_ kind: Kind) { self.kind = kind }

  var leads: LineLead.Kind { .marks }
  var explainsLines: Bool { false }
  var isPlausible: Bool { kind == .description ? isSure : isLiteral }
  var isCertain: Bool { kind == .description }
  var nothing: String? {
    kind == .description
      ? "this text has no <...> with hex digits" : "this text has no hex digits in quotes, as in fromhex('0808')"
  }

  mutating func decode(_ line: TextLine, into output: inout TextOutput) throws(ReadError) {
    try octets.end()
    let text = line.text
    saysHex = kind == .literal && text.lowercased.holds("hex")
    var index = line.first
    while index < text.count {
      if current != nil {
        try read(at: index, of: line, into: &output)
        index += 1
      } else {
        let body = try kind == .description ? openBracket(at: index, of: line) : openLiteral(at: index, of: line)
        index = body ?? index + 1
      }
    }
    guard kind == .literal, let ended = current else { return }
    guard ended.closing == nil else { throw .openQuote(at: ended.start) }
    try close(at: line.position(text.count), into: &output)
  }

  mutating func finish(at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    guard current == nil else {
      throw ReadError(.cutText, "the text ends before the closing > or }; paste all of it", position: position)
    }
  }

  private mutating func read(at index: Int, of line: TextLine, into output: inout TextOutput) throws(ReadError) {
    let byte = line.text[index]
    if let digit = byte.hexDigitValue {
      if octets.add(digit, at: index, of: line, to: &output) != nil { current?.count += 1 }
    } else if byte == current?.closing {
      try close(at: line.position(index), into: &output)
    } else if current?.closing == nil, byte.isWhite || Self.ends.contains(byte) {
      try close(at: line.position(index), into: &output)
    } else if byte == UInt8(ascii: " ") || kind == .description && byte.isWhite {
      try octets.end()
    } else if byte == UInt8(ascii: ".") {
      throw .leftOut(at: line.position(index))
    } else {
      throw .notHex(byte, at: line.position(index), "is not a hex digit; write only pairs of hex digits here")
    }
  }

  private mutating func close(at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    try octets.end()
    guard let ended = current else { return }
    current = nil
    isLiteral = isLiteral || ended.closing != nil || ended.count > 1
    output.explain(ended.start, TextPosition(line: Int(position.line), column: Int(position.column) + 1))
    guard let promised = ended.promised, promised != ended.count else { return }
    let reason = "the description claims \(promised) bytes but has \(ended.count); paste all of it"
    throw ReadError(.contradictingOffset, reason, position: position)
  }

  private mutating func open(_ closing: UInt8?, at index: Int, of line: TextLine, isSure: Bool, promised: Int? = nil) {
    current = Enclosure(closing: closing, start: line.position(index), promised: promised)
    self.isSure = self.isSure || isSure
    isLiteral = isLiteral || isSure
  }

  /// Characters that may follow the digits of Postgres.
  private static let ends = Array("'\"`,;|)]}".utf8)
}

// MARK: - Descriptions
extension EnclosedDigits {
  /// Finds digits that begin with the bracket at `index`. Returns the index of the first digit.
  private mutating func openBracket(at index: Int, of line: TextLine) throws(ReadError) -> Int? {
    let rest = line.text[index...]
    if rest.starts(with: "{length".utf8) {
      let head = rest.prefix(Self.longestHead)
      guard let bytes = head.indices.first(where: { head[$0...].starts(with: "bytes = 0x".utf8) }) else {
        let wrong = min(head.endIndex, line.text.count - 1)
        throw .notHex(line.text[wrong], at: line.position(wrong), "is not part of {length = 6, bytes = 0x...}")
      }
      let digits = head[..<bytes].drop { !$0.isDecimalDigit }.prefix(while: \.isDecimalDigit)
      open(UInt8(ascii: "}"), at: index, of: line, isSure: true, promised: digits.number(radix: 10) ?? 0)
      return bytes + 10
    }
    guard rest.first == UInt8(ascii: "<") else { return nil }
    let body = rest.dropFirst().drop(while: \.isWhite)
    // Node.js prints <Buffer 08 08>.
    if body.starts(with: "Buffer ".utf8) {
      open(UInt8(ascii: ">"), at: index, of: line, isSure: true)
      return body.startIndex + 6
    }
    let digits = body.prefix { $0.hexDigitValue != nil }
    let next = body[digits.endIndex...].first ?? UInt8(ascii: " ")
    let isEnd = next == UInt8(ascii: ">") || next.isWhite
    let hasNumber = digits.contains(where: \.isDecimalDigit)
    guard digits.count >= Self.groupDigits || hasNumber || isEnd && !digits.isEmpty && digits.count % 2 == 0 else {
      return body.firstIndex(of: UInt8(ascii: ">")).map { $0 + 1 } ?? line.text.count
    }
    // <feed> is a word, and <34> before a line of syslog is its priority.
    let isSure = digits.count >= Self.groupDigits || hasNumber && (digits.count > 3 || isEnd)
    open(UInt8(ascii: ">"), at: index, of: line, isSure: isSure)
    return body.startIndex
  }

  private static let longestHead = 64
  private static let groupDigits = 8
}

// MARK: - Literals
extension EnclosedDigits {
  /// Finds digits that begin with the quote or the `\x` at `index`. Returns the index of the first digit.
  private mutating func openLiteral(at index: Int, of line: TextLine) throws(ReadError) -> Int? {
    let text = line.text
    if text[index] == UInt8(ascii: "\\"), index + 1 < text.count, text[index + 1] == UInt8(ascii: "x") {
      open(nil, at: index, of: line, isSure: false)
      return index + 2
    }
    guard text[index] == UInt8(ascii: "'") || text[index] == UInt8(ascii: "\"") else { return nil }
    var lead = text[..<index]
    let prefix = Self.word(before: lead).lowercased
    if text[index] == UInt8(ascii: "'"), prefix.isText("x") {
      open(text[index], at: index - 1, of: line, isSure: false)
      return index + 1
    }
    // A prefix of the quote, as in fromhex(b'0808')
    if prefix.isText("b") || prefix.isText("r") { lead.removeLast() }
    while lead.last?.isWhite == true { lead.removeLast() }
    guard lead.last == UInt8(ascii: "(") || lead.last == UInt8(ascii: ":") else { return nil }
    let word = Self.word(before: lead.dropLast())
    let name = word.lowercased
    let isNamed = name.holds("hex")
    guard isNamed || saysHex && Self.calls.contains(where: { name.isText($0) }) else { return nil }
    open(text[index], at: isNamed ? word.startIndex : index, of: line, isSure: isNamed)
    return index + 1
  }

  /// The word at the end of `text`, if it is not too long for a name.
  private static func word(before text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var start = text.endIndex
    while start > text.startIndex, text.endIndex - start < 32, text[start - 1].isWordPart { start -= 1 }
    return text[start...]
  }

  private static let calls = ["from", "decode", "decodestring"]
}
