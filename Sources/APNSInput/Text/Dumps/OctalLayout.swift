extension TextFormat {
  /// Octal or character dumps, as `od -b` and `od -c` print them.
  public static let octal = TextFormat(
    "octal", "od in octal or characters (od, od -b, od -c, hexdump -b, hexdump -c)",
    recognises: { OctalLayout.recognises($0) },
    decoder: { _ in Dump(OctalLayout()) })
}

/// Cells of four columns, each with a byte in octal or as a character; or little-endian words in octal.
///
///     0000000 002  \0   N 001         0000000 000002 000516
///     0000004                         0000004
///
/// A blank cell is a space, so cells are found by column.
struct OctalLayout: DumpLayout {
  /// Whether the dump has words, decided by the first line.
  private var hasWords: Bool?

  func radices(digits: Int) -> [Int] { digits == 7 ? [8, 16, 10] : [16] }

  static func recognises(_ head: TextHead) -> Bool {
    let lines = head.lines(of: OffsetColumn())
    guard let line = lines.first, line.digits.count >= 6, line.body < line.text.count else { return false }
    // The end of the head may cut the last line.
    let whole = lines.count > 1 && !head.isWhole ? lines.dropLast() : lines[...]
    if areWords(line) { return whole.allSatisfy { $0.body == $0.text.count || areWords($0) } }
    // Numbers of only one digit could also come from od -t u1.
    let cells = Self.cells(of: line, count: nil)
    guard whole.allSatisfy({ Self.cells(of: $0, count: nil).problem == nil }), !cells.values.isEmpty else {
      return false
    }
    return line.text[line.body...].contains(UInt8(ascii: "\\")) || line.words.dropFirst().contains { $0.count == 3 }
  }

  var interpretation: TextInterpretation? { TextInterpretation(phrase: "an od dump, octal or characters") }

  mutating func bytes(of line: DumpLine, count: Int?) -> DumpBytes {
    if line.body < line.text.count { hasWords = hasWords ?? Self.areWords(line) }
    guard hasWords == true else { return Self.cells(of: line, count: count) }
    var bytes = DumpBytes()
    for word in line.words.dropFirst() {
      guard word.count == 6, let value = word.number(radix: 8), value <= 0xffff else {
        bytes.problem = .notHex(word[word.startIndex], at: line.position(word.startIndex), Self.explanation)
        return bytes
      }
      bytes.append(UInt8(value & 0xff), at: word.startIndex)
      bytes.append(UInt8(value >> 8), at: word.startIndex)
    }
    if count == nil, bytes.values.last == 0 { bytes.problem = .missingLength(at: line.position(line.text.count)) }
    // od pads the last word with a zero byte.
    let isFilled = count.map { $0 == bytes.values.count - 1 } == true && bytes.values.last == 0
    return isFilled ? bytes.prefix(bytes.values.count - 1) : bytes
  }

  private static func areWords(_ line: DumpLine) -> Bool {
    let words = line.words.dropFirst()
    return !words.isEmpty && words.allSatisfy { $0.count == 6 && $0.number(radix: 8) != nil }
  }

  private static func cells(of line: DumpLine, count: Int?) -> DumpBytes {
    var bytes = DumpBytes()
    var index = line.body
    // Trailing blanks of a line may be lost; the next offset shows how many spaces they were.
    while index < line.text.count || count.map({ bytes.values.count < min($0, 16) }) == true {
      let cell = line.text[min(index, line.text.count)..<min(index + 4, line.text.count)]
      guard let value = value(of: cell) else {
        let wrong = cell.firstIndex { !$0.isWhite } ?? index
        bytes.problem = .notHex(line.text[wrong], at: line.position(wrong), explanation)
        return bytes
      }
      bytes.append(value, at: min(index + 3, max(line.text.count - 1, 0)))
      index += 4
    }
    return bytes
  }

  private static func value(of cell: ArraySlice<UInt8>) -> UInt8? {
    let word = cell.drop { $0.isWhite }
    guard let first = word.first else { return UInt8(ascii: " ") }
    guard cell.count == 4, word.count < 4 else { return nil }
    switch word.count {
    case 1: return first.isPrintable ? first : nil
    case 2: return first == UInt8(ascii: "\\") ? escapes[word[word.startIndex + 1]] : nil
    default: return word.number(radix: 8).flatMap { UInt8(exactly: $0) }
    }
  }

  private static let escapes: [UInt8: UInt8] = [
    UInt8(ascii: "0"): 0, UInt8(ascii: "a"): 7, UInt8(ascii: "b"): 8, UInt8(ascii: "t"): 9, UInt8(ascii: "n"): 10,
    UInt8(ascii: "v"): 11, UInt8(ascii: "f"): 12, UInt8(ascii: "r"): 13,
  ]
  private static let explanation =
    "is not an octal number or a character as od writes it; dump again with od -A x -t x1"
}
