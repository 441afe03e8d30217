import Octets

extension TextFormat {
  package static let escapes = TextFormat(
    "escapes", "string with escapes (\\x02\\x00N)",
    layouts: { head in
      let styles: [Escapes] = [
        Escapes(style: .octal, isWide: false), Escapes(style: .nul, isWide: false),
        Escapes(style: .decimal, isWide: false), Escapes(style: .octal, isWide: true),
      ]
      var quotes = "\"'`".utf8.filter { head.text.contains($0) }.map { [$0] }
      var forms: [StringText.Form] = [.bare]
      // If there is nothing but strings, the first quote or backslash shows how they are written.
      if head.isNamed, let first = head.text.first(where: { "\"'`\\".utf8.contains($0) }) {
        quotes = quotes.filter { $0 == [first] }
        if !quotes.isEmpty { forms = [] }
      } else if quotes.count > 1 {
        quotes.append(quotes.flatMap(\.self))
      }
      for quotes in quotes { forms += [.quoted(quotes, isDoubled: false), .quoted(quotes, isDoubled: true)] }
      let words = StringText(.word, Escapes(style: .quotedPrintable, isWide: false), needsControl: !head.isNamed)
      guard head.isNamed || head.text.contains(UInt8(ascii: "\\")) else { return [words] }
      // What has other escapes in hex has no octal ones.
      let isRare = !head.holds("\\x")
      return styles.flatMap { style in
        forms.map {
          StringText($0, style, needsControl: !head.isNamed, needsFrames: style.style == .nul && isRare)
        }
      } + [words]
    })

  /// Percent escapes, as in a URL (RFC 3986).
  package static let percent = TextFormat(
    "percent", "percent escapes, as in a URL (%02%00%00N)",
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
    /// In two of one of these quotes; `isDoubled` says whether a doubled quote is a quote.
    case quoted([UInt8], isDoubled: Bool)
    /// From the first word that begins with an escape, or with letters before one, to the end of the line.
    case bare
    /// A word that contains an escape, up to a blank, a quote, `&` or `#`.
    case word
  }

  private let form: Form
  /// Whether strings without a control character are skipped, because the text only may have strings with escapes.
  private let needsControl: Bool
  let needsFrames: Bool
  private let escapes: Escapes
  var output = TextOutput()
  private var string = PlacedBytes()
  /// Whether a byte of the current string is not printable.
  private var hasControl = false
  /// Whether the current string goes on in the next line.
  private var isOpen = false
  private var opening = TextPosition(line: 1, column: 1)
  private var quote: UInt8?
  /// The blanks before the line in which it began.
  private var indent = 0
  /// Whether a string that follows directly belongs to the last one.
  private var goesOn = false
  private var strings = 0
  private var lines = 0
  /// Whether escapes of bytes are in a line of which nothing was read.
  private var hasUnreadEscapes = false

  init(_ form: Form, _ escapes: Escapes, needsControl: Bool, needsFrames: Bool = false) {
    self.form = form
    self.needsControl = needsControl
    self.needsFrames = needsFrames
    self.escapes = escapes
  }

  var leads: LineLead.Kind { isOpen ? .none : .all }
  func mayFollow(_ lead: LineLead.Words) -> Bool { true }
  var explainsLines: Bool { false }
  var needsBytes: Bool { true }
  var isPlausible: Bool { strings > 0 && !hasUnreadEscapes }
  var interpretation: TextInterpretation? {
    if escapes.style == .nul { return TextInterpretation(phrase: "a string with escapes, \\0 without further digits") }
    guard escapes.style == .percent else { return nil }
    return TextInterpretation(
      phrase: "percent escapes: \(strings) of \(plural(lines, "line"))", isAssumed: strings < lines)
  }

  mutating func decode(_ line: TextLine) throws(ReadError) {
    lines += 1
    let text = line.text
    var index = isOpen ? min(indent, line.first) : line.first
    while index < text.count, let part = try nextPart(of: line, from: index) {
      let start = line.position(isOpen ? index : part.opening)
      if !isOpen {
        noteLead(text[index..<part.opening], isEnd: true)
        opening = start
        if escapes.style == .quotedPrintable { indent = Int(line.position(line.first).column) - 1 }
      }
      index = part.body.lowerBound
      do throws(ReadError) {
        isOpen = try !readPieces(of: line, from: &index, to: part.body.upperBound)
      } catch {
        isOpen = false
        guard !isQuoted || hasControl || goesOn else {
          // Other strings of a program may have escapes of another kind.
          (string, hasControl) = (PlacedBytes(), false)
          index = part.end
          continue
        }
        put()
        if isQuoted { output.explain(opening, line.position(index)) }
        throw error
      }
      let isData = hasControl || goesOn && part.isClosed
      if !isOpen { put() }
      if isQuoted, isOpen || isData { output.explain(start, line.position(part.end)) }
      // Without data, the quote is an apostrophe.
      if !isOpen, !part.isClosed, isData { throw .openQuote(at: opening) }
      index = part.end
    }
    if case .bare = form, index == line.first, text.holds("\\x") { hasUnreadEscapes = true }
    if isQuoted, !isOpen, index < text.count { noteLead(text[index...], isEnd: false) }
  }

  mutating func finish(at position: TextPosition) throws(ReadError) {
    if isOpen {
      put()
      if isQuoted { throw .openQuote(at: opening) }
      throw .cut("inside an escape", at: position)
    }
  }

