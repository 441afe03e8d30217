import Octets

extension TextFormat {
  /// Dumps of bytes, as `hexdump -C`, `od -t x1` and Wireshark print them.
  public static let hexdump = TextFormat(
    "hexdump", "hexdump -C or od -t x1 dump, or Wireshark's", recognises: { HexdumpLayout.recognises($0) },
    decoder: { _ in Dump(HexdumpLayout()) })
}

/// `hexdump -C`.
///
///     00000000  08 08 de ad be ef 62 65  65 66 63 61 66 65 20 31  |......beefcafe 1|
///     00000010  32                                                |2|
///     00000011
///
/// The bytes end at the first `|`, the first `>` of `od -t x1z`, or the `#` of `nc -o`. The bars
/// may be missing, as in Wireshark's dumps: then three spaces end the bytes, or two after sixteen bytes. If a chat
/// collapsed the spaces, the same rule applies as in `XxdLayout`.
struct HexdumpLayout: DumpLayout {
  /// `od` writes octal or decimal offsets with seven digits.
  func radices(digits: Int) -> [Int] { digits == 7 ? [8, 10, 16] : [16] }

  /// The first word is an offset, not data, if the next line's offset continues it. In a single line, it is an offset
  /// if bars follow, or if it is zero and separated from the bytes by two spaces.
  static func recognises(_ head: TextHead) -> Bool {
    let lines = head.lines(of: OffsetColumn())
    guard let line = lines.first else { return false }
    let words = line.words
    guard words.count > 1, line.digits.count >= 4, words[1].isHex else { return false }
    let isSetOff = words[1].startIndex - words[0].endIndex >= 2 && words[1].count == 2
    if isSetOff && (line.isStart || line.text.contains(UInt8(ascii: "|"))) { return true }
    guard lines.count > 1, lines[1].digits.count == line.digits.count else { return false }
    let groups = words.dropFirst().flatMap { $0.split(separator: UInt8(ascii: "-")) }
    let digits = groups.prefix { $0.isHex }.map(\.count).reduce(0, +)
    let layout = HexdumpLayout()
    return layout.radices(digits: line.digits.count).contains { radix in
      guard let start = line.offset(radix: radix), let next = lines[1].offset(radix: radix) else { return false }
      // All groups of bytes are as wide as the first one; an offset is wider.
      let isCounted = next > start && next - start <= digits / 2
      return line.digits.count > words[1].count && (isCounted || (next == 0 && line.isStart))
    }
  }

  mutating func bytes(of line: DumpLine, count: Int?) -> DumpBytes {
    let text = line.text
    var bytes = DumpBytes(of: line)
    var index = line.body
    while index < text.count && bytes.problem == nil {
      let gap = text[index...].indices.prefix { isGap(text, at: $0) }
      index = gap.endIndex
      if index == text.count || Self.bars.contains(text[index]) || isHash(text, at: index) {
        return checked(bytes, of: line, at: index, count)
      }
      let isWide = gap.count >= (bytes.values.count < 16 ? 3 : 2)
      if isWide && !bytes.values.isEmpty { return checked(bytes, of: line, at: index, count) }
      let group = text[index..<(text.indices[index...].first { isGap(text, at: $0) } ?? text.count)]
      index = group.endIndex
      if group.count > 2 && group.isHex {
        let reason = "this group is longer than one byte; if it is a little-endian word, use --from words"
        bytes.problem = ReadError(.notHex, reason, position: line.position(group.startIndex))
      } else {
        bytes.append(group, of: line)
      }
    }
    // Bars would have ended the bytes, so an error before them is not due to collapsed spaces.
    if text.contains(where: { Self.bars.contains($0) }) { return checked(bytes, of: line, at: index, count) }
    if let count, let complete = bytes.prefix(ifCharactersFollow: count, in: text) { return complete }
    let isCollapsed = line.body + 1 < text.count && !text[line.body + 1].isWhite
    if count == nil && isCollapsed, let shown = bytes.prefixShownByRest(of: text) { return shown }
    return bytes
  }

  /// Checks that the characters match the bytes.
  private func checked(_ bytes: DumpBytes, of line: DumpLine, at index: Int, _ count: Int?) -> DumpBytes {
    guard bytes.problem == nil, !bytes.values.isEmpty else { return bytes }
    let characters = line.text[index...]
    let isEnclosed =
      characters.count > 1
      && (characters.first == Self.bars[0] && characters.last == Self.bars[0]
        || characters.first == Self.bars[1] && characters.last == UInt8(ascii: "<"))
    let bare = characters.dropFirst(1).dropLast(isEnclosed ? 1 : 0)
    let isShown =
      bytes.values.areShown(by: characters, isCut: count == nil)
      || (characters.first.map { Self.bars.contains($0) } == true
        && bytes.values.areShown(by: bare, isCut: count == nil))
      || (isHash(line.text, at: index) && bytes.values.areShown(by: characters.dropFirst(), isCut: count == nil))
    if characters.isEmpty || isShown { return bytes }
    return DumpBytes(problem: .contradictingCharacters(at: line.position(line.body)))
  }

  /// Whether the character separates bytes: white space, or WinDbg's hyphen after the eighth byte.
  private func isGap(_ text: [UInt8], at index: Int) -> Bool {
    text[index].isWhite
      || text[index] == UInt8(ascii: "-") && index > 0 && text[index - 1].hexDigitValue != nil && index + 1 < text.count
        && text[index + 1].hexDigitValue != nil
  }

  private func isHash(_ text: [UInt8], at index: Int) -> Bool {
    index + 1 < text.count && text[index] == UInt8(ascii: "#") && text[index + 1] == UInt8(ascii: " ")
  }

  /// The bars of hexdump and od.
  private static let bars = [UInt8(ascii: "|"), UInt8(ascii: ">")]
}

extension TextHead {
  /// The lines of a dump in the head. Other text between them is skipped; an invalid line ends them.
  func lines(of column: OffsetColumn) -> [DumpLine] {
    var found: [DumpLine] = []
    for text in lines {
      let line = TextLine(Array(text))
      if found.isEmpty, line.isRuler { continue }
      switch column.find(in: line) {
      case .line(let line): found.append(line)
      case .otherText: continue
      case .wrong where line.text[line.first...].isText("*"): continue
      case .wrong: return found
      }
    }
    return found
  }
}

extension DumpLine {
  /// The offset and the words after it.
  var words: [ArraySlice<UInt8>] { [text[digits]] + text[body...].split(whereSeparator: \.isWhite) }
}
