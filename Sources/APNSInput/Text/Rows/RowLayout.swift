import Octets

/// How the rows of a dump or a trace write their offsets and bytes: a row of the table of layouts.
struct RowLayout: Sendable {
  /// What a cell of a row is.
  enum Cells: Equatable, Sendable {
    /// Pairs of hex digits, in groups of any length.
    case hex
    /// Words of 2, 4 or 8 bytes as a little-endian machine prints them.
    case words
    /// The same words of a big-endian machine.
    case bigWords
    /// One byte in octal, or as a character or an escape, in a column of four characters.
    case characters
    /// A number: a byte, or several in little-endian order.
    case numbers(radix: Int, digits: ClosedRange<Int>, bytes: Int = 1, prefix: String = "")

    static let octalWords = numbers(radix: 8, digits: 6...6, bytes: 2)
    static let decimal = numbers(radix: 10, digits: 1...3)
    static let bits = numbers(radix: 2, digits: 8...8)
    /// As gdb prints bytes.
    static let prefixedHex = numbers(radix: 16, digits: 1...2, prefix: "0x")
  }

  let cells: Cells
  /// Nil if the rows have no offsets, as below a title that says how many bytes follow.
  let column: OffsetColumn?
  /// The titles that may precede rows.
  var titles: [RowTitle.Form] = []
  /// Whether only rows below a title are read; all other text is skipped.
  var needsTitle = false
  /// Whether rules of hyphens enclose the rows below a title, as ssldump prints them.
  var isRuled = false
  /// The program that printed packets, if the rows are packets with their headers.
  var packets: String?
  /// Whether these are rows of Wireshark's Follow, where a tab before the offset always marks the server's side.
  var isFollow = false
  /// What follows "read as"; nil for the title of the format.
  var phrase: String?
  /// Whether nothing in the text shows the byte order.
  var isAssumed = false
  /// Whether groups of hex digits may be longer than a byte. Otherwise they may after an offset of eight digits; after
  /// others, they are little-endian words.
  var hasGroups = true

  /// The character after an offset.
  var mark: UInt8? { column?.mark }
  /// Whether these are the words of `xxd -e`, which aligns a short one on the right.
  var areMarkedWords: Bool { cells == .words && mark != nil && column?.prefix != .required }

  /// The bases that an offset with this many digits may be written in, the likeliest first.
  func radices(digits: Int) -> [Int] {
    if mark == UInt8(ascii: ":") { return digits == 8 ? [16, 10] : [16] }
    guard digits == 7 else { return [16] }
    switch cells {
    case .words: return [16, 8, 10]
    case .characters, .octalWords: return [8, 16, 10]
    default: return [8, 10, 16]
    }
  }

  /// How many blanks end the bytes of a row, if the characters beside them do not show where they end.
  fileprivate func endOfBytes(after count: Int) -> Int { mark == UInt8(ascii: ":") || count >= 16 ? 2 : 3 }
}

/// The bytes of a row, up to the first error.
struct RowBytes: Sendable {
  private(set) var values: [UInt8] = []
  /// For each byte, the index of its first digit in the line.
  private(set) var indices: [Int] = []
  /// For each cell, the number of bytes up to its end, and the index of its end.
  private(set) var ends: [(count: Int, index: Int)] = []
  var problem: ReadError?
  /// The index after the last cell and the blanks that follow it.
  private(set) var rest = 0
  /// Whether characters beside the bytes confirm them.
  var isShown = false

  init(problem: ReadError? = nil) { self.problem = problem }

  mutating func append(_ value: UInt8, at index: Int) {
    values.append(value)
    indices.append(index)
  }

  /// The first `count` bytes; the rest of the line is not data.
  func prefix(_ count: Int) -> RowBytes {
    var bytes = RowBytes()
    bytes.values = Array(values.prefix(count))
    bytes.indices = Array(indices.prefix(count))
    return bytes
  }

