import Octets

/// A row of a dump: an offset, the bytes at that offset, then perhaps the same bytes as characters.
struct DumpLine: Sendable {
  let line: TextLine
  /// The range of the offset's digits.
  let digits: Range<Int>
  /// The index after the offset and its mark.
  let body: Int
  /// The stream that the bytes belong to, from the marks before them.
  var stream = ByteStream(number: 0)

  var text: [UInt8] { line.text }
  var side: Int { stream.number & 1 }
  func position(_ index: Int) -> TextPosition { line.position(index) }
  func offset(radix: Int) -> Int? {
    let digits = line.text[digits].drop { $0 == UInt8(ascii: "0") }
    return digits.isEmpty ? 0 : digits.number(radix: radix)
  }
  /// How far after this offset the next one is; nil if one is no number in this base.
  func distance(to next: DumpLine, radix: Int) -> Int? {
    guard let start = offset(radix: radix), let end = next.offset(radix: radix) else { return nil }
    return end - start
  }
  var isStart: Bool { line.text[digits].allSatisfy { $0 == UInt8(ascii: "0") } }
}

/// Where a row has its offset, and what follows it.
///
///     00000010: 08     000010 08     [0010] 08     |00000010| 08     0x10 <f+2>: 08     0B4E:0100 08     0000 - 08
struct OffsetColumn: Sendable {
  enum Prefix { case none, optional, required }

  /// The character after an offset; nil means white space or the end of the line.
  var mark: UInt8?
  /// Whether `0x` precedes the digits.
  var prefix = Prefix.none

  /// Whether a row is recognised by its offset alone.
  var isSure: Bool { mark != nil || prefix == .required }

  /// Finds the offset of a line. Nil if the line contains no bytes.
  /// - Throws: ``ReadError`` if the line may be a row, but has an error where an offset or its mark was expected.
  func find(in line: TextLine) throws(ReadError) -> DumpLine? {
    let (found, wrong) = offset(of: line, at: line.first)
    if let found { return found }
    guard line.mayBeRow else { return nil }
    throw line.notHex(at: wrong, "is not allowed here; a line of this dump begins with an offset in hex")
  }

  /// The row whose offset begins at this index of a line; nil if none does.
  func row(of line: TextLine, at index: Int) -> DumpLine? { offset(of: line, at: index).found }

  private func offset(of line: TextLine, at first: Int) -> (found: DumpLine?, wrong: Int) {
    let text = line.text
    var start = first
    if let opening = Self.brackets[mark ?? 0] {
      guard start < text.count, text[start] == opening else { return (nil, start) }
      start += 1
    }
    if prefix != .none {
      if text[start...].starts(with: "0x".utf8) { start += 2 } else if prefix == .required { return (nil, start) }
    }
    var digits = text[start...].prefix { $0.hexDigitValue != nil }
    // WinDbg and DOS write addresses in two halves; the lower half is used.
    if digits.endIndex < text.count, Self.halves[digits.count] == text[digits.endIndex] {
      let lower = text[(digits.endIndex + 1)...].prefix { $0.hexDigitValue != nil }
      if lower.count == digits.count { digits = lower }
    }
    var end = digits.endIndex
    guard !digits.isEmpty, digits.count <= Self.digitLimit else { return (nil, min(end, start + Self.digitLimit)) }
    if text[end...].starts(with: " <".utf8), let close = text[end...].firstIndex(of: UInt8(ascii: ">")) {
      end = close + 1
    }
    guard let mark else {
      let isEnd = end == text.count || text[end].isWhite
      return isEnd ? (DumpLine(line: line, digits: digits.indices, body: end), end) : (nil, end)
    }
    let markIndex = mark == UInt8(ascii: "-") ? text[end...].firstIndex { !$0.isWhite } ?? end : end
    guard markIndex < text.count, text[markIndex] == mark, markIndex + 1 == text.count || text[markIndex + 1].isWhite
    else {
      return (nil, markIndex < text.count && text[markIndex] == mark ? markIndex + 1 : end)
    }
    return (DumpLine(line: line, digits: digits.indices, body: markIndex + 1), end)
  }

  /// The digits of a 64-bit address.
  private static let digitLimit = 16
  private static let brackets = [UInt8(ascii: "|"): UInt8(ascii: "|"), UInt8(ascii: "]"): UInt8(ascii: "[")]
  /// What follows the upper half of an address, by its number of digits.
  private static let halves = [8: UInt8(ascii: "`"), 4: UInt8(ascii: ":")]
}

extension TextLine {
  /// A column heading, which some tools write above the bytes: `00 01 02 ... 0F`.
  var isRuler: Bool {
    let words = text.split(whereSeparator: \.isWhite)
    let cells = words.first?.isHex == false ? words.dropFirst() : words[...]
    guard cells.count > 6 else { return false }
    // The text may end in the middle of it.
    return zip(cells.prefix(16).dropLast(), 0...).allSatisfy { $0.count <= 2 && $0.number() == $1 }
  }

  /// Whether the line may be a row with a mistyped offset: its first word has a digit, and one other character at most,
  /// besides the mark; digits follow.
  fileprivate var mayBeRow: Bool {
    let words = text[first...].split(maxSplits: 3, omittingEmptySubsequences: true, whereSeparator: \.isWhite)
    guard let word = words.first, word.contains(where: \.isDecimalDigit) else { return false }
    let isOffset = word.dropLast().count { $0.hexDigitValue == nil && !"[|x`".utf8.contains($0) } < 2
    let rest = words.dropFirst(words.count > 1 && words[1].count == 1 ? 2 : 1)
    return isOffset && rest.first.map { $0.count > 1 && ($0.dropLast().isHex || $0.starts(with: "0x".utf8)) } == true
  }
}