  mutating func release() { put() }

  // MARK: Where a string is

  /// A string in a line, or its part in the line.
  private struct Part {
    /// The index of the quote, or of the first character.
    let opening: Int
    let body: Range<Int>
    /// The index after the closing quote.
    let end: Int
    var isClosed = true
  }

  /// The next string at or after `index`; the rest of an open one.
  private mutating func nextPart(of line: TextLine, from index: Int) throws(ReadError) -> Part? {
    let text = line.text
    switch form {
    case .quoted(let quotes, let isDoubled):
      guard let opening = isOpen ? index : text[index...].firstIndex(where: quotes.contains) else { return nil }
      let quote = isOpen ? quote ?? text[opening] : text[opening]
      self.quote = quote
      let body = isOpen ? opening : opening + 1
      let end = Escapes.end(quote, isDoubled: isDoubled, in: text, from: body)
      let limit = end ?? text.count
      return Part(opening: opening, body: body..<limit, end: min(limit + 1, text.count), isClosed: end != nil)
    case .word: return try nextWord(of: line, from: index)
    case .bare:
      let words = text[index...].split { $0.isWhite || $0 == UInt8(ascii: "|") }
      let start = isOpen ? line.first : words.first { Self.isBare($0, in: text) }?.startIndex
      return start.map { Part(opening: $0, body: $0..<text.count, end: text.count) }
    }
  }

  /// Whether a word begins with an escape, or outside of quotes with letters and an octal one.
  private static func isBare(_ word: ArraySlice<UInt8>, in text: [UInt8]) -> Bool {
    guard let escape = word.firstIndex(of: UInt8(ascii: "\\")), escape + 1 < word.endIndex else { return false }
    let (lead, next) = (word[..<escape], word[escape + 1])
    guard lead.isEmpty else {
      let isInQuotes = text[..<escape].contains { "\"'`".utf8.contains($0) }
      return lead.allSatisfy(\.isWordPart) && next.isDecimalDigit && !isInQuotes
    }
    // Digits of Postgres are no escape.
    let isHex = next == UInt8(ascii: "x") && word[(escape + 2)...].prefix { $0.hexDigitValue != nil }.count >= 12
    return !isHex && !"\"'".utf8.contains(next)
  }

  /// The next word with percent escapes, or a line in quoted-printable.
  private func nextWord(of line: TextLine, from index: Int) throws(ReadError) -> Part? {
    let text = line.text
    let isPercent = escapes.style == .percent
    let mark = UInt8(ascii: isPercent ? "%" : "=")
    func isEscape(_ index: Int) -> Bool {
      text[index] == mark && text[(index + 1)...].prefix(2).count == 2 && text[(index + 1)...].prefix(2).isHex
    }
    guard isPercent else {
      // Each line but the last ends with its mark. A word may begin with other characters.
      let isLine = text.last == mark && text[index...].prefix { !$0.isWhite }.indices.contains(where: isEscape)
      guard isOpen || isEscape(index) || isLine else { return nil }
      return Part(opening: index, body: index..<text.count, end: text.count)
    }
    guard let escape = text[index...].indices.first(where: isEscape) else { return nil }
    let open = text[..<escape].lastIndex { $0.isWhite || "\"'`&=?<>:".utf8.contains($0) }
    let start = open.map { $0 + 1 } ?? 0
    let quote = text[..<start].last { "\"'`".utf8.contains($0) }
    let end = text[start...].prefix { !$0.isWhite && $0 != quote && !"&#\"`<>".utf8.contains($0) }.endIndex
    if let other = text[end...].indices.first(where: isEscape) {
      let reason = "this line has percent escapes in two places; paste only those of the frame"
      throw line.error(.ambiguousText, at: other, reason)
    }
    return Part(opening: start, body: start..<end, end: end)
  }

  /// Text between strings: punctuation joins them, other text names the side of the next.
  private mutating func noteLead(_ lead: ArraySlice<UInt8>, isEnd: Bool) {
    guard isQuoted else { return output.switchSide(named: lead) }
    let rest = lead.filter { !$0.isWhite && !"+.&\\".utf8.contains($0) }
    let isJoin = rest.isEmpty || isEnd && rest.count == 1 && "bL$u".utf8.contains(rest[rest.startIndex])
    guard !isJoin else { return }
    goesOn = false
    output.switchSide(named: lead)
  }

  // MARK: Pieces

  /// Reads characters and escapes up to `end`. Returns false if the string goes on in the next line.
  private mutating func readPieces(of line: TextLine, from index: inout Int, to end: Int) throws(ReadError) -> Bool {
    let (old, first) = (string.count, index)
    defer {
      let isData = string.values[old...].contains { !$0.isPrintable || !needsControl }
      // Only a program that prints bytes writes most characters as escapes.
      hasControl = hasControl || isData || string.count > old && index - first >= 3 * (string.count - old)
    }
    return try escapes.decode(line, from: &index, to: end, quote: quote, into: &string)
  }

  private var isQuoted: Bool { if case .quoted = form { true } else { false } }

  /// Passes the string on if it has a control character or continues one that has.
  private mutating func put() {
    defer { (string, hasControl) = (PlacedBytes(), false) }
    guard !string.isEmpty, hasControl || goesOn else { return }
    output.append(string)
    strings += 1
    goesOn = true
  }
}
