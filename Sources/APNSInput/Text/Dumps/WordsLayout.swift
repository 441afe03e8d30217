extension TextFormat {
  /// Dumps of little-endian words, as hexdump, `od -x` and `xxd -e` print them.
  public static let words = TextFormat(
    "words", "dump of little-endian words (hexdump, od -x, xxd -e)", recognises: { WordsLayout.recognises($0) },
    ambiguity: { WordsLayout.ambiguity($0) },
    decoder: { Dump(WordsLayout(isMarked: WordsLayout.isMarked($0))) })
}

/// Words of two, four or eight bytes as a little-endian machine prints them: the bytes of each word are reversed.
///
///     0000000 0808 adde efbe          00000000: adde0808     efbe  ......
///     0000006
///
/// `hexdump` and `od` pad the last word with zeros; the final offset shows how many. `xxd -e` aligns a short last word
/// to the right, and its characters confirm the byte order.
struct WordsLayout: DumpLayout {
  /// Whether the offsets end with a colon, as in `xxd -e`.
  let isMarked: Bool
  /// The number of digits in a complete word.
  private var width: Int?

  init(isMarked: Bool) { self.isMarked = isMarked }

  var column: OffsetColumn { OffsetColumn(mark: isMarked ? UInt8(ascii: ":") : nil) }
  /// `hexdump` writes hexadecimal and `od` octal offsets, both with seven digits.
  func radices(digits: Int) -> [Int] { digits == 7 ? [16, 8, 10] : digits == 8 && isMarked ? [16, 10] : [16] }

  var interpretation: TextInterpretation? {
    TextInterpretation(
      phrase: isMarked
        ? "a dump of little-endian words (xxd -e)" : "a dump of little-endian words (hexdump, od -x)",
      isAssumed: !isMarked)
  }

  mutating func bytes(of line: DumpLine, count: Int?) -> DumpBytes {
    var bytes = DumpBytes(of: line)
    var index = line.text[line.body...].firstIndex { !$0.isWhite } ?? line.text.count
    while index < line.text.count {
      let group = line.text[index...].prefix { !$0.isWhite }
      if group.first.map({ $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "|") }) == true { break }
      if isMarked, !bytes.values.isEmpty, isEnough(bytes, before: index, of: line, count: count) { break }
      if isMarked, group.count == width ?? 0, let count, bytes.values.count >= count { break }
      let isShort = isMarked && group.count < width ?? 0
      width = width ?? group.count
      bytes.append(group, of: line)
      let gap = index - (line.text[..<index].lastIndex { !$0.isWhite } ?? 0) - 1
      if isShort, gap != 1 + (width ?? 0) - group.count {
        bytes.problem = ReadError(
          .oddDigits, "xxd -e aligns a short word on the right, but this one is not; the dump was edited",
          position: line.position(index))
      }
      // In an xxd dump, invalid words may be characters, so none are appended.
      if let problem = bytes.problem { return isMarked ? DumpBytes(problem: problem) : bytes.swappingGroups() }
      if (group.count != width || ![4, 8, 16].contains(group.count)) && !isMarked {
        let reason = "this word does not have as many digits as the first one; the dump was edited"
        bytes.problem = ReadError(.oddDigits, reason, position: line.position(group.startIndex))
        return bytes
      }
      index = line.text[group.endIndex...].firstIndex { !$0.isWhite } ?? line.text.count
    }
    var swapped = bytes.swappingGroups()
    let characters = line.text[index...]
    if isMarked
      ? !swapped.values.areShown(by: characters, isCut: count == nil && !characters.isEmpty)
      : !matchesCharacters(swapped, characters)
    {
      return DumpBytes(problem: .contradictingCharacters(at: line.position(line.body)))
    }
    if !isMarked, count == nil, swapped.values.last == 0 {
      swapped.problem = .missingLength(at: line.position(line.text.count))
    }
    // hexdump and od pad the last word with zeros.
    if !isMarked, let count, count > 0, count < swapped.values.count, swapped.values.count - count < (width ?? 0) / 2,
      swapped.values[count...].allSatisfy({ $0 == 0 })
    {
      swapped = swapped.prefix(count)
    }
    return swapped
  }

  /// Whether the line has no more bytes, according to the next offset or to the characters.
  private func isEnough(_ bytes: DumpBytes, before index: Int, of line: DumpLine, count: Int?) -> Bool {
    if let count { return bytes.values.count >= count }
    guard line.text.count < 1024 else { return false }
    return bytes.swappingGroups().values.areShown(by: line.text[index...], isCut: false)
  }

  /// Whether the characters that `od -t x2z` prints in brackets match the bytes.
  private func matchesCharacters(_ bytes: DumpBytes, _ characters: ArraySlice<UInt8>) -> Bool {
    guard characters.count > 1 else { return characters.isEmpty }
    let shown = characters.dropFirst().dropLast()
    return bytes.values.areShown(by: shown)
      || bytes.values.last == 0 && bytes.prefix(bytes.values.count - 1).values.areShown(by: shown)
  }
}

