import APNSPayload
import Octets

// Codings that write text in another form.
extension ByteCoding {
  /// Escapes with two hexadecimal digits of all bytes but `plain` ones. Those of `accepted` need no escape either.
  private static func escapes(_ sign: String, plain: ByteSet, accepted: ByteSet, others: [String: String]) -> Self {
    codes(
      CodeBook(others: others) { byte in
        let (lower, upper) = (Array(byte.hexDigits.utf8), Array(byte.hexDigits.uppercased().utf8))
        let codes = [upper, lower, [upper[0], lower[1]], [lower[0], upper[1]]].map { sign.utf8 + $0 }
        return (plain.contains(byte) ? [[byte]] : []) + codes + (accepted.contains(byte) ? [[byte]] : [])
      })
  }

  static let percentSigns = escapes("%", plain: "0-9A-Za-z._~-", accepted: "!-$&-*,-~", others: ["+": " "])
  static let quotedPrintable = escapes("=", plain: " -<>-~", accepted: "\t\n\r", others: ["=\n": "", "=\r\n": ""])
  static let backslashEscapes = units(readEscape).written { $0.flatMap(escape) }

  /// A string literal, such as `"\x02\n"`, also of Python. It ends with its closing quote.
  static let stringLiteral = ByteCoding { cursor, limit in
    var (quote, isInBrackets): (UInt8?, Bool) = (nil, false)
    return cursor.decodeUnits(limit: limit) { cursor, bytes in
      if quote == nil {
        isInBrackets = cursor.take("Optional(") || cursor.take("bytearray(b")
        if !isInBrackets { _ = cursor.take("b") || cursor.take("u") }
        quote = cursor.next()
      }
      guard quote == 0x22 || quote == 0x27 || quote == 0x60 else { return false }
      cursor.isAtLastUnit = cursor[0] == quote
      guard cursor.isAtLastUnit else { return readEscape(&cursor, &bytes) }
      cursor.advance()
      return !isInBrackets || cursor.take(")")
    }
  }.written { bytes in
    // As Python prints bytes.
    Array("b'".utf8) + bytes.flatMap { $0 == 0x22 ? [$0] : $0 == 0x27 ? [0x5c, $0] : escape($0) } + [0x27]
  }
  private static let letters: [UInt8: UInt32] = [
    48: 0, 97: 7, 98: 8, 116: 9, 110: 10, 118: 11, 102: 12, 114: 13, 101: 27,
  ]

  @Sendable private static func escape(_ byte: UInt8) -> [UInt8] {
    if byte == 0x22 || byte == 0x5c { return [0x5c, byte] }
    return (0x20...0x7e).contains(byte) ? [byte] : Array("\\x\(byte.hexDigits)".utf8)
  }

  /// Reads a byte, or an escape: `\x41`, `\u0041`, `\U00000041`, `\101`, `\n`. Another letter means something in one
  /// language alone, and is refused; other characters mean themselves.
  @Sendable private static func readEscape(_ cursor: inout Cursor, _ bytes: inout [UInt8]) -> Bool {
    var value: UInt32?
    if !cursor.take("\\") {
      value = cursor.next().map { UInt32($0) }
    } else if cursor.take("x") {
      value = cursor.number(digits: 2)
    } else if cursor.take("u") {
      value = cursor.number(digits: 4)
    } else if cursor.take("U") {
      value = cursor.number(digits: 8) ?? cursor.number(digits: 4)
    } else {
      value =
        cursor.number(digits: 3, radix: 8)
        ?? cursor.next().flatMap { letters[$0] ?? (ByteSet.name.contains($0) ? nil : UInt32($0)) }
    }
    guard let value else { return false }
    if value > 0xff { return append(value, to: &bytes) { cursor.take("\\u") ? cursor.number(digits: 4) : nil } }
    bytes.append(UInt8(value))
    return true
  }

  /// The entities of HTML for characters up to U+00FF, by name or by number.
  static let entities: ByteCoding = {
    let names: [UInt8: String] = [0x22: "quot", 0x26: "amp", 0x27: "apos", 0x3c: "lt", 0x3e: "gt"]
    let latin = (0xa0...0xff).map { ("&#\($0);", String(latin1[$0])) }
    return codes(
      CodeBook(others: Dictionary(uniqueKeysWithValues: latin)) { byte in
        (names[byte].map { [Array("&\($0);".utf8)] } ?? [[byte]])
          + ["&#\(byte);", "&#0\(byte);", "&#x\(byte.hexDigits);"].map { Array($0.utf8) } + [[byte]]
      })
  }()