  fileprivate func shown(_ count: Int) -> RowBytes {
    var bytes = prefix(count)
    bytes.isShown = true
    return bytes
  }
}

// MARK: - Cells
extension RowBytes {
  /// Reads cells from `index` on, up to the first text that is none.
  fileprivate init(of row: DumpLine, as layout: RowLayout, _ wordSize: Int) {
    let (line, text, start) = (row.line, row.text, row.body)
    let hasGroups = layout.hasGroups || row.digits.count == 8
    rest = start
    if layout.cells == .characters {
      readCharacters(of: line, from: start)
      return
    }
    let capacity = (text.count - start) / 2
    values.reserveCapacity(capacity)
    indices.reserveCapacity(capacity)
    while true {
      rest = text[rest...].firstIndex { !$0.isWhite } ?? text.count
      guard rest < text.count, !"|>".utf8.contains(text[rest]) else { return }
      let cell = text[rest...].prefix { !$0.isWhite && $0 != UInt8(ascii: "|") }
      let end = Self.endOfCell(cell, layout)
      if layout.cells == .hex, !hasGroups, cell.count > 2, cell.isHex {
        let reason = "this group is longer than one byte; if it is a little-endian word, use --from words"
        problem = ReadError(.notHex, reason, position: line.position(cell.startIndex))
      } else {
        read(text[cell.startIndex..<end], of: row, as: layout, wordSize)
      }
      guard problem == nil else { return }
      rest = end + (end < cell.endIndex ? 1 : 0)
      ends.append((values.count, rest == cell.endIndex ? rest : end))
    }
  }

  /// A hyphen may separate two pairs, as WinDbg and openssl print after the eighth byte.
  private static func endOfCell(_ cell: ArraySlice<UInt8>, _ layout: RowLayout) -> Int {
    let pair = cell.prefix { $0 != UInt8(ascii: "-") }
    guard layout.cells == .hex, pair.endIndex < cell.endIndex, pair.isHex,
      cell.dropFirst(pair.count + 1).first.map({ $0.hexDigitValue != nil }) ?? true
    else { return cell.endIndex }
    return pair.endIndex
  }

  private mutating func read(_ cell: ArraySlice<UInt8>, of row: DumpLine, as layout: RowLayout, _ wordSize: Int) {
    switch layout.cells {
    case .hex: readPairs(cell, of: row.line)
    case .words, .bigWords: readWord(cell, of: row, as: layout, wordSize)
    case .numbers(let radix, let count, let bytes, let prefix):
      let digits = cell.dropFirst(prefix.utf8.count)
      guard cell.starts(with: prefix.utf8), count ~= digits.count, let value = digits.number(radix: radix),
        value >> (8 * bytes) == 0, radix != 10 || digits.count == 1 || digits.first != UInt8(ascii: "0")
      else {
        let reason = "does not begin a number of this dump; print the bytes in hex instead"
        return fail(cell.startIndex, of: row.line, reason)
      }
      for byte in 0..<bytes { append(UInt8(truncatingIfNeeded: value >> (8 * byte)), at: digits.startIndex) }
    case .characters: break
    }
  }

  /// Reads a word of the same size as the first one. `xxd -e` aligns a short last word on the right; no other tool
  /// writes one.
  private mutating func readWord(_ cell: ArraySlice<UInt8>, of row: DumpLine, as layout: RowLayout, _ wordSize: Int) {
    let line = row.line
    let gap = cell.startIndex - (ends.last?.index ?? row.body)
    let isAligned = layout.mark != nil && cell.count < wordSize && gap == 1 + wordSize - cell.count
    guard cell.count == wordSize || isAligned else {
      let reason = "this word does not have as many digits as the first one; the dump was edited"
      problem = ReadError(.oddDigits, reason, position: line.position(cell.startIndex))
      return
    }
    let prefix = layout.column?.prefix == .required ? "0x" : ""
    guard cell.starts(with: prefix.utf8) else {
      return fail(cell.startIndex, of: line, "does not begin a word as gdb prints it, such as 0x0808")
    }
    let start = values.count
    readPairs(cell.dropFirst(prefix.utf8.count), of: line)
    if layout.cells == .words {
      values[start...].reverse()
      indices[start...].reverse()
    }
    let size = values.count - start
    if problem == nil, !isAligned, ![2, 4, 8].contains(size), layout.mark == nil || size >= 8 {
      values.removeLast(size)
      indices.removeLast(size)
      let reason = "words have four, eight or sixteen digits; read bytes with --from hexdump or --from xxd"
      problem = ReadError(.oddDigits, reason, position: line.position(cell.startIndex))
    }
  }

