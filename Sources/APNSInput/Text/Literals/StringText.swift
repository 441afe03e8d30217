import Octets

extension TextFormat {
  /// A string with escapes: `\x02\x00N`.
  public static let escapes = TextFormat(
    "escapes", "string with escapes (\\x02\\x00N)",
    needs: "\\=",
    layouts: { head in
      let styles: [Escapes] = [
        Escapes(style: .octal, isWide: false), Escapes(style: .decimal, isWide: false),
        Escapes(style: .octal, isWide: true),
      ]
      var quotes = "\"'`".utf8.filter { head.characters.contains($0) }
      var forms: [StringText.Form] = [.bare, .cell]
      // If there is nothing but strings, the first quote or backslash shows how they are written.
      if head.isNamed, let first = head.text.first(where: { "\"'`\\".utf8.contains($0) }) {
        quotes = quotes.filter { $0 == first }
        if !quotes.isEmpty { forms = [] }
      }
      for quote in quotes { forms += [.quoted(quote, isDoubled: false), .quoted(quote, isDoubled: true)] }
      let words = StringText(.word, Escapes(style: .quotedPrintable, isWide: false), needsControl: !head.isNamed)
      guard head.isNamed || head.characters.contains(UInt8(ascii: "\\")) else { return [words] }
      return styles.flatMap { style in forms.map { StringText($0, style, needsControl: !head.isNamed) } } + [words]
    })

  /// Percent escapes, as in a URL (RFC 3986).
  public static let percent = TextFormat(
    "percent", "percent escapes, as in a URL (%02%00%00N)", needs: "%",
    layouts: { [StringText(.word, Escapes(style: .percent, isWide: false), needsControl: !$0.isNamed)] })
}

/// Strings with bytes as escapes and printable characters, as programs and databases print them.
///
///     b'\x08\x08\x00N'       "\x08\x08" \        INSERT ... (E'\\000''x')       %08%08%00N       =08=08=00N
///     "\000\n"               "\xde" \             102 | \010\010\000N
///
/// Text around the strings is skipped, and so are strings without a control character, unless they continue one that
/// has some. `\x` takes two digits, as in all languages except C, where it takes any number.
struct StringText: TextDecoder {
  enum Form {
    /// In quotes; `isDoubled` says whether a doubled quote is a quote.
    case quoted(UInt8, isDoubled: Bool)
    /// From the first backslash at the start of a word to the end of the line.
    case bare
    /// The last cell of a table.
    case cell
    /// A word that contains an escape, up to a blank, a quote, `&` or `#`.
    case word
  }

  private let form: Form
  /// Whether strings without a control character are skipped, because the text only may have strings with escapes.
  private let needsControl: Bool
  private let escapes: Escapes
  /// The decoded characters of the current string.
  private var values: [UInt8] = []
  private var places: [TextPosition] = []
  /// Whether a byte of the current string is not printable.
  private var hasControl = false
  /// Whether the current string goes on in the next line.
  private var isOpen = false
  private var opening = TextPosition(line: 1, column: 1)
  /// Whether a string that follows directly belongs to the last one.
  private var goesOn = false
  private var strings = 0
  private var lines = 0

  init(_ form: Form, _ escapes: Escapes, needsControl: Bool) {
    self.form = form
    self.needsControl = needsControl
    self.escapes = escapes
  }

  var leads: LineLead.Kind { isOpen ? .none : .all }
  var longestLine: Int { LineSplitter.limit }
  var explainsLines: Bool { false }
  var isPlausible: Bool { strings > 0 }
  var interpretation: TextInterpretation? {
    guard escapes.style == .percent else { return nil }
    return TextInterpretation(
      phrase: "percent escapes: \(strings) of \(plural(lines, "line"))", isAssumed: strings < lines)
  }

  mutating func decode(_ line: TextLine, into output: inout TextOutput) throws(ReadError) {
    lines += 1
    switch form {
    case .quoted(let quote, let isDoubled): try readQuoted(line, quote, isDoubled, into: &output)
    case .bare, .cell: try readBare(line, into: &output)
    case .word: try readWords(line, into: &output)
    }
  }

