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
    case numbers(radix: Int, digits: ClosedRange<Int>, bytes: Int = 1)

    static let octalWords = numbers(radix: 8, digits: 6...6, bytes: 2)
    static let decimal = numbers(radix: 10, digits: 1...3)
    static let decimalWords = numbers(radix: 10, digits: 1...5, bytes: 2)
    static let bits = numbers(radix: 2, digits: 8...8)
  }

  let cells: Cells
  /// Whether `0x` begins each cell, as gdb prints them.
  var havePrefix = false
  /// Nil if the rows have no offsets, as below a title that says how many bytes follow.
  var column: OffsetColumn?
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
  /// How the text is interpreted, if that says more than the title of the format.
  var phrase: String?

  /// Only `xxd -e` shows by its offsets that its words are little-endian.
  var interpretation: TextInterpretation? {
    phrase.map { TextInterpretation(phrase: $0, isAssumed: !areMarkedWords) }
  }

  /// The character after an offset.
  var mark: UInt8? { column?.mark }
  /// Whether groups of hex digits may be longer than a byte. Otherwise they may after an offset of eight digits; after
  /// others, they are little-endian words.
  fileprivate var hasGroups: Bool {
    column.map { $0.prefix == .required || $0.mark.map { $0 != UInt8(ascii: "]") } == true } ?? true
  }
  /// Whether each cell is a word of several bytes, of which the last one may be padded with zeros.
  fileprivate var areWords: Bool { [.words, .bigWords, .octalWords, .decimalWords].contains(cells) }
  /// Whether these are the words of `xxd -e`, which aligns a short one on the right.
  var areMarkedWords: Bool { cells == .words && mark != nil && !havePrefix }

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

  /// The first row, if other text precedes it in its line: it has as many bytes as the offset of the next one says.
  func row(atEndOf line: TextLine, before next: DumpLine) -> DumpLine? {
    guard let column, !next.isStart else { return nil }
    let starts = line.text.indices.prefix(Self.longestLead).filter { index in
      line.text[index].isWordPart && (index == 0 || !line.text[index - 1].isWordPart)
    }
    return starts.lazy.compactMap { column.row(of: line, at: $0) }.first { row in
      radices(digits: next.digits.count).contains { radix in
        guard let count = row.distance(to: next, radix: radix), count > 0 else { return false }
        let bytes = bytes(of: row, count: count, hasCharacters: true, wordSize: 0)
        return bytes.problem == nil && bytes.count == count
      }
    }
  }

  private static let longestLead = 128

  /// How many blanks end the bytes of a row, if the characters beside them do not show where they end.
  fileprivate func endOfBytes(after count: Int) -> Int { mark == UInt8(ascii: ":") || count >= 16 ? 2 : 3 }
}

/// The bytes of a row, up to the first error.
struct RowBytes: Sendable {
  private(set) var placed = PlacedBytes()
  /// For each cell, the number of bytes up to its end, and the index of its end.
  private(set) var ends: [(count: Int, index: Int)] = []
  var problem: ReadError?
  /// The index after the last cell and the blanks that follow it.
  private(set) var rest = 0
  /// Whether a cell follows a gap that ends the bytes.
  private(set) var hasGap = false
  /// Whether characters beside the bytes confirm them.
  var isShown = false

  var values: [UInt8] { placed.values }
  var count: Int { placed.count }

  init(problem: ReadError? = nil) { self.problem = problem }

  /// The first `count` bytes; the rest of the line is not data.
  fileprivate func prefix(_ count: Int, isShown: Bool = false) -> RowBytes {
    var first = self
    (first.placed, first.problem, first.isShown) = (placed.prefix(count), nil, isShown)
    return first
  }
}

// MARK: - Cells
extension RowBytes {
  /// Reads cells from the body of a row on, up to the first text that is none.
  fileprivate init(of row: DumpLine, as layout: RowLayout, _ wordSize: Int) {
    let text = row.text
    rest = row.body
    guard layout.cells != .characters else {
      readCharacters(of: row.line, from: rest)
      return
    }
    while true {
      rest = text[rest...].firstIndex { !$0.isWhite } ?? text.count
      guard rest < text.count, !"|>".utf8.contains(text[rest]) else { return }
      // gdb prints a byte also as a character: 65 'A'
      if layout.cells == .decimal, text[rest] == UInt8(ascii: "'"), !ends.isEmpty,
        let quote = Escapes.end(text[rest], in: text, from: rest + 1)
      {
        rest = quote + 1
        ends[ends.count - 1].index = rest
        continue
      }
      let word = text[rest...].prefix { !$0.isWhite && $0 != UInt8(ascii: "|") }
      let (end, gap) = (Self.endOfCell(word, layout), rest - (ends.last?.index ?? row.body))
      read(text[rest..<end], after: gap, of: row, as: layout, wordSize)
      guard problem == nil else { return }
      if gap > 1, layout.cells == .hex, let last = ends.last, gap >= layout.endOfBytes(after: last.count) {
        hasGap = true
      }
      rest = end + (end < word.endIndex ? 1 : 0)
      ends.append((count, rest == word.endIndex ? rest : end))
    }
  }

