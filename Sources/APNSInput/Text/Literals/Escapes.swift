/// How a string writes bytes that are not printable.
struct Escapes: Sendable {
  enum Style {
    /// `\x08`, `\10` (octal), `\u0008`, `\u{8}`, `\n`.
    case octal
    /// The same with `\0` without further digits, as Rust and dtruss write it.
    case nul
    /// The same with `\008` as a decimal number, as in Lua, OCaml and Haskell, which also has `\SOH` and `\&`.
    case decimal
    /// `%08`, as in a URL.
    case percent
    /// `=08`, as in mail.
    case quotedPrintable
  }

  let style: Style
  /// Whether a character above U+007F means its UTF-8, and not one byte.
  let isWide: Bool

  /// A decoded character: its bytes, the index of its first digit or of the character, and the index after it.
  private typealias Piece = (bytes: [UInt8], place: Int, end: Int)

  /// Decodes the character or escape at `start`. Nil if a backslash ends the line.
  private func piece(_ line: TextLine, at start: Int, end: Int) throws(ReadError) -> Piece? {
    let text = line.text
    let byte = text[start]
    switch (style, byte) {
    case (.percent, UInt8(ascii: "%")), (.quotedPrintable, UInt8(ascii: "=")):
      if style == .quotedPrintable, start + 1 == end { return nil }
      let digits = text[(start + 1)..<min(start + 3, end)]
      guard digits.count == 2, let value = digits.number() else {
        throw line.notHex(at: start, "does not begin an escape; write %25 for a percent sign")
      }
      return ([UInt8(value)], start, start + 3)
    case (.percent, UInt8(ascii: "+")):
      throw line.error(.ambiguousText, at: start, "a plus may be a blank or itself; write %20 or %2B")
    case (.octal, UInt8(ascii: "\\")), (.nul, UInt8(ascii: "\\")), (.decimal, UInt8(ascii: "\\")):
      return try backslash(line, at: start, end: end)
    default:
      guard byte.isPrintable || byte == UInt8(ascii: "\t") else {
        throw line.notHex(at: start, Self.explanation)
      }
      return ([byte], start, start + 1)
    }
  }

  /// Decodes the characters and escapes from `index` to `end`. Returns false if a backslash ends the line, so that the
  /// string goes on in the next one.
  /// - Parameter quote: The quote that is a quote if it is doubled.
  func decode(
    _ line: TextLine, from index: inout Int, to end: Int, quote: UInt8? = nil, into bytes: inout PlacedBytes
  ) throws(ReadError) -> Bool {
    while index < end {
      let byte = line.text[index]
      let piece = try byte == quote ? ([byte], index, index + 2) : self.piece(line, at: index, end: end)
      guard let piece else { return false }
      for byte in piece.bytes { bytes.append(byte, at: line.position(piece.place)) }
      index = piece.end
    }
    return true
  }

  /// The index of the quote that closes a string whose characters begin at `start`.
  /// - Parameter isDoubled: Whether two quotes are one in the string.
  static func end(_ quote: UInt8, isDoubled: Bool = false, in text: [UInt8], from start: Int) -> Int? {
    var index = start
    while index < text.count {
      if text[index] == quote {
        guard isDoubled, index + 1 < text.count, text[index + 1] == quote else { return index }
        index += 1
      }
      index += text[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return nil
  }

  private func backslash(_ line: TextLine, at start: Int, end: Int) throws(ReadError) -> Piece? {
    guard start + 1 < end else { return nil }
    let text = line.text
    let letter = text[start + 1]
    let rest = text[(start + 1)..<end]
    if letter == UInt8(ascii: "x") || letter == UInt8(ascii: "u") { return try hex(line, at: start, end: end) }
    if style == .decimal {
      if let (name, value) = Self.names.first(where: { rest.starts(with: $0.name) }) {
        return ([value], start + 1, start + 1 + name.count)
      }
      if letter == UInt8(ascii: "&") { return ([], start + 1, start + 2) }
    }
    if letter.isDecimalDigit, style == .decimal || letter < UInt8(ascii: "8") {
      let longest = style == .nul && letter == UInt8(ascii: "0") ? 1 : 3
      let digits = rest.prefix(longest).prefix { $0.isDecimalDigit && (style == .decimal || $0 < UInt8(ascii: "8")) }
      guard let value = digits.number(radix: style == .decimal ? 10 : 8), value <= 0xff else {
        throw line.notHex(at: digits.endIndex - 1, "makes this escape larger than a byte")
      }
      return ([UInt8(value)], start + 1, digits.endIndex)
    }
    if letter == UInt8(ascii: "e") { return ([0x1b], start + 1, start + 2) }
    guard let value = Self.letters[letter] ?? (letter.isPrintable && !letter.isWordPart ? letter : nil) else {
      throw line.notHex(at: start + 1, Self.explanation)
    }
    return ([value], start + 1, start + 2)
  }

  /// Decodes `\x08` or `\u0008`; in braces (Perl, Swift, Rust, JavaScript) with any number of digits.
  private func hex(_ line: TextLine, at start: Int, end: Int) throws(ReadError) -> Piece {
    let text = line.text
    let isByte = text[start + 1] == UInt8(ascii: "x")
    let isBraced = start + 2 < end && text[start + 2] == UInt8(ascii: "{")
    let count = isByte ? 2 : 4
    let first = start + (isBraced ? 3 : 2)
    let digits = text[first..<(isBraced ? end : min(first + count, end))].prefix { $0.hexDigitValue != nil }
    let next = digits.endIndex
    let isComplete = isBraced ? next < end && text[next] == UInt8(ascii: "}") : digits.count == count
    if isComplete, let value = digits.number(), !isByte || value <= 0xff {
      let place = isByte || isBraced ? first : start + 1
      let bytes = isByte ? [UInt8(value)] : try bytes(of: value, line, place)
      return (bytes, place, isBraced ? next + 1 : next)
    }
    if isByte, !isBraced, digits.count == 1 { throw .oddDigits(at: line.position(first)) }
    guard next < text.count else { throw .cut("inside an escape", at: line.position(next)) }
    throw line.notHex(at: next, "ends an escape that needs \(count) hex digits, or braces")
  }

  /// The bytes of the character with this number.
  private func bytes(of value: Int, _ line: TextLine, _ index: Int) throws(ReadError) -> [UInt8] {
    if !isWide, let byte = UInt8(exactly: value) { return [byte] }
    guard let scalar = UInt32(exactly: value).flatMap(Unicode.Scalar.init) else {
      let reason = "above \\u007f this may be a byte or UTF-8; print the bytes as \\x and two digits"
      throw line.error(.notHex, at: index, reason)
    }
    return Array(String(Character(scalar)).utf8)
  }

  /// What a letter or a zero after a backslash means, as od writes it.
  static let letters = [UInt8: UInt8](uniqueKeysWithValues: zip("0abtnvfr".utf8, [0] + Array(7...13)))
  /// The names of control characters in Haskell; SOH before SO, which begins it.
  private static let names: [(name: [UInt8], value: UInt8)] = {
    let all =
      "NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS "
      + "US SP"
    let names = all.split(separator: " ").enumerated().map { (name: Array($1.utf8), value: UInt8($0)) }
    return (names + [(name: Array("DEL".utf8), value: 127)]).sorted { $0.name.count > $1.name.count }
  }()
  private static let explanation = "is not allowed in a string with escapes; write it as \\x and two hex digits"
}
