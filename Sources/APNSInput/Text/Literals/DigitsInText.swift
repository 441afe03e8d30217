import Octets

extension TextFormat {
  /// Hexadecimal digits or base64 inside other text, such as a log, JSON or CSV.
  public static let log = TextFormat(
    "log", "hex digits or base64 inside other text (a log, key=value, JSON, CSV, a table, a string in a program)",
    recognises: { DigitsInText.recognises($0) },
    decoder: { _ in DigitsInText() })
}

/// One run of hex digits or base64 per line of other text.
///
///     2013-11-19 00:00:01 INFO sent 0808000004d2       level=debug bytes=0808000004d2       102,0808000004d2
///     10:00:01 out 08 08 00 00 04 d2                   hex!("0808000004d2")                 VALUES (0x0808000004D2)
///     Buffer.from('CAgAAATS', 'base64')                data:;base64,CAgAAATS
///
/// Lines without digits are skipped. A line with two runs is rejected, because either may be meant.
struct DigitsInText: TextDecoder {
  var leads: LineLead.Kind { .marks }
  var longestLine: Int? { 1 << 20 }
  private var base64: Base64Decoder?
  private var runs = 0
  private var lines = 0
  /// The index at which the digits of the preceding line began.
  private var column: Int?

  var interpretation: TextInterpretation? {
    TextInterpretation(
      phrase: "hex digits or base64 inside other text: \(runs) of \(plural(lines, "line"))",
      isAssumed: runs < lines)
  }

  mutating func decode(_ line: TextLine, into output: inout TextOutput) throws(ReadError) {
    if line.text[line.first...].starts(with: Self.armor) {
      try endArmor(at: line.position(line.first), into: &output)
      if line.text.holds("-----BEGIN ") {
        base64 = Base64Decoder(isPadded: true)
        runs += 1
        lines += 1
      }
      return
    }
    if base64 != nil {
      try base64?.decode(line, into: &output)
      return
    }
    lines += 1
    var found = Self.runs(in: line.text)
    // The last line of a block may have only a few digits.
    if found.isEmpty, let column, let rest = Self.rest(of: line.text, from: column) { found = [rest] }
    guard let run = found.first else { return }
    column = run.range.lowerBound
    guard found.count == 1 else {
      throw ReadError(
        .ambiguousText, "this line has digits in two places; paste only those of the frame",
        position: line.position(found[1].range.lowerBound))
    }
    runs += 1
    let end = line.position(run.range.upperBound)
    if run.isBase64 {
      var base64 = Base64Decoder()
      try base64.decode(line, run.range, into: &output)
      try base64.finish(at: end, into: &output)
    } else {
      var digits = PlainHex()
      try digits.decode(line, run.range, into: &output)
      try digits.finish(at: end, into: &output)
    }
  }

  mutating func finish(at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    if base64 != nil {
      throw ReadError(.cutText, "the text ends before its END line; paste all of it", position: position)
    }
    guard runs > 0 || lines == 0 else {
      throw ReadError(.unknownText, "no line of this text has hex digits for six bytes or more", position: position)
    }
  }

  private mutating func endArmor(at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    try base64?.finish(at: position, into: &output)
    base64 = nil
  }

  private static let armor = Array("-----".utf8)
}

extension DigitsInText {
  private struct Run {
    let range: Range<Int>
    var isBase64 = false
  }

  /// The digits of an error response. A date with a time has more than half of them.
  private static let minimumDigits = 12
  /// Shorter runs of decimal digits are taken for numbers.
  private static let longestNumber = 20
  private static let minimumPairs = 4

  private static func runs(in text: [UInt8]) -> [Run] {
    if let run = base64(in: text) { return [run] }
    var found: [Run] = []
    var index = 0
    while index < text.count {
      guard text[index].isWordPart else {
        index += 1
        continue
      }
      let word = text[index...].prefix(while: \.isWordPart)
      if let run = digits(of: word, in: text) {
        found.append(run)
      } else if let run = pairs(from: index, in: text) {
        found.append(run)
        index = run.range.upperBound
        continue
      }
      index = word.endIndex
    }
    return found
  }