// MARK: - Recognition
extension WordsLayout {
  static func isMarked(_ head: TextHead) -> Bool { !head.lines(of: OffsetColumn(mark: UInt8(ascii: ":"))).isEmpty }

  static func recognises(_ head: TextHead) -> Bool {
    if isMarked(head) { return order(head) == .littleEndian }
    let lines = head.lines(of: OffsetColumn())
    guard let line = lines.first, line.words.count > 1 else { return false }
    let words = line.words.dropFirst().prefix { $0.first.map { $0 != UInt8(ascii: ">") } == true }
    guard let width = words.first?.count, width == 4 || width == 8 || width == 16,
      words.allSatisfy({ $0.count == width && $0.isHex })
    else { return false }
    // A word with an odd number of digits must be an offset.
    if line.digits.count == 7 { return true }
    guard line.digits.count == 6, lines.count > 1, lines[1].digits.count == 6 else { return false }
    let bytes = (line.offset(radix: 16) ?? 0) + words.count * width / 2
    let next = lines[1].offset(radix: 16) ?? 0
    return next <= bytes && next + width / 2 > bytes
  }

  private enum Order { case bytewise, littleEndian, either, neither }

  /// The byte order of the words in an xxd dump, according to the characters beside them.
  private static func order(_ head: TextHead) -> Order {
    let lines = head.lines(of: OffsetColumn(mark: UInt8(ascii: ":")))
    var canBeBytewise = true
    var canBeLittleEndian = true
    var isSame = true
    var width: Int?
    for (index, line) in lines.enumerated() {
      // The end of the head may cut the last line.
      if index + 1 == lines.count, !head.isWhole, index > 0 { break }
      let distance = index + 1 < lines.count ? bytesBetween(line, lines[index + 1]) : nil
      var bytewise = XxdLayout()
      var littleEndian = WordsLayout(isMarked: true)
      littleEndian.width = width
      let one = bytewise.bytes(of: line, count: distance)
      let other = littleEndian.bytes(of: line, count: distance)
      width = littleEndian.width
      if one.problem != nil || distance.map({ $0 != one.values.count }) == true { canBeBytewise = false }
      if other.problem != nil || distance.map({ $0 != other.values.count }) == true { canBeLittleEndian = false }
      if one.values != other.values { isSame = false }
    }
    guard let width, width == 4 || width == 8 || width == 16 else { return .bytewise }
    if isSame { return .bytewise }
    if canBeLittleEndian && canBeBytewise { return width == 4 ? .bytewise : hasGutter(lines) ? .either : .bytewise }
    return canBeLittleEndian ? .littleEndian : .bytewise
  }

  private static func bytesBetween(_ line: DumpLine, _ next: DumpLine) -> Int? {
    for radix in [16, 10] {
      if let start = line.offset(radix: radix), let end = next.offset(radix: radix), end > start, end - start <= 256 {
        return end - start
      }
    }
    return nil
  }

  private static func hasGutter(_ lines: [DumpLine]) -> Bool {
    lines.first?.words.dropFirst().contains { !$0.isHex } == true
  }

  static func ambiguity(_ head: TextHead) -> String? {
    if isMarked(head) {
      guard order(head) == .either else { return nil }
      return
        "these groups may be bytes in order (xxd -g) or little-endian words (xxd -e), and no characters beside them "
        + "show which; use --from xxd for bytes in order or --from words for words"
    }
    let lines = head.lines(of: OffsetColumn())
    guard lines.count > 1, lines[0].digits.count == 8, lines[1].digits.count == 8, lines[0].isStart,
      let width = lines[0].words.dropFirst().first?.count, width == 4, lines[0].words[1].isHex,
      let next = lines[1].offset(radix: 16), next == lines[0].words.dropFirst().prefix(while: { $0.isHex }).count * 2
    else { return nil }
    return
      "these groups may be bytes in order or little-endian words, and nothing else shows which; use --from words for "
      + "little-endian words, or remove the offsets for bytes in order"
  }
}
