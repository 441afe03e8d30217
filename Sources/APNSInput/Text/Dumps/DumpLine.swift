import Octets

/// A line of a dump: an offset, the bytes at that offset, then perhaps the same bytes as characters.
struct DumpLine: Sendable {
  let line: TextLine
  /// The range of the offset's digits.
  let digits: Range<Int>
  /// The index after the offset and its mark.
  let body: Int

  var text: [UInt8] { line.text }
  var side: Int { line.stream.number & 1 }
  func position(_ index: Int) -> TextPosition { line.position(index) }
  func offset(radix: Int) -> Int? {
    let digits = line.text[digits].drop { $0 == UInt8(ascii: "0") }
    return digits.isEmpty ? 0 : digits.number(radix: radix)
  }
  var isStart: Bool { line.text[digits].allSatisfy { $0 == UInt8(ascii: "0") } }
}

/// How a tool writes the offsets of its dumps.
struct OffsetColumn: Sendable {
  /// The character after an offset; nil means white space or the end of the line.
  var mark: UInt8?
  /// Whether blanks may precede the mark.
  var isSetOff = false
  /// Whether `0x` may precede the digits.
  var mayHavePrefix = false

  enum Finding {
    case line(DumpLine)
    /// The line contains no bytes.
    case otherText
    /// The line has an error at this index, where an offset or its mark was expected.
    case wrong(Int)
  }

  /// Finds the offset of a line, which may follow a log prefix.
  func find(in line: TextLine) -> Finding {
    let (found, wrong) = offset(of: line, at: line.first)
    if let found { return .line(found) }
    guard line.isOtherText else { return .wrong(wrong) }
    var index = line.first
    while index < line.text.count {
      // After a log prefix, only a long offset that precedes bytes is unambiguous.
      if let found = offset(of: line, at: index).found, found.digits.count >= 4, precedesBytes(found) {
        return .line(found)
      }
      index = line.text[index...].firstIndex { $0.isWhite } ?? line.text.count
      index = line.text[index...].firstIndex { !$0.isWhite } ?? line.text.count
    }
    return .otherText
  }

  private func offset(of line: TextLine, at first: Int) -> (found: DumpLine?, wrong: Int) {
    let text = line.text
    var start = first
    if mayHavePrefix, text[first...].starts(with: "0x".utf8) { start += 2 }
    var digits = text[start...].prefix { $0.hexDigitValue != nil }
    // WinDbg writes addresses as two halves separated by a backquote; the lower half is used.
    if digits.count == 8, digits.endIndex < text.count, text[digits.endIndex] == UInt8(ascii: "`") {
      digits = text[(digits.endIndex + 1)...].prefix { $0.hexDigitValue != nil }
      start = digits.startIndex
    }
    let end = digits.endIndex
    guard !digits.isEmpty, digits.count <= Self.digitLimit else { return (nil, min(end, start + Self.digitLimit)) }
    guard let mark else {
      let isEnd = end == text.count || text[end].isWhite
      return isEnd ? (DumpLine(line: line, digits: start..<end, body: end), end) : (nil, end)
    }
    let markIndex = isSetOff ? text[end...].firstIndex { !$0.isWhite } ?? end : end
    guard markIndex < text.count, text[markIndex] == mark, markIndex + 1 == text.count || text[markIndex + 1].isWhite
    else {
      return (nil, markIndex < text.count && text[markIndex] == mark ? markIndex + 1 : end)
    }
    return (DumpLine(line: line, digits: start..<end, body: markIndex + 1), end)
  }

  private func precedesBytes(_ line: DumpLine) -> Bool {
    let word = line.text[line.body...].drop { $0.isWhite }.prefix { !$0.isWhite }
    return mark != nil ? word.isHex : word.isHex && word.count == 2
  }

  /// The digits of a 64-bit address.
  private static let digitLimit = 16
}

extension TextLine {
  /// A column heading, which some tools write above the bytes: `00 01 02 ... 0F` or `- offset -  0 1  2 3`.
  var isRuler: Bool {
    let words = words
    if words.count > 2, words[0].isText("-"), words[1].isText("offset") { return true }
    return words.count == 16 && words.enumerated().allSatisfy { $1.count == 2 && $1.number() == $0 }
  }

  /// Whether the line begins with something that cannot be a mistyped offset: a word with letters other than hex
  /// digits, a time, or addresses.
  var isOtherText: Bool {
    let word = text[first...].prefix { !$0.isWhite }
    let letters = word.prefix { $0.isLetter || $0 == UInt8(ascii: "_") }
    if letters.count >= 2, !letters.isHex { return !word.contains(where: \.isDecimalDigit) || letters.count > 3 }
    if word.count == 1, word.first?.isLetter == true, word.first?.hexDigitValue == nil { return true }
    if word.allSatisfy({ $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: "-") }), word.count > 3 { return true }
    // radare2's prompt is an address in brackets.
    return word.isTime || isRoute || word.starts(with: "[0x".utf8)
  }

  /// `127.0.0.1.40001 > 127.0.0.1.2195:`, which tcpdump -v prints on a separate line.
  private var isRoute: Bool {
    let words = text[first...].prefix(128).split(maxSplits: 2, whereSeparator: \.isWhite)
    return words.count == 3 && words[0].contains(UInt8(ascii: ".")) && words[1].isText(">")
  }
}

extension ArraySlice<UInt8> {
  /// Whether the word begins like a time: `05:01:30.576915`, `2013-11-18`, `[12:00:00]`, `1384772400.25`
  fileprivate var isTime: Bool {
    let shape = map { $0.isDecimalDigit ? UInt8(ascii: "9") : $0 }
    let forms = ["99:99:99", "9999-99-99", "[99:99:99", "[9999-99-99", "9999999999."]
    return forms.contains { shape.starts(with: $0.utf8) }
  }
}
