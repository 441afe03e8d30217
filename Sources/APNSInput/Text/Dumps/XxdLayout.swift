extension TextFormat {
  /// Dumps by xxd, with any of its flags but `-e`, `-i` and `-p`.
  public static let xxd = TextFormat(
    "xxd", "xxd dump (any -c, -g, -u, -d, -b, -a)", recognises: { XxdLayout.recognises($0) },
    decoder: { _ in Dump(XxdLayout()) })

  /// Dumps by the command `px` of radare2.
  public static let radare2 = TextFormat(
    "radare2", "hexdump of radare2 or rizin (px)", recognises: { $0.holds("- offset -") },
    decoder: { _ in Dump(XxdLayout(mark: nil)) })
}

/// `xxd`, with any `-c` and `-g`, and with `-b` and `-d`; without the colon, radare2's dump.
///
///     00000000: 0808 dead beef 6265 6566 6361 6665 2031  ......beefcafe 1
///     00000010: 32                                       2
///
/// Two spaces end the bytes. If a chat collapsed them, the next offset shows how many bytes there are; in the last
/// line, the bytes end where the rest of the line matches them as characters. Characters must match the bytes.
struct XxdLayout: DumpLayout {
  let column: OffsetColumn
  /// A line of this text had bytes but no characters.
  private var hasNoCharacters = false
  /// A line of this text was certainly in binary.
  private var hasBits = false

  init(mark: UInt8? = UInt8(ascii: ":")) {
    column = OffsetColumn(mark: mark, mayHavePrefix: true)
  }

  /// `-d` writes decimal offsets.
  func radices(digits: Int) -> [Int] { digits == 8 ? [16, 10] : [16] }

  static func recognises(_ head: TextHead) -> Bool {
    let column = OffsetColumn(mark: UInt8(ascii: ":"), mayHavePrefix: true)
    guard let line = head.lines(of: column).first, line.digits.count >= 4 else { return false }
    return line.body == line.text.count || line.text[line.body].isWhite
  }

  mutating func bytes(of line: DumpLine, count: Int?) -> DumpBytes {
    let (bytes, characters) = Self.split(line)
    if let bits = bits(of: line, bytes, characters, count: count) {
      hasBits = true
      return bits
    }
    if hasBits, bytes.problem == nil, !bytes.values.isEmpty {
      return DumpBytes(problem: .notHex(line.text[line.body - 1], at: line.position(line.body), Self.noBits))
    }
    if let characters {
      // Bytes that contradict their characters are not appended.
      guard bytes.problem == nil, !bytes.values.areShown(by: characters, isCut: count == nil) else { return bytes }
      for gaps in 1...3 {
        let (bytes, characters) = Self.split(line, gaps: gaps)
        if let characters, bytes.problem == nil, bytes.values.areShown(by: characters, isCut: count == nil) {
          return bytes
        }
      }
      return DumpBytes(problem: .contradictingCharacters(at: line.position(line.body)))
    }
    // Characters that are all spaces may be missing, because editors remove trailing spaces.
    let needsNoCharacters = bytes.values.areShown(by: [])
    if let count, let complete = bytes.prefix(ifCharactersFollow: count, in: line.text) {
      let isAll = bytes.problem == nil && complete.values.count == bytes.values.count
      hasNoCharacters = hasNoCharacters || (isAll && !needsNoCharacters)
      return complete
    }
    if count == nil && !hasNoCharacters, let shown = bytes.prefixShownByRest(of: line.text) { return shown }
    return bytes
  }

  /// Splits a line at two spaces into groups of digits and characters. Without two spaces, the first group that is not
  /// hex is recorded as the problem, unless it turns out to be characters.
  /// - Parameter gaps: How many times two spaces occur among the bytes, for tools that separate groups this way.
  private static func split(_ line: DumpLine, gaps: Int = 0) -> (DumpBytes, characters: ArraySlice<UInt8>?) {
    let text = line.text
    var bytes = DumpBytes(of: line)
    var gaps = gaps
    var index = text[line.body...].firstIndex { !$0.isWhite } ?? text.count
    while index < text.count {
      let group = text[index...].prefix { !$0.isWhite }
      if bytes.problem == nil { bytes.append(group, of: line) }
      let gap = text[group.endIndex...].prefix { $0.isWhite }
      index = gap.endIndex
      if gap.count > 2 || gap.count == 2 && gaps == 0 { return (bytes, text[index...]) }
      if gap.count > 1 { gaps -= 1 }
    }
    return (bytes, nil)
  }

  /// The bytes that groups of eight binary digits represent, if there are as many groups as bytes.
  private func bits(
    of line: DumpLine, _ bytes: DumpBytes, _ characters: ArraySlice<UInt8>?, count: Int?
  ) -> DumpBytes? {
    // Each pair of binary digits was read as one hex byte: 00, 01, 10 or 11.
    let starts = [0] + bytes.ends.map(\.count)
    let groups = zip(starts, bytes.ends).map { bytes.values[$0..<$1.count] }
    guard !groups.isEmpty, groups.allSatisfy({ $0.count == 4 && $0.allSatisfy { $0 & 0xee == 0 } }) else { return nil }
    var read = DumpBytes()
    for (group, start) in zip(groups, starts) {
      read.append(group.reduce(0) { $0 << 2 | $1 >> 3 | $1 & 1 }, at: bytes.indices[start])
    }
    if let characters { return read.values.areShown(by: characters, isCut: count == nil) ? read : nil }
    return count == groups.count || (count == nil && hasBits) ? read : nil
  }

  private static let noBits = "is followed by digits that are not bits, unlike in the preceding lines; dump again"
}
