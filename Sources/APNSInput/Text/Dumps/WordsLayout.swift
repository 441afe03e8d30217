extension TextFormat {
  public static let words = TextFormat(
    "words", "dump of little-endian words (hexdump, od -x, xxd -e)", recognises: { WordsLayout.recognises($0) },
    ambiguity: { WordsLayout.ambiguity($0) },
    decoder: { head, strict in
      Dump(WordsLayout(isMarked: WordsLayout.isMarked(head), strict: strict), strict: strict)
    })
}

/// Words of two, four or eight bytes as numbers of a little-endian machine: each stands turned round.
///
///     0000000 0808 adde efbe          00000000: adde0808     efbe  ......
///     0000006
///
/// `hexdump` and `od` fill the last word with a zero, which the last offset takes away again; `xxd -e` aligns a short
/// last word to the right, and its characters tell the order.
struct WordsLayout: DumpLayout {
  /// The offsets end in a colon, as `xxd -e` writes them.
  let isMarked: Bool
  let strict: Bool
  /// Digits of a whole word.
  private var width: Int?

  init(isMarked: Bool, strict: Bool) {
    self.isMarked = isMarked
    self.strict = strict
  }

  var column: OffsetColumn { OffsetColumn(mark: isMarked ? UInt8(ascii: ":") : nil) }
  /// `hexdump` counts in sixteens, `od` in eights; both write seven digits.
  func radices(digits: Int) -> [Int] { digits == 7 ? [16, 8, 10] : digits == 8 && isMarked ? [16, 10] : [16] }

  var account: TextAccount? {
    TextAccount(
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
      // Words that cannot be told from other things are not put out at all.
      if let problem = bytes.problem { return isMarked ? DumpBytes(problem: problem) : bytes.turned() }
      if (group.count != width || ![4, 8, 16].contains(group.count)) && !isMarked {
        let reason = "this word does not have as many digits as the first one; the dump was edited"
        bytes.problem = ReadError(.oddDigits, reason, position: line.position(group.startIndex))
        return bytes
      }
      index = line.text[group.endIndex...].firstIndex { !$0.isWhite } ?? line.text.count
    }
    var turned = bytes.turned()
    let characters = line.text[index...]
    if isMarked
      ? !turned.values.areShown(by: characters, isCut: count == nil && !characters.isEmpty)
      : !isBeside(turned, characters)
    {
      return DumpBytes(problem: .contradictingCharacters(at: line.position(line.body)))
    }
    if !isMarked, count == nil, turned.values.last == 0 {
      turned.problem = .missingLength(at: line.position(line.text.count))
    }
    // The filler of the last word.
    if !isMarked, let count, count > 0, count < turned.values.count, turned.values.count - count < (width ?? 0) / 2,
      turned.values[count...].allSatisfy({ $0 == 0 })
    {
      turned = turned.prefix(count)
    }
    return turned
  }

  /// The bytes so far are all, as the offset after them or the characters beside them say.
  private func isEnough(_ bytes: DumpBytes, before index: Int, of line: DumpLine, count: Int?) -> Bool {
    if let count { return bytes.values.count >= count }
    guard line.text.count < 1024 else { return false }
    return bytes.turned().values.areShown(by: line.text[index...], isCut: false)
  }

  /// What `od -t x2z` shows between its brackets.
  private func isBeside(_ bytes: DumpBytes, _ characters: ArraySlice<UInt8>) -> Bool {
    guard characters.count > 1 else { return characters.isEmpty }
    let shown = characters.dropFirst().dropLast()
    return bytes.values.areShown(by: shown)
      || bytes.values.last == 0 && bytes.prefix(bytes.values.count - 1).values.areShown(by: shown)
  }
}

// Recognition.
extension WordsLayout {
  static func isMarked(_ head: TextHead) -> Bool { !head.lines(of: OffsetColumn(mark: UInt8(ascii: ":"))).isEmpty }

  static func recognises(_ head: TextHead) -> Bool {
    if isMarked(head) { return order(head) == .turned }
    let lines = head.lines(of: OffsetColumn())
    guard let line = lines.first, line.words.count > 1 else { return false }
    let words = line.words.dropFirst().prefix { $0.first.map { $0 != UInt8(ascii: ">") } == true }
    guard let width = words.first?.count, width == 4 || width == 8 || width == 16,
      words.allSatisfy({ $0.count == width && $0.isHex })
    else { return false }
    // An odd number of digits is an offset for sure.
    if line.digits.count == 7 { return true }
    guard line.digits.count == 6, lines.count > 1, lines[1].digits.count == 6 else { return false }
    let bytes = (line.offset(radix: 16) ?? 0) + words.count * width / 2
    let next = lines[1].offset(radix: 16) ?? 0
    return next <= bytes && next + width / 2 > bytes
  }

  private enum Order { case straight, turned, either, neither }

  /// What the characters beside the bytes say about the order of words in an xxd dump.
  private static func order(_ head: TextHead) -> Order {
    let lines = head.lines(of: OffsetColumn(mark: UInt8(ascii: ":")))
    var canBeStraight = true
    var canBeTurned = true
    var isSame = true
    var width: Int?
    for (index, line) in lines.enumerated() {
      // The last line may be cut by the end of the head.
      if index + 1 == lines.count, !head.isWhole, index > 0 { break }
      let distance = index + 1 < lines.count ? zip16(line, lines[index + 1]) : nil
      var straight = XxdLayout(strict: false)
      var turned = WordsLayout(isMarked: true, strict: false)
      turned.width = width
      let one = straight.bytes(of: line, count: distance)
      let other = turned.bytes(of: line, count: distance)
      width = turned.width
      if one.problem != nil || distance.map({ $0 != one.values.count }) == true { canBeStraight = false }
      if other.problem != nil || distance.map({ $0 != other.values.count }) == true { canBeTurned = false }
      if one.values != other.values { isSame = false }
    }
    guard let width, width == 4 || width == 8 || width == 16 else { return .straight }
    if isSame { return .straight }
    if canBeTurned && canBeStraight { return width == 4 ? .straight : hasGutter(lines) ? .either : .straight }
    return canBeTurned ? .turned : .straight
  }

  private static func zip16(_ line: DumpLine, _ next: DumpLine) -> Int? {
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