  /// Quotes doubled as in CSV or SQL. In CSV, quotes around the object are left out.
  static let doubledQuotes = codes(
    CodeBook(of: [0x22], others: ["\"{\"\"": "{\"", "}\"": "}", "}\"\"": "}\""]) { [[$0, $0], [$0]] })

  /// Bytes read as characters of a one-byte encoding and written as UTF-8.
  private static func writtenAsUTF8(_ characters: [Character]) -> ByteCoding {
    codes(CodeBook(of: 0x80...0xff) { [Array(String(characters[Int($0)]).utf8)] })
  }
  static let latin1AsUTF8 = writtenAsUTF8(latin1)
  static let windows1252AsUTF8 = writtenAsUTF8(windows1252)

  /// The undefined bytes of Windows-1252 are control characters.
  private static let windows1252: [Character] =
    latin1[..<0x80] + Array("€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}")
    + Array("\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ") + latin1[0xa0...]
  private static let latin1 = (UInt8.min...UInt8.max).map { Character(Unicode.Scalar($0)) }
  /// Latin-1 or Windows-1252 in place of UTF-8. Characters that are UTF-8 nevertheless are kept.
  static let latin1InsteadOfUTF8 = units { cursor, bytes in
    guard let byte = cursor[0] else { return false }
    let count = cursor.source.span.lengthOfCharacter(at: cursor.offset, end: cursor.end)
    if count == 0, isCut(cursor, after: bytes.last) || isBesideCharacter(cursor) || isOfAnotherAlphabet(cursor) {
      return false
    }
    guard count > 0 || byte >= 0xa0 || isSign(byte, at: cursor) else { return false }
    bytes += count > 0 ? Array(cursor.prefix(count)) : Array(String(windows1252[Int(byte)]).utf8)
    cursor.advance(max(count, 1))
    return true
  }.written { latin1AsUTF8.decode(Cursor($0, at: 0, count: .max), .max).bytes }

  /// Whether this is a quote, a dash or a euro sign of Windows-1252 where texts have it. Older encodings have letters
  /// in their place.
  private static func isSign(_ byte: UInt8, at cursor: Cursor) -> Bool {
    let before = cursor.offset > 0 && letter.contains(cursor.source[cursor.offset - 1])
    let after = cursor[1].map(letter.contains) ?? false
    return switch byte {
    case 0x91, 0x93: !before && after
    case 0x92: before
    case 0x94: before && !after
    case 0x80, 0x96, 0x97: !before && !after
    default: false
    }
  }

  private static let letter: ByteSet = "A-Za-z\u{80}-\u{ff}"

  /// Whether a text in UTF-8 was cut within this character: its string ends, and Latin-1 would have a capital there, or
  /// more than one letter of no English.
  private static func isCut(_ cursor: Cursor, after last: UInt8?) -> Bool {
    guard let lead = cursor[0], 0xc2...0xf4 ~= lead else { return false }
    var next = 1
    while let byte = cursor[next], 0x80...0xbf ~= byte { next += 1 }
    guard let following = cursor[next], following == 0x22 || following == 0x2e else { return false }
    return lead < 0xdf || lead == 0xe2 || lead == 0xf0 || next > 1 || last ?? 0 > 0x7f
  }

  /// Whether three bytes begin here that are not ASCII, and that few words in Latin-1 have one after the other: rather
  /// Cyrillic, Greek or Chinese.
  private static func isOfAnotherAlphabet(_ cursor: Cursor) -> Bool {
    let letters = cursor.prefix(3)
    return letters.count == 3 && letters.allSatisfy { $0 >= 0xc0 } && !letters.allSatisfy(frequent.contains)
  }
  /// The umlauts, and the letters of French, Spanish and Danish that people list in tests.
  private static let frequent: ByteSet = "Ä-ÆÖØÜß-áã-êìíñ-óõöø-úü"

  /// Whether a longer character in UTF-8 is beside this byte, so that the byte is rather damage.
  private static func isBesideCharacter(_ cursor: Cursor) -> Bool {
    let (text, place) = (cursor.source.span, cursor.offset)
    func isCharacter(_ range: Range<Int>) -> Bool {
      text.lengthOfCharacter(at: range.lowerBound, end: range.upperBound) == range.count
    }
    return (2...4).contains { size in
      place >= size && isCharacter(place - size..<place)
        || place + size < cursor.end && isCharacter(place + 1..<place + 1 + size)
    }
  }

