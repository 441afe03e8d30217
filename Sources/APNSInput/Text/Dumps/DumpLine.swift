import Octets

/// A line of a dump: an offset, the bytes that stand there, then perhaps the same bytes as characters.
struct DumpLine: Sendable {
  let line: TextLine
  /// The digits of the offset.
  let digits: Range<Int>
  /// Index of what follows the offset and its mark.
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
  /// Ends an offset; white space or the line's end if absent.
  var mark: UInt8?
  /// A blank may stand before the mark.
  var isSetOff = false
  /// `0x` may stand before the digits.
  var mayHavePrefix = false

  enum Finding {
    case line(DumpLine)
    /// No bytes stand in this line.
    case talk
    /// The index of what should have been an offset, or its mark.
    case wrong(Int)
  }

  /// Finds the offset of a line. Behind words of a log one is looked for in strict mode alone not.
  func find(in line: TextLine, strict: Bool) -> Finding {
    let (found, wrong) = offset(of: line, at: line.first)
    if let found { return .line(found) }
    guard !strict, line.isTalk else { return .wrong(wrong) }
    var index = line.first
    while index < line.text.count {
      // Behind a log's words only a long offset with bytes behind it is sure.
      if let found = offset(of: line, at: index).found, found.digits.count >= 4, isFollowedByBytes(found) {
        return .line(found)
      }
      index = line.text[index...].firstIndex { $0.isWhite } ?? line.text.count
      index = line.text[index...].firstIndex { !$0.isWhite } ?? line.text.count
    }
    return .talk
  }

  private func offset(of line: TextLine, at first: Int) -> (found: DumpLine?, wrong: Int) {
    let text = line.text
    var start = first
    if mayHavePrefix, text[first...].starts(with: "0x".utf8) { start += 2 }
    var digits = text[start...].prefix { $0.hexDigitValue != nil }
    // WinDbg writes addresses in two halves, of which the lower one counts.
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
    let place = isSetOff ? text[end...].firstIndex { !$0.isWhite } ?? end : end
    guard place < text.count, text[place] == mark, place + 1 == text.count || text[place + 1].isWhite else {
      return (nil, place < text.count && text[place] == mark ? place + 1 : end)
    }
    return (DumpLine(line: line, digits: start..<end, body: place + 1), end)
  }

  private func isFollowedByBytes(_ line: DumpLine) -> Bool {
    let word = line.text[line.body...].drop { $0.isWhite }.prefix { !$0.isWhite }
    return mark != nil ? word.isHex : word.isHex && word.count == 2
  }

  /// Of an address of 64 bits.
  private static let digitLimit = 16
}

extension TextLine {
  /// `00 01 02 ... 0F` or `- offset -  0 1  2 3`, which some tools write above the bytes.
  var isRuler: Bool {
    let words = words
    if words.count > 2, words[0].isText("-"), words[1].isText("offset") { return true }
    return words.count == 16 && words.enumerated().allSatisfy { $1.count == 2 && $1.number() == $0 }
  }

  /// Begins with what no offset turns into by a slip: letters, not all of them hex digits, a time, or addresses.
  var isTalk: Bool {
    let word = text[first...].prefix { !$0.isWhite }
    let letters = word.prefix { $0.isLetter || $0 == UInt8(ascii: "_") }
    if letters.count >= 2, !letters.isHex { return !word.contains(where: \.isDecimalDigit) || letters.count > 3 }
    if word.count == 1, word.first?.isLetter == true, word.first?.hexDigitValue == nil { return true }
    if word.allSatisfy({ $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: "-") }), word.count > 3 { return true }
    // The prompt of radare2 has an address in brackets.
    return word.isTime || isRoute || word.starts(with: "[0x".utf8)
  }

  /// `127.0.0.1.40001 > 127.0.0.1.2195:`, which tcpdump -v has on a line of its own.
  private var isRoute: Bool {
    let words = text[first...].prefix(128).split(maxSplits: 2, whereSeparator: \.isWhite)
    return words.count == 3 && words[0].contains(UInt8(ascii: ".")) && words[1].isText(">")
  }
}

extension ArraySlice<UInt8> {
  /// `05:01:30.576915`, `2013-11-18`, `[12:00:00]`, `1384772400.25`
  fileprivate var isTime: Bool {
    let shape = map { $0.isDecimalDigit ? UInt8(ascii: "9") : $0 }
    let forms = ["99:99:99", "9999-99-99", "[99:99:99", "[9999-99-99", "9999999999."]
    return forms.contains { shape.starts(with: $0.utf8) }
  }
}