  /// A word of hex digits, or the digits after `0x`, `\x` or `x`.
  private static func digits(of word: ArraySlice<UInt8>, in text: [UInt8]) -> Run? {
    let isMarked = word.starts(with: "0x".utf8) || word.starts(with: "0X".utf8)
    let isEscaped =
      word.first == UInt8(ascii: "x") && word.startIndex > 0 && text[word.startIndex - 1] == UInt8(ascii: "\\")
    let digits = word.dropFirst(isMarked ? 2 : isEscaped ? 1 : 0)
    guard digits.count >= minimumDigits, digits.count % 2 == 0, digits.isHex else { return nil }
    // The last part of a UUID.
    if word.startIndex > 4, text[word.startIndex - 1] == UInt8(ascii: "-"),
      text[word.startIndex - 2].hexDigitValue != nil
    {
      return nil
    }
    let isNumber = !isMarked && !isEscaped && digits.allSatisfy(\.isDecimalDigit) && digits.count < longestNumber
    // Digits that begin with a zero are not a number.
    if isNumber, digits.first != UInt8(ascii: "0") { return nil }
    return Run(range: digits.startIndex..<digits.endIndex)
  }

  /// Pairs like `08 08 00 00`, with one blank, colon or hyphen between them.
  private static func pairs(from start: Int, in text: [UInt8]) -> Run? {
    var end = start
    var count = 0
    var separator: UInt8?
    while end + 2 <= text.count, text[end].hexDigitValue != nil, text[end + 1].hexDigitValue != nil,
      end + 2 == text.count || !text[end + 2].isWordPart
    {
      count += 1
      end += 2
      guard end < text.count, text[end] == UInt8(ascii: " ") || PlainHex.isSeparator(text[end]),
        separator ?? text[end] == text[end]
      else { break }
      separator = text[end]
      end += 1
    }
    return count >= minimumPairs ? Run(range: start..<end) : nil
  }

  /// Pairs of digits up to the end of the line, beginning at the same index as in the preceding line.
  private static func rest(of text: [UInt8], from column: Int) -> Run? {
    guard column > 0, column < text.count, !text[column - 1].isWordPart else { return nil }
    let words = text[column...].split { $0.isWhite || PlainHex.isSeparator($0) }
    return words.allSatisfy { $0.isHex && $0.count % 2 == 0 } ? Run(range: column..<text.count) : nil
  }

  /// The longest run of base64 after `base64,` or in quotes, if the line mentions base64.
  private static func base64(in text: [UInt8]) -> Run? {
    let small = text.lowercased
    guard small.holds("base64") || small.holds("b64") else { return nil }
    var longest: Range<Int>?
    var index = 0
    while index < text.count {
      let run = text[index...].prefix { Base64Decoder.value(of: $0) != nil || $0 == UInt8(ascii: "=") }
      let isMixed = run.contains { !$0.isLetter } || run.contains { $0.isLetter && $0 & 0x20 == 0 }
      if run.count >= minimumDigits, run.count % 4 == 0, index > 0, "'\"`,=: ".utf8.contains(text[index - 1]),
        !run.isHex, isMixed, run.count > longest?.count ?? 0
      {
        longest = index..<run.endIndex
      }
      index = max(run.endIndex, index + 1)
    }
    return longest.map { Run(range: $0, isBase64: true) }
  }

  /// Whether the lines are tables with the bytes in one column, and numbers or words in the others.
  static func isTable(_ head: TextHead) -> Bool {
    head.lines.allSatisfy { line in
      let columns = line.split { "\t,;|".utf8.contains($0) }.map { $0.filter { !$0.isWhite } }
      let bytes = columns.count { $0.count >= 2 * minimumDigits && $0.isHex }
      return columns.count > 1 && bytes == 1
        && columns.allSatisfy { $0.count >= 2 * minimumDigits || !$0.isHex || $0.allSatisfy(\.isDecimalDigit) }
    }
  }

  /// Digits that decode to the beginning of a frame: few of the numbers in a text are data.
  static func recognises(_ head: TextHead) -> Bool {
    if head.holds("-----BEGIN "), !head.holds("Key-----") { return true }
    for line in head.lines {
      guard !runs(in: Array(line)).isEmpty else { continue }
      var reader = DigitsInText()
      var output = TextOutput()
      let text = TextLine(Array(line))
      // An error in the digits will be reported.
      guard (try? reader.decode(text, into: &output)) != nil, case .bytes(_, let bytes, _)? = output.next() else {
        return true
      }
      return bytes.beginsFrame(in: head.catalog)
    }
    return false
  }
}