  /// UTF-16 or UTF-32 instead of UTF-8, with or without a byte order mark.
  static func utf(_ width: Int, isBigEndian: Bool) -> ByteCoding {
    @Sendable func ordered(_ unit: [UInt8]) -> [UInt8] { isBigEndian ? unit : unit.reversed() }
    @Sendable func unit(_ cursor: inout Cursor) -> UInt32? {
      let unit = Array(cursor.prefix(width))
      cursor.advance(width)
      return unit.count == width ? UInt32(clamping: ordered(unit).bigEndianNumber) : nil
    }
    return units { cursor, bytes in
      guard let first = unit(&cursor) else { return false }
      return first == 0xfeff && bytes.isEmpty || append(first, to: &bytes) { unit(&cursor) }
    }.written { bytes in
      guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
      let units = width == 2 ? text.utf16.map { UInt32($0) } : text.unicodeScalars.map(\.value)
      return units.flatMap { ordered([UInt8](bigEndian: UInt64($0), width: width)) }
    }
  }

  /// UTF-8 of both halves that UTF-16 has for a character, as in Java and Oracle.
  static let cesu8 = units { cursor, bytes in
    guard let first = half(&cursor) else { return cursor.next().map { bytes.append($0) } != nil }
    return append(first, to: &bytes) { half(&cursor) }
  }.written { bytes in
    String(validating: bytes, as: UTF8.self)?.unicodeScalars.flatMap { scalar in
      scalar.value < 0x10000
        ? Array(String(scalar).utf8)
        : scalar.utf16.flatMap { [0xed, 0x80 | UInt8($0 >> 6 & 0x3f), 0x80 | UInt8($0 & 0x3f)] }
    }
  }

  /// Half of a character in three bytes.
  private static func half(_ cursor: inout Cursor) -> UInt32? {
    let bytes = Array(cursor.prefix(3))
    guard bytes.count == 3, bytes[0] == 0xed, bytes[1] >> 5 == 5, bytes[2] >> 6 == 2 else { return nil }
    cursor.advance(3)
    return 0xd000 | UInt32(bytes[1] & 0x3f) << 6 | UInt32(bytes[2] & 0x3f)
  }

  /// Appends a character as UTF-8; one of UTF-16 may have a second half. Returns false if it is not valid.
  private static func append(_ first: UInt32, to bytes: inout [UInt8], second: () -> UInt32?) -> Bool {
    var scalar = first
    if first >> 10 == 0x36 {
      guard let second = second(), second >> 10 == 0x37 else { return false }
      scalar = 0x10000 + (first & 0x3ff) << 10 + second & 0x3ff
    }
    guard let character = Unicode.Scalar(scalar) else { return false }
    bytes += String(character).utf8
    return true
  }

  /// JSON as other languages or people write it: single or curly quotes, names without quotes, symbols, `True`,
  /// `NULL`, comments, extra and missing commas, missing colons, quotes, line breaks and single backslashes in texts,
  /// numbers in hexadecimal, with zeros or a sign in front or no zero before the point, the tables of Swift, Elixir,
  /// Lua and property lists, and without the first or the last brace.
  static let relaxedJSON = ByteCoding { cursor, limit in
    var (open, first, start) = ([Bracket](), cursor, cursor.offset)
    first.skip(openings)
    let quotesNames = first[0] == 0x22 || first[0] == 0x27
    return Cursor(cursor.source, at: cursor.offset, count: limit + 64).decodeUnits(limit: limit) { cursor, bytes in
      if open.isEmpty, cursor.prefix(5).elementsEqual("\"aps\"".utf8) { (open, bytes) = ([.object], [0x7b]) }
      if cursor[0] == 0x25, cursor[1] == 0x7b { cursor.advance() }
      guard let byte = cursor[0], !open.isEmpty || byte == 0x7b || byte == 0x5b && Bracket(cursor) == .dictionary,
        readToken(byte, &cursor, &bytes, &open, quotesNames: quotesNames)
      else { return false }
      // A text that was cut ends elsewhere, or has the longest size.
      if open == [.object], byte == 0x7d, cursor[0].map({ $0 < 0x20 && !Evidence.isSpace($0) }) ?? true,
        ![255, 256, 2048].contains(cursor.offset - start), (bytes + [0x7d]).holdsKeysInTheirPlaces
      {
        bytes.append(0x7d)
        open = []
      }
      cursor.isAtLastUnit = open.isEmpty
      return true
    }
  }.written { $0.contains(0x27) || $0.contains(0x5c) ? nil : $0.map { $0 == 0x22 ? 0x27 : $0 } }
  private static let words = [
    "true": "true", "false": "false", "null": "null", "none": "null", "nil": "null", "undefined": "null",
  ]
  private static let (nameStart, nameRest): (ByteSet, ByteSet) = ("A-Za-z_$", "0-9A-Za-z_$")
  private static let (openings, beforeValue): (ByteSet, ByteSet) = ("\t-\r {[%", "{[:,")
  private static let escaped: [UInt8: String] = [
    0x22: "\\\"", 9: "\\t", 10: "\\n", 11: "\\u000b", 12: "\\f", 13: "\\r",
  ]