  private mutating func readPairs(_ cell: ArraySlice<UInt8>, of line: TextLine) {
    var index = cell.startIndex
    while index < cell.endIndex {
      guard let high = cell[index].hexDigitValue else { return fail(index, of: line, Self.noDigit) }
      guard index + 1 < cell.endIndex else {
        problem = .oddDigits(at: line.position(index))
        return
      }
      guard let low = cell[index + 1].hexDigitValue else { return fail(index + 1, of: line, Self.noDigit) }
      append(high << 4 | low, at: index)
      index += 2
    }
  }

  private mutating func fail(_ index: Int, of line: TextLine, _ explanation: String) {
    problem = .notHex(line.text[index], at: line.position(index), explanation)
  }

  /// A blank cell is a space, so cells are found by column.
  private mutating func readCharacters(of line: TextLine, from start: Int) {
    var index = start
    while index < line.text.count {
      let cell = line.text[index..<min(index + 4, line.text.count)]
      guard let value = Self.character(cell) else {
        return fail(cell.firstIndex { !$0.isWhite } ?? index, of: line, Self.noOctal)
      }
      append(value, at: min(index + 3, line.text.count - 1))
      index += 4
      ends.append((values.count, min(index, line.text.count)))
      rest = min(index, line.text.count)
    }
  }

  private static func character(_ cell: ArraySlice<UInt8>) -> UInt8? {
    let word = cell.drop { $0.isWhite }
    guard let first = word.first else { return UInt8(ascii: " ") }
    guard cell.count == 4 else { return nil }
    switch word.count {
    case 1: return first.isPrintable ? first : nil
    case 2: return first == UInt8(ascii: "\\") ? escapes[word[word.startIndex + 1]] : nil
    case 3: return word.number(radix: 8).flatMap { UInt8(exactly: $0) }
    default: return nil
    }
  }

  private static let escapes = Dictionary(
    uniqueKeysWithValues: zip("0abtnvfr".utf8, [0, 7, 8, 9, 10, 11, 12, 13] as [UInt8]))
  private static let noDigit = "is not a hex digit; the bytes of the line must be here"
  private static let noOctal = "is not an octal number or a character as od writes it; dump again with od -A x -t x1"
}

