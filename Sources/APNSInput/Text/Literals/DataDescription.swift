import Octets

extension TextFormat {
  /// The description of an `NSData`, or of a `Buffer` in Node.js: `<b4bce12f 9d34>`.
  public static let nsdata = TextFormat(
    "nsdata", "NSData description or node's Buffer (<b4bce12f 9d34>)",
    recognises: { DataDescription.recognises(Array($0.lines.joined(separator: [UInt8(ascii: "\n")]))) },
    decoder: { _ in DataDescription() })
}

/// The description of an NSData: groups of digits in angle brackets, often in a line of a log.
///
///     2013-11-18 10:00:00 Sender[42] <Notice>: token <b4bce12f 9d34>
///     {length = 6, bytes = 0x08080000 0007}                              since iOS 13
///     {length = 32, bytes = 0xb4bce12f 9d341100 ... 28f10282 14af515f }  lossy
///
/// Text around the brackets is skipped, and so are brackets around a word (`<Notice>`). Once a
/// bracket contains digits, it is data, and an error in it is reported.
struct DataDescription: TextDecoder {
  private enum State {
    case outside
    /// Inside `<...>`.
    case brackets
    /// Inside `{...}`, whose description states a number of bytes.
    case braces(promised: Int, count: Int)
  }

  private var state = State.outside
  private var pairs = DigitPairs()
  private var hasData = false
  private var hasText = false

  var leads: LineLead.Kind { .marks }
  var longestLine: Int? { nil }

  mutating func decode(_ line: TextLine, into output: inout TextOutput) throws(ReadError) {
    hasText = true
    if line.isStart { try pairs.end() }
    var index = line.first
    while index < line.text.count {
      if case .outside = state {
        index = try open(at: index, of: line)
      } else {
        try decode(at: index, of: line, into: &output)
        index += 1
      }
    }
  }

  mutating func finish(at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    guard case .outside = state else {
      throw ReadError(.cutText, "the text ends before the closing > or }; paste all of it", position: position)
    }
    guard hasData || !hasText else {
      throw ReadError(.unknownText, "this text has no <...> with hex digits", position: position)
    }
  }

  /// Handles a character outside of data. Returns the index to continue at: after other text, or at the first digit.
  private mutating func open(at index: Int, of line: TextLine) throws(ReadError) -> Int {
    let rest = line.text[index...]
    if rest.first == UInt8(ascii: "<") { return try openBracket(at: index + 1, of: line) }
    if rest.starts(with: "{length".utf8) {
      let head = rest.prefix(Self.longestHead)
      guard let bytes = head.indices.first(where: { head[$0...].starts(with: "bytes = 0x".utf8) }) else {
        let wrong = min(head.endIndex, line.text.count - 1)
        throw .notHex(line.text[wrong], at: line.position(wrong), "is not part of {length = 6, bytes = 0x...}")
      }
      let digits = head[..<bytes].drop { !$0.isDecimalDigit }.prefix(while: \.isDecimalDigit)
      state = .braces(promised: digits.number(radix: 10) ?? 0, count: 0)
      hasData = true
      return bytes + 10
    }
    return index + 1
  }

  /// Distinguishes data from a word in brackets, which ends at its bracket or at the end of its line.
  private mutating func openBracket(at index: Int, of line: TextLine) throws(ReadError) -> Int {
    let body = line.text[index...].drop(while: \.isWhite)
    let digits = body.prefix { $0.hexDigitValue != nil }
    let next = body[digits.endIndex...].first ?? UInt8(ascii: " ")
    let isEnd = next == UInt8(ascii: ">") || next.isWhite
    let isSure = digits.count >= Self.groupDigits || digits.contains(where: \.isDecimalDigit)
    let letters = body.prefix(while: \.isLetter)
    // Node.js prints <Buffer 08 08>.
    let isBuffer = letters.isText("Buffer")
    if isSure || isBuffer || (isEnd && !body.isEmpty && digits.count % 2 == 0) {
      state = .brackets
      hasData = true
      return isBuffer ? letters.endIndex : body.startIndex
    }
    let following = body[letters.endIndex...].first
    if letters.count > digits.count, following?.isDecimalDigit == true {
      throw .notHex(letters[digits.endIndex], at: line.position(digits.endIndex), Self.explanation)
    }
    return body.firstIndex(of: UInt8(ascii: ">")).map { $0 + 1 } ?? line.text.count
  }

  /// Decodes a character inside brackets or braces.
  private mutating func decode(at index: Int, of line: TextLine, into output: inout TextOutput) throws(ReadError) {
    let byte = line.text[index]
    if let digit = byte.hexDigitValue {
      if pairs.add(digit, at: index, of: line, to: &output), case .braces(let promised, let count) = state {
        state = .braces(promised: promised, count: count + 1)
      }
      return
    }
    switch (byte, state) {
    case (UInt8(ascii: ">"), .brackets), (UInt8(ascii: "}"), .braces):
      try pairs.end()
      if case .braces(let promised, let count) = state, promised != count {
        let reason = "the description claims \(promised) bytes but has \(count); paste all of it"
        throw ReadError(.contradictingOffset, reason, position: line.position(index))
      }
      state = .outside
    case _ where byte.isWhite:
      try pairs.end()
    case (UInt8(ascii: "."), _):
      throw .leftOut(at: line.position(index))
    default: throw .notHex(byte, at: line.position(index), Self.explanation)
    }
  }

  private static let longestHead = 64
  private static let groupDigits = 8
  private static let explanation = "is not a hex digit; write pairs of hex digits in the brackets"
}

// MARK: - Recognition
extension DataDescription {
  /// `<b4bce12f`, or `{length = 32, bytes = 0x`. Hex letters alone are not enough: `<feed>` is a word.
  static func recognises(_ text: [UInt8]) -> Bool {
    if text.holds("{length = ") && text.holds("bytes = 0x") { return true }
    if text.holds("<Buffer ") { return true }
    return text.indices.contains { index in
      guard text[index] == UInt8(ascii: "<") else { return false }
      let group = text[(index + 1)...].prefix { $0.hexDigitValue != nil }
      guard group.count >= 2, group.count % 2 == 0 || group.count > 8, group.contains(where: \.isDecimalDigit) else {
        return false
      }
      let end = group.endIndex == text.endIndex ? UInt8(ascii: ">") : text[group.endIndex]
      // In syslog, <34> before a line is its priority.
      let next = text[group.endIndex...].dropFirst().first ?? UInt8(ascii: " ")
      let isPriority = group.count < 4 && (next.isDecimalDigit || next.isLetter)
      return group.count >= 8 || end == UInt8(ascii: ">") && !isPriority || end.isWhite
    }
  }
}