  /// A bracket that opens.
  private enum Bracket {
    case object, array
    /// Square brackets in place of braces.
    case dictionary
    /// A call, such as `AnyHashable("aps")`, of which only the argument is written.
    case call

    /// Nil if none is here.
    init?(_ cursor: Cursor) {
      switch cursor[0] {
      case 0x7b: self = .object
      case 0x28: self = .call
      case 0x5b:
        var ahead = cursor
        ahead.advance()
        ahead.skip(.space)
        _ = ahead.take("AnyHashable(")
        if let quote = ahead[0], quote == 0x22 || quote == 0x27 {
          repeat { ahead.advance() } while ahead[0].map { $0 != quote } ?? false
          ahead.advance()
          ahead.skip(") ")
        }
        self = ahead[0] == 0x3a ? .dictionary : .array
      default: return nil
      }
    }

    /// Which byte closes it, and what JSON writes in place of both.
    var row: (closing: UInt8, start: [UInt8], end: [UInt8]) {
      switch self {
      case .object: (0x7d, [0x7b], [0x7d])
      case .array: (0x5d, [0x5b], [0x5d])
      case .dictionary: (0x5d, [0x7b], [0x7d])
      case .call: (0x29, [], [])
      }
    }
  }

  private static func readToken(
    _ byte: UInt8, _ cursor: inout Cursor, _ bytes: inout [UInt8], _ open: inout [Bracket], quotesNames: Bool
  ) -> Bool {
    let last = bytes.last { !Evidence.isSpace($0) } ?? 0
    let followsValue = !beforeValue.contains(last)
    func needsColon() -> Bool { followsValue && open.last != .array && bytes.endWithName }
    if byte == 0x22 || byte == 0x27 {
      cursor.advance()
      if followsValue { bytes.append(needsColon() ? 0x3a : 0x2c) }
      var quotes = 0
      let isRead = readString(&cursor, &bytes) {
        guard $0[0] == byte else { return false }
        if last == 0x3a, !endsString($0, quotesNames: quotesNames) { quotes += 1 } else { return $0.next() != nil }
        return false
      }
      return isRead && quotes.isMultiple(of: 2)
    }
    if takeCurlyQuote(&cursor) { return readString(&cursor, &bytes, isClosed: takeCurlyQuote) }
    if nameStart.contains(byte) {
      var ahead = cursor
      let name = cursor.prefix(ahead.skip(nameRest))
      cursor = ahead
      // As Python marks strings.
      if [[0x75], [0x62]].contains(Array(name)), cursor[0] == 0x22 || cursor[0] == 0x27 { return true }
      ahead.skip(.space)
      let word = words[String(decoding: name, as: UTF8.self).lowercased()].map { Array($0.utf8) }
      if ahead[0] == 0x28 { return true }
      // Property lists have no quotes around words.
      let isText = ahead.take(":") || ahead.take("=") || word == nil && ahead[0] == 0x3b
      bytes += isText ? [0x22] + name + [0x22] : word ?? Array(name)
    } else if cursor.take("//") {
      while let next = cursor[0], next != 10 { cursor.advance() }
    } else if cursor.take("/*") {
      while !cursor.take("*/") { if cursor.next() == nil { return false } }
    } else if cursor.take("=>") || cursor.take("=") {
      bytes.append(0x3a)
    } else if cursor.take("\u{a0}") {
      bytes.append(0x20)
    } else if !followsValue, cursor.take("0x") {
      let digits = cursor.prefix(15).prefix { $0.hexDigitValue != nil }
      guard let number = Int(String(decoding: digits, as: UTF8.self), radix: 16) else { return false }
      cursor.advance(digits.count)
      bytes += "\(number)".utf8
    } else if let bracket = Bracket(cursor) {
      cursor.advance()
      bytes += (needsColon() ? [0x3a] : []) + bracket.row.start
      open.append(bracket)
    } else if [0x29, 0x5d, 0x7d].contains(byte) {
      cursor.advance()
      guard let bracket = open.popLast()?.row, bracket.closing == byte else { return false }
      bytes += bracket.end
    } else {
      cursor.advance()
      let isBeforeDigit = cursor[0].map(ByteSet.digits.contains) == true
      let isSymbol = byte == 0x3a && (last == 0x7b || last == 0x2c)
      let isSpare = byte == 0x2b || byte == 0x2c && last != 0x3a || byte == 0x30 && isBeforeDigit
      if isSymbol || isSpare && !followsValue { return true }
      if byte == 0x2e, isBeforeDigit, !followsValue { bytes.append(0x30) }
      let isComma = byte == 0x2c || byte == 0x3b
      var ahead = cursor
      ahead.skip(isComma ? .space : .none)
      if !isComma || ahead[0] != 0x7d && ahead[0] != 0x5d && ahead[0] != 0x2c { bytes.append(isComma ? 0x2c : byte) }
    }
    return true
  }