  /// A hyphen may separate two pairs, as WinDbg and openssl print after the eighth byte.
  private static func endOfCell(_ word: ArraySlice<UInt8>, _ layout: RowLayout) -> Int {
    let pair = word.prefix { $0 != UInt8(ascii: "-") }
    guard pair.endIndex < word.endIndex, layout.cells == .hex, pair.isHex,
      word.dropFirst(pair.count + 1).first.map({ $0.hexDigitValue != nil }) ?? true
    else { return word.endIndex }
    return pair.endIndex
  }

  private mutating func read(
    _ word: ArraySlice<UInt8>, after gap: Int, of row: DumpLine, as layout: RowLayout, _ wordSize: Int
  ) {
    let line = row.line
    guard !layout.havePrefix || word.starts(with: "0x".utf8) else {
      return fail(word.startIndex, of: line, Self.noNumber)
    }
    let cell = layout.havePrefix ? word.dropFirst(2) : word
    let start = count
    switch layout.cells {
    case .hex:
      guard cell.count <= 2 || row.digits.count == 8 || layout.hasGroups || !cell.isHex else {
        let reason = "this group is longer than one byte; if it is a little-endian word, use --from words"
        problem = line.error(.notHex, at: cell.startIndex, reason)
        return
      }
      readPairs(cell, of: line)
    case .words, .bigWords:
      // `xxd -e` aligns a short last word on the right; no other tool writes one.
      let isAligned = layout.mark != nil && word.count < wordSize && gap == 1 + wordSize - word.count
      if isAligned || word.count == wordSize { readPairs(cell, of: line) }
      if layout.cells == .words {
        placed.reverse(from: start)
      }
      let size = count - start
      // A single word of xxd -e may be a short one.
      let fits = [2, 4, 8].contains(size) || layout.mark != nil && 1..<8 ~= size
      guard problem == nil, !isAligned, !fits else { return }
      placed = placed.prefix(start)
      let reason =
        "words have four, eight or sixteen digits, and all as many as the first one; read bytes with --from hexdump or "
        + "--from xxd"
      problem = line.error(.oddDigits, at: word.startIndex, reason)
    case .numbers(let radix, let size, let bytes):
      let isNegative = radix == 10 && cell.first == UInt8(ascii: "-")
      let digits = isNegative ? cell.dropFirst() : cell
      guard size ~= digits.count, let number = digits.number(radix: radix), !isNegative || 1...128 ~= number,
        case let value = isNegative ? 256 - number : number, value >> (8 * bytes) == 0,
        radix != 10 || digits.count == 1 || digits.first != UInt8(ascii: "0")
          || bytes > 1 && digits.count == size.upperBound
      else { return fail(word.startIndex, of: line, Self.noNumber) }
      for byte in 0..<bytes {
        placed.append(UInt8(truncatingIfNeeded: value >> (8 * byte)), at: line.position(cell.startIndex))
      }
    case .characters: break
    }
  }

  private mutating func readPairs(_ cell: ArraySlice<UInt8>, of line: TextLine) {
    for index in stride(from: cell.startIndex, to: cell.endIndex, by: 2) {
      guard let high = cell[index].hexDigitValue else { return fail(index, of: line, Self.noDigit) }
      guard index + 1 < cell.endIndex else {
        problem = .oddDigits(at: line.position(index))
        return
      }
      guard let low = cell[index + 1].hexDigitValue else { return fail(index + 1, of: line, Self.noDigit) }
      placed.append(high << 4 | low, at: line.position(index))
    }
  }

  private mutating func fail(_ index: Int, of line: TextLine, _ explanation: String) {
    problem = line.notHex(at: index, explanation)
  }