// MARK: - Where the bytes of a row end
extension RowLayout {
  /// The bytes of a row.
  /// - Parameters:
  ///   - count: The number of bytes in the row according to the next offset; nil if no offset follows.
  ///   - hasCharacters: Whether characters may follow the bytes after a single blank.
  ///   - wordSize: The number of characters of the first cell of the dump; 0 if it does not matter.
  func bytes(of line: DumpLine, count: Int?, hasCharacters: Bool, wordSize: Int) -> RowBytes {
    var bytes = RowBytes(of: line, as: self, wordSize)
    let text = line.text
    if cells == .characters, bytes.problem == nil {
      // Trailing blanks of a line may be lost; the next offset shows how many spaces they were.
      for _ in bytes.values.count..<max(bytes.values.count, min(count ?? 0, 16)) {
        bytes.append(UInt8(ascii: " "), at: max(text.count - 1, 0))
      }
      if count == nil, 1..<16 ~= bytes.values.count { bytes.problem = .missingLength(at: line.position(text.count)) }
      return bytes
    }
    if let count, let end = bytes.ends.last(where: { $0.count == count }) {
      let rest = text[end.index...]
      if rest.isBlank { return bytes.prefix(count) }
      if bytes.prefix(count).values.areShown(by: rest) { return bytes.shown(count) }
    } else if let count, let shorter = padded(bytes, to: count) {
      return shorter
    }
    if let count = bytes.countShown(by: text, isCollapsed: hasCharacters && !bytes.hasWideGap(text, from: line.body)) {
      return bytes.shown(count)
    }
    // Without its characters, a row of xxd -e may be cut anywhere.
    let needsCharacters = areMarkedWords && count == nil
    if bytes.problem == nil, bytes.rest == text.count, !bytes.hasGap(of: self, text),
      !needsCharacters || bytes.values.areShown(by: [])
    {
      let isPadding = [.words, .octalWords].contains(cells) && bytes.values.last == 0
      if count == nil, column != nil, mark == nil, isPadding || cells == .decimal && isCut(bytes, of: line) {
        bytes.problem = .missingLength(at: line.position(text.count))
      }
      return bytes
    }
    return contradiction(bytes, line)
  }

  /// Whether a last number may be cut: od prints sixteen in columns of four characters.
  private func isCut(_ bytes: RowBytes, of line: DumpLine) -> Bool {
    1..<16 ~= bytes.values.count || (line.text.count - line.body) % 4 != 0
  }

  /// hexdump and od pad the last word with zeros.
  private func padded(_ bytes: RowBytes, to count: Int) -> RowBytes? {
    guard [.words, .octalWords].contains(cells), bytes.problem == nil, count < bytes.values.count,
      let last = bytes.ends.last(where: { $0.count >= count }), count > bytes.ends.dropLast().last?.count ?? 0,
      last.count == bytes.values.count, bytes.values[count...].allSatisfy({ $0 == 0 })
    else { return nil }
    return bytes.prefix(count)
  }

  /// The bytes contradict the characters beside them, or there is an error among the digits.
  private func contradiction(_ bytes: RowBytes, _ line: DumpLine) -> RowBytes {
    let gap = bytes.rest - (bytes.ends.last?.index ?? line.body)
    let isAmongBytes = bytes.ends.isEmpty || gap < endOfBytes(after: bytes.values.count)
    if bytes.problem != nil, isAmongBytes { return bytes }
    return RowBytes(problem: .contradictingCharacters(at: line.position(line.body)))
  }
}

extension RowBytes {
  /// How many bytes there are if the rest of the line shows them as characters; nil if it does not.
  /// - Parameter isCollapsed: Whether a single blank may end the bytes.
  fileprivate func countShown(by text: [UInt8], isCollapsed: Bool) -> Int? {
    let candidates = ends.filter { end in
      let gap = text[end.index...].prefix { $0.isWhite }
      guard gap.endIndex < text.count else { return false }
      return isCollapsed || gap.count > 1 || "|>#".utf8.contains(text[gap.endIndex])
    }
    // A dump has few gaps; a hostile one has many.
    return (candidates.suffix(16).reversed() + candidates.prefix(2)).first { end in
      prefix(end.count).values.areShown(by: text[end.index...])
    }?.count
  }

  /// Whether any two cells are separated by more than one blank, or the first is set off from the offset.
  fileprivate func hasWideGap(_ text: [UInt8], from body: Int) -> Bool {
    guard let first = indices.min() else { return false }
    return first - body > 1
      || zip(ends, ends.dropFirst()).contains { one, _ in
        text[one.index...].prefix { $0.isWhite }.count > 1
      }
  }

  /// Whether cells follow a gap that ends the bytes.
  fileprivate func hasGap(of layout: RowLayout, _ text: [UInt8]) -> Bool {
    layout.cells == .hex
      && ends.dropLast().contains { end in
        text[end.index...].prefix { $0.isWhite }.count >= layout.endOfBytes(after: end.count)
      }
  }
}
