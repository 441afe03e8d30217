import APNSWire
import Octets

/// Brackets or quotes around digits.
struct DigitEnclosure: Sendable {
  /// Nil for digits without quotes, which a delimiter ends.
  let closing: UInt8?
  let start: TextPosition
  /// The number of bytes that the description states.
  let promised: Int?
  /// The number of bytes before these.
  let first: Int
}

// MARK: - Enclosed digits
extension DigitText {
  mutating func decodeEnclosed(_ line: TextLine) throws(ReadError) {
    let text = line.text
    let isLiteral = form == .literal
    var index = line.first
    while index < text.count {
      guard let current = enclosure else {
        let body = try isLiteral ? openLiteral(at: index, of: line) : openBracket(at: index, of: line)
        index = body ?? index + 1
        continue
      }
      let isEnd: (UInt8) -> Bool = { byte in
        current.closing.map { byte == $0 } ?? (byte.isWhite || Self.ends.contains(byte))
      }
      let end = text[index...].firstIndex(where: isEnd) ?? text.count
      try read(line, index..<end)
      if end < text.count { try close(current, at: end, of: line) }
      index = end + 1
    }
    guard isLiteral, let current = enclosure else { return }
    guard current.closing == nil else { throw .openQuote(at: current.start) }
    try close(current, at: text.count, of: line)
  }

  private mutating func close(_ ended: DigitEnclosure, at index: Int, of line: TextLine) throws(ReadError) {
    enclosure = nil
    let count = run.count - ended.first
    // One byte after `\x` may be an escape.
    isEnclosed = isEnclosed || ended.closing != nil || count > 1
    output.explain(ended.start, line.position(index + 1))
    guard let promised = ended.promised, promised != count else { return }
    let reason = "the description claims \(promised) bytes but has \(count); paste all of it"
    throw line.error(.contradictingOffset, at: index, reason)
  }

  private mutating func begin(
    _ closing: UInt8?, _ opening: Range<Int>, of line: TextLine, isSure: Bool = false, promised: Int? = nil
  ) -> Int {
    let start = line.position(opening.lowerBound)
    enclosure = DigitEnclosure(closing: closing, start: start, promised: promised, first: run.count)
    (isEnclosed, isMarked) = (isEnclosed || isSure, isMarked || isSure)
    return opening.upperBound
  }

  /// Characters that may follow the digits of Postgres.
  private static let ends = Array("'\"`,;|)]}".utf8)

  /// Finds digits that begin with the bracket at `index`. Returns the index of the first digit.
  private mutating func openBracket(at index: Int, of line: TextLine) throws(ReadError) -> Int? {
    let rest = line.text[index...]
    if rest.starts(with: "{length".utf8) {
      guard let bytes = rest.prefix(Self.longestHead).index(of: "bytes = 0x") else { return nil }
      let digits = rest[..<bytes].drop { !$0.isDecimalDigit }.prefix(while: \.isDecimalDigit)
      return begin(
        UInt8(ascii: "}"), index..<(bytes + 10), of: line, isSure: true, promised: digits.number(radix: 10) ?? 0)
    }
    guard rest.first == UInt8(ascii: "<") else { return nil }
    let body = rest.dropFirst().drop(while: \.isWhite)
    // Node.js prints <Buffer 08 08>.
    if body.starts(with: "Buffer ".utf8) {
      return begin(UInt8(ascii: ">"), index..<(body.startIndex + 6), of: line, isSure: true)
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
    return begin(UInt8(ascii: ">"), index..<body.startIndex, of: line, isSure: isSure)
  }

  private static let longestHead = 64
  private static let groupDigits = 8
}

// MARK: - Literals
extension DigitText {
  /// Finds digits that begin with the quote or the `\x` at `index`. Returns the index of the first digit.
  private mutating func openLiteral(at index: Int, of line: TextLine) throws(ReadError) -> Int? {
    let text = line.text
    if text[index] == UInt8(ascii: "\\"), index + 1 < text.count, text[index + 1] == UInt8(ascii: "x") {
      return begin(nil, index..<(index + 2), of: line)
    }
    guard text[index] == UInt8(ascii: "'") || text[index] == UInt8(ascii: "\"") else { return nil }
    var lead = text[..<index]
    let prefix = Self.word(before: lead).lowercased
    if text[index] == UInt8(ascii: "'"), prefix.isText("x") {
      return begin(text[index], (index - 1)..<(index + 1), of: line)
    }
    // A prefix of the quote, as in fromhex(b'0808')
    if prefix.isText("b") || prefix.isText("r") { lead.removeLast() }
    while lead.last?.isWhite == true { lead.removeLast() }
    guard lead.last == UInt8(ascii: "(") || lead.last == UInt8(ascii: ":") else { return nil }
    let word = Self.word(before: lead.dropLast())
    guard word.lowercased.holds("hex") else { return nil }
    return begin(text[index], word.startIndex..<(index + 1), of: line, isSure: true)
  }

  /// The word at the end of `text`, if it is not too long for a name.
  private static func word(before text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    text.suffix(text.suffix(32).reversed().prefix(while: \.isWordPart).count)
  }
}