  /// A blank cell is a space, so cells are found by column.
  private mutating func readCharacters(of line: TextLine, from start: Int) {
    for index in stride(from: start, to: line.text.count, by: 4) {
      let end = max(0, index + 4)
      let cell = line.text[max(0, index)..<min(end, line.text.count)]
      guard let value = Self.character(cell, isComplete: end <= line.text.count) else {
        return fail(cell.firstIndex { !$0.isWhite } ?? index, of: line, Self.noOctal)
      }
      placed.append(value, at: line.position(min(max(0, index + 3), line.text.count - 1)))
      rest = cell.endIndex
      ends.append((count, rest))
    }
  }

  private static func character(_ cell: ArraySlice<UInt8>, isComplete: Bool) -> UInt8? {
    let word = cell.drop { $0.isWhite }
    guard let first = word.first else { return UInt8(ascii: " ") }
    guard isComplete else { return nil }
    switch word.count {
    case 1: return first.isPrintable ? first : nil
    case 2: return first == UInt8(ascii: "\\") ? Escapes.letters[word[word.startIndex + 1]] : nil
    case 3: return word.number(radix: 8).flatMap { UInt8(exactly: $0) }
    default: return nil
    }
  }

  private static let noNumber = "does not begin a number of this dump; print the bytes in hex instead"
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
      bytes.fill(to: min(count ?? 0, 16), at: line.position(max(text.count - 1, 0)))
      if count == nil, column != nil, 1..<16 ~= bytes.count {
        bytes.problem = .missingLength(at: line.position(text.count))
      }
      return bytes
    }
    let due = bytes.ends.last { $0.count == count }
    if let due, text[due.index...].isBlank { return bytes.prefix(due.count) }
    if due == nil, let count, let shorter = padded(bytes, to: count) { return shorter }
    if let end = bytes.endShown(by: text, due, hasCharacters) { return bytes.prefix(end, isShown: true) }
    // Without its characters, a row of xxd -e may be cut anywhere.
    let needsCharacters = areMarkedWords && count == nil
    if bytes.problem == nil, bytes.rest == text.count, !bytes.hasGap,
      !needsCharacters || bytes.values.areShown(by: [])
    {
      // od prints sixteen decimal numbers in columns of four characters.
      let isCut = cells == .decimal && (1..<16 ~= bytes.count || (text.count - line.body) % 4 != 0)
      let isPadding = areWords && bytes.values.last == 0
      if count == nil, column != nil, mark == nil, isPadding || isCut {
        bytes.problem = .missingLength(at: line.position(text.count))
      }
      return bytes
    }
    // The bytes contradict the characters beside them, or there is an error among the digits.
    let gap = bytes.rest - (bytes.ends.last?.index ?? line.body)
    let isAmongBytes = bytes.ends.isEmpty || gap < endOfBytes(after: bytes.count)
    if bytes.problem != nil, isAmongBytes { return bytes }
    let reason =
      "the characters at the end of this line do not match its bytes, so the line was edited; paste the dump again, or "
      + "without its characters"
    return RowBytes(problem: line.line.error(.contradictingCharacters, at: line.body, reason))
  }

  /// hexdump and od pad the last word with zeros.
  private func padded(_ bytes: RowBytes, to count: Int) -> RowBytes? {
    guard areWords, bytes.problem == nil, count < bytes.count,
      count > bytes.ends.dropLast().last?.count ?? 0, bytes.values[count...].allSatisfy({ $0 == 0 })
    else { return nil }
    return bytes.prefix(count)
  }
}

extension RowBytes {
  fileprivate mutating func fill(to count: Int, at position: TextPosition) {
    while placed.count < count { placed.append(UInt8(ascii: " "), at: position) }
  }

  /// How many bytes there are if the rest of the line shows them as characters; nil if it does not.
  /// - Parameters:
  ///   - due: Where the bytes end according to the next offset.
  ///   - isCollapsed: Whether a single blank may end the bytes.
  fileprivate func endShown(by text: [UInt8], _ due: (count: Int, index: Int)?, _ isCollapsed: Bool) -> Int? {
    func isShown(_ end: (count: Int, index: Int)) -> Bool { values.prefix(end.count).areShown(by: text[end.index...]) }
    if let due, isShown(due) { return due.count }
    let gaps = ends.filter { end in
      let gap = text[end.index...].prefix { $0.isWhite }
      guard gap.endIndex < text.count else { return false }
      return isCollapsed || gap.count > 1 || "|>#".utf8.contains(text[gap.endIndex])
    }
    // A dump has few gaps; a hostile one has many.
    return (gaps.suffix(16).reversed() + gaps.prefix(2)).first(where: isShown)?.count
  }
}