  /// Whether what follows this quote may follow a string, so that the quote is no part of a text.
  private static func endsString(_ cursor: Cursor, quotesNames: Bool) -> Bool {
    var ahead = cursor
    ahead.advance()
    ahead.skip(.space)
    guard let next = ahead.next() else { return true }
    ahead.skip(.space)
    let other = ahead[0] ?? 0
    // A comma may be missing before the next string, which is not empty.
    if next == cursor[0] { return !afterString.contains(other) }
    guard next == 0x2c else { return next < 0x20 || afterString.contains(next) }
    guard nameStart.contains(other) else { return beforeName.contains(other) }
    ahead.skip(nameRest)
    if ahead[0] == 0x22 || ahead[0] == 0x27 { return true }
    ahead.skip(.space)
    return !quotesNames && ahead[0].map(afterString.contains) ?? true
  }
  private static let (afterString, beforeName): (ByteSet, ByteSet) = (",;:=/}](", "\"',:/}")

  /// The rest of `\xc3\xa9`: bytes in UTF-8, or else characters, of which each is one byte.
  private static func hexEscapes(_ cursor: inout Cursor) -> [UInt8] {
    var bytes: [UInt8] = []
    cursor.advance()
    repeat {
      guard let byte = cursor.number(digits: 2) else { return Array("\\x".utf8) }
      bytes.append(UInt8(byte))
    } while cursor.take("\\x")
    let isUTF8 = bytes.allSatisfy { $0 > 0x7f } && bytes.span.isUTF8(bytes.indices)
    return isUTF8 ? bytes : bytes.flatMap { "\\u00\($0.hexDigits)".utf8 }
  }

  /// As a word processor writes quotes.
  private static func takeCurlyQuote(_ cursor: inout Cursor) -> Bool {
    cursor.take("\u{201c}") || cursor.take("\u{201d}") || cursor.take("\u{201e}") || cursor.take("«")
      || cursor.take("»")
  }

  /// Reads the rest of a string in any quotes and writes it as JSON does.
  private static func readString(
    _ cursor: inout Cursor, _ bytes: inout [UInt8], isClosed: (inout Cursor) -> Bool
  ) -> Bool {
    bytes.append(0x22)
    while !isClosed(&cursor), let byte = cursor.next() {
      if byte == 0x5c, cursor[0] == 0x78 {
        bytes += hexEscapes(&cursor)
      } else if byte == 0x5c, let next = cursor.next() {
        let isOctal = ByteSet.digits.contains(next) && cursor.prefix(2).allSatisfy { 0x30...0x37 ~= $0 }
        bytes += next == 0x27 ? [next] : ofPath.contains(next) && !isOctal ? [byte, byte, next] : [byte, next]
      } else {
        bytes += escaped[byte].map { Array($0.utf8) } ?? [byte]
      }
    }
    bytes.append(0x22)
    return cursor.offset < cursor.end
  }
  /// What means nothing after a backslash, which is one of a path then; digits, unless there are three octal ones.
  private static let ofPath: ByteSet = "0-9A-TV-Zcdg-mo-qswyz"
}

extension [UInt8] {
  /// Whether they end with a string that begins an object or follows a comma: in an object, that is a name.
  fileprivate var endWithName: Bool {
    guard let end = lastIndex(where: { !Evidence.isSpace($0) }), self[end] == 0x22 else { return false }
    let start = self[..<end].indices.last { place in
      self[place] == 0x22 && self[..<place].reversed().prefix { $0 == 0x5c }.count.isMultiple(of: 2)
    }
    return start.flatMap { self[..<$0].last { !Evidence.isSpace($0) } }.map { $0 == 0x7b || $0 == 0x2c } ?? false
  }

  /// Whether each key of `aps` and of its alert is one that belongs there: otherwise a brace may be missing before it.
  fileprivate var holdsKeysInTheirPlaces: Bool {
    var outline = PayloadOutline()
    outline.read(span, indices)
    return outline.members.allSatisfy { $0.container == .root || $0.key != nil }
  }
}