  mutating func finish(at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    if isOpen {
      put(into: &output)
      if case .quoted = form { throw .openQuote(at: opening) }
      throw ReadError(.cutText, "the text ends inside an escape; paste all of it", position: position)
    }
    guard strings > 0 || lines == 0 else {
      throw ReadError(.unknownText, "this text has no string with escapes", position: position)
    }
  }

  mutating func release(into output: inout TextOutput) { put(into: &output) }

  // MARK: Quoted strings

  private mutating func readQuoted(
    _ line: TextLine, _ quote: UInt8, _ isDoubled: Bool, into output: inout TextOutput
  ) throws(ReadError) {
    let text = line.text
    var index = isOpen ? 0 : line.first
    var lead = index
    var start = line.position(index)
    while index < text.count {
      if !isOpen {
        guard let quoteIndex = text[index...].firstIndex(of: quote) else {
          noteLead(text[lead...], isEnd: false, &output)
          return
        }
        noteLead(text[lead..<quoteIndex], isEnd: true, &output)
        (isOpen, opening, index) = (true, line.position(quoteIndex), quoteIndex + 1)
        start = opening
        guard Self.isClosed(text, quote, isDoubled, from: index) || text.last == UInt8(ascii: "\\") else {
          return try readOpen(line, from: index, into: &output)
        }
        continue
      }
      if text[index] == quote {
        if isDoubled, index + 1 < text.count, text[index + 1] == quote {
          append([quote], at: line.position(index))
          index += 2
          continue
        }
        index += 1
        lead = index
        isOpen = false
        let isData = hasControl || goesOn
        put(into: &output)
        if isData { output.explain(start, line.position(index)) }
        continue
      }
      guard let next = try readPiece(line, at: index, end: text.count, into: &output) else {
        return output.explain(start, line.position(text.count))
      }
      index = next
    }
    if isOpen {
      // The line ends inside the string, and not with a backslash.
      try readOpen(line, from: text.count, into: &output)
    }
  }

  /// Reads a string that its line does not close. It is an error if it has escapes; otherwise the quote is an
  /// apostrophe.
  private mutating func readOpen(_ line: TextLine, from start: Int, into output: inout TextOutput) throws(ReadError) {
    var index = start
    while index < line.text.count, let next = try readPiece(line, at: index, end: line.text.count, into: &output) {
      index = next
    }
    isOpen = false
    let isData = hasControl
    put(into: &output)
    guard isData else { return }
    output.explain(opening, line.position(line.text.count))
    throw .openQuote(at: opening)
  }

  /// Whether a quote closes the string that begins at `start`.
  private static func isClosed(_ text: [UInt8], _ quote: UInt8, _ isDoubled: Bool, from start: Int) -> Bool {
    var index = start
    while index < text.count {
      if text[index] == quote {
        guard isDoubled, index + 1 < text.count, text[index + 1] == quote else { return true }
        index += 1
      }
      index += text[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return false
  }

  /// Text between strings: punctuation joins them, other text names the side of the next.
  private mutating func noteLead(_ lead: ArraySlice<UInt8>, isEnd: Bool, _ output: inout TextOutput) {
    let rest = lead.filter { !$0.isWhite && !"+.&\\".utf8.contains($0) }
    let isJoin = rest.isEmpty || isEnd && rest.count == 1 && "bL$u".utf8.contains(rest[rest.startIndex])
    if !isJoin {
      goesOn = false
      if values.isEmpty, let side = SideMarks.side(in: lead) { output.switchSide(to: side) }
      clear()
    }
  }

  // MARK: Strings without quotes

  private mutating func readBare(_ line: TextLine, into output: inout TextOutput) throws(ReadError) {
    let text = line.text
    var start: Int?
    if isOpen {
      start = 0
    } else if case .cell = form {
      start = text.lastIndex { $0 == UInt8(ascii: "|") || $0 == UInt8(ascii: "\t") }.map { $0 + 1 }
      if let cell = start, !text[cell...].contains(UInt8(ascii: "\\")) { start = nil }
    } else {
      start = text.indices.first { index in
        text[index] == UInt8(ascii: "\\") && (index == 0 || text[index - 1].isWhite || text[index - 1] == 0x7c)
          && index + 1 < text.count && !text[index + 1].isWhite && !"\"'".utf8.contains(text[index + 1])
      }
    }
    guard let start, let first = text[start...].firstIndex(where: { !$0.isWhite }) else { return }
    if !isOpen, let side = SideMarks.side(in: text[..<first]) { output.switchSide(to: side) }
    isOpen = false
    var index = first
    while index < text.count {
      guard let next = try readPiece(line, at: index, end: text.count, into: &output) else {
        isOpen = true
        return
      }
      index = next
    }
    put(into: &output)
  }

  /// Words with percent escapes or in quoted-printable.
  private mutating func readWords(_ line: TextLine, into output: inout TextOutput) throws(ReadError) {
    let text = line.text
    let isPercent = escapes.style == .percent
    let mark = UInt8(ascii: isPercent ? "%" : "=")
    func isEscape(_ index: Int) -> Bool {
      text[index] == mark && text[(index + 1)...].prefix(2).count == 2 && text[(index + 1)...].prefix(2).isHex
    }
    var start = isOpen ? 0 : line.first
    if isPercent {
      guard let escape = text.indices.first(where: isEscape) else { return }
      let open = text[..<escape].lastIndex { $0.isWhite || "\"'`&=?<>".utf8.contains($0) }
      start = open.map { $0 + 1 } ?? 0
      if let side = SideMarks.side(in: text[..<start]) { output.switchSide(to: side) }
    } else if !isOpen {
      guard isEscape(start) else { return }
    }
    let quote = text[..<start].last { "\"'`".utf8.contains($0) }
    let end =
      isPercent
      ? text[start...].prefix { !$0.isWhite && $0 != quote && !"&#\"`<>".utf8.contains($0) }.endIndex : text.count
    if isPercent, let other = text[end...].indices.first(where: isEscape) {
      throw ReadError(
        .ambiguousText, "this line has percent escapes in two places; paste only those of the frame",
        position: line.position(other))
    }
    isOpen = false
    var index = start
    while index < end {
      guard let next = try readPiece(line, at: index, end: end, into: &output) else {
        isOpen = true
        return
      }
      index = next
    }
    put(into: &output)
  }

  // MARK: Pieces

  private mutating func append(_ bytes: [UInt8], at place: TextPosition) {
    for byte in bytes {
      values.append(byte)
      places.append(place)
      hasControl = hasControl || !byte.isPrintable || !needsControl
    }
  }

  /// Appends a character or an escape. Returns the index after it; nil if a backslash ends the line.
  private mutating func readPiece(
    _ line: TextLine, at index: Int, end: Int, into output: inout TextOutput
  ) throws(ReadError) -> Int? {
    do throws(ReadError) {
      guard let piece = try escapes.piece(line, at: index, end: end) else { return nil }
      append(piece.bytes, at: line.position(piece.place))
      return piece.end
    } catch {
      isOpen = false
      // Other strings of a program may have escapes of another kind.
      guard hasControl || goesOn || !isQuoted else {
        clear()
        guard case .quoted(let quote, _) = form else { return end }
        return Escapes.end(quote, in: line.text, from: index).map { $0 + 1 } ?? end
      }
      put(into: &output)
      if isQuoted { output.explain(opening, line.position(index)) }
      throw error
    }
  }

  private var isQuoted: Bool { if case .quoted = form { true } else { false } }

  /// Passes the string on if it has a control character or continues one that has; otherwise it waits for the next one.
  private mutating func put(into output: inout TextOutput) {
    guard !values.isEmpty, hasControl || goesOn else {
      if !isQuoted || values.count > Self.longestWait { clear() }
      return
    }
    for (value, place) in zip(values, places) { output.append(value, at: place) }
    strings += 1
    goesOn = true
    clear()
  }

  private mutating func clear() { (values, places, hasControl) = ([], [], false) }

  /// The most printable characters that wait for a string with a control character.
  private static let longestWait = 4096
}
