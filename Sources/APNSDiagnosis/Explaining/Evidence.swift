import APNSPayload
import APNSWire
import Octets

/// What contents say about themselves, without any length: how improbable it is that other bytes look like this.
enum Evidence {
  /// The size of a device token in bytes.
  static let tokenSize = FrameEvidence.tokenSize

  /// Whether 32 bytes or more are as unlike each other as those of a token: 18 different values, and four from 0x80 on.
  static func isToken(_ bytes: Span<UInt8>) -> Bool {
    guard bytes.count >= tokenSize else { return false }
    var seen = InlineArray<4, UInt64>(repeating: 0)
    var high = 0
    for index in bytes.indices {
      seen[Int(bytes[index] >> 6)] |= 1 << UInt64(bytes[index] & 63)
      if bytes[index] > 127 { high += 1 }
    }
    return seen.indices.reduce(0) { $0 + seen[$1].nonzeroBitCount } >= 18 && high >= 4
  }

  /// Whether 32 bytes at `start` are there, and as unlike each other.
  static func isToken(_ bytes: [UInt8], at start: Int) -> Bool {
    isToken(bytes.span.extracting(min(start, bytes.count)...).extracting(first: tokenSize))
  }

  /// Whether the bytes are a token of later devices, which the edition of 2017 allows, and not one of 32 bytes in
  /// another writing.
  static func isLongToken(_ bytes: [UInt8]) -> Bool {
    40...100 ~= bytes.count && isToken(bytes.span) && !mayMeanAnother(token: bytes)
  }

  /// The most bytes in which the end of a payload is searched.
  static let longestPayload = 1 << 13

  /// The end of the JSON object that begins at `start`; nil if it does not close.
  static func objectEnd(_ bytes: [UInt8], _ start: Int) -> Int? {
    let limit = min(bytes.count, start + longestPayload)
    return JSONScanner.objectEnd(at: start, before: limit, in: bytes.span)
  }

  /// Whether the bytes are one JSON object, which white space may surround.
  static func isObject(_ bytes: [UInt8]) -> Bool {
    guard let start = bytes.firstIndex(where: { !isSpace($0) }),
      let end = JSONScanner.objectEnd(at: start, before: bytes.count, in: bytes.span)
    else { return false }
    return bytes[end...].allSatisfy(isSpace)
  }

  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || 9...13 ~= byte }

  /// The times that a sender means, in seconds UTC: from the start of the service to the end of 2030.
  static let dates = Catalog.serviceBegan...1_924_991_999

  /// Whether a sender means this expiry: 0, or such a time.
  static func isOrdinary(_ date: Int) -> Bool { date == 0 || dates.contains(date) }

  /// Whether no sender means this expiry, but another writing of its four bytes is a time that one means.
  static func mayMeanAnother(_ date: Int) -> Bool {
    guard !isOrdinary(date) else { return false }
    let numbers = [UInt8](bigEndian: UInt64(date), width: 4).numbers(at: 0, width: 4).compactMap(\.number)
    return numbers.contains { number in
      dates.contains(number) || DateMeaning.all.contains { dates.contains($0.seconds(number)) }
    }
  }

  /// Whether the number is also a time as a float: as a date it is of October or November 2011.
  static func isFloat(_ date: Int) -> Bool {
    let float = Float(bitPattern: UInt32(truncatingIfNeeded: date))
    return Int(exactly: float).map(dates.contains) ?? false
  }

  /// Whether a token may be encoded: with bytes that SLIP escapes, or, if it is longer than usual, as base64 decodes 64
  /// digits, after its size, twice, with padding, each byte in several, or as UTF-8.
  static func mayMeanAnother(token: [UInt8]) -> Bool {
    if zip(token, token.dropFirst()).contains(where: { $0 == 0xdb && ($1 == 0xdc || $1 == 0xdd) }) { return true }
    // A text in ASCII has a question mark in place of each byte above 7f.
    if token.count(where: { $0 == UInt8(ascii: "?") }) > token.count / 4 { return true }
    guard token.count > tokenSize else { return false }
    let isAfterSize = 33...34 ~= token.count && token[token.count - tokenSize - 1] == tokenSize
    let isPadded = token[tokenSize...].allSatisfy { $0 == 0 || isSpace($0) }
    let isTwice = token.prefix(token.count / 2) == token.suffix(token.count / 2)
    let isWidened = token.count { $0 == 0 } > token.count / 4
    return token.count == 48 || isAfterSize || isSigned(token[...]) || isTwice || isPadded || isWidened
      || token.span.isUTF8(0..<token.count)
  }

  /// Whether a zero precedes a token, as in a large number, to show that the highest bit is no sign.
  static func isSigned(_ token: ArraySlice<UInt8>) -> Bool {
    token.count == tokenSize + 1 && token.first == 0 && token[token.startIndex + 1] > 0x7f
  }

  /// Whether a tuple of the feedback service may begin within a token: a time, and the size of a token.
  static func holdsTuple(_ token: Span<UInt8>) -> Bool {
    var place = 5
    while place < token.count {
      if Int(token[place]) == tokenSize, token[place - 1] == 0, dates.contains(Int(token.uint32(at: place - 5))) {
        return true
      }
      place += 1
    }
    return false
  }

  /// Whether the priority is not 10 or 5, but may mean it: the first byte of four, the CR that was put before LF,
  /// decimal digits, or a digit.
  static func mayMeanAnother(priority: UInt8) -> Bool { [0, 0x0d, 0x10, 0x35].contains(priority) }

  /// Whether the identifier may be a smaller number in another format: with its low byte first, as a float, or as
  /// digits.
  static func mayMeanAnother(identifier: Int) -> Bool {
    guard identifier >= 1 << 24 else { return false }
    let isFloat = 0x3f...0x4b ~= identifier >> 24 && identifier & 0x7f == 0
    return identifier & 0xff == 0 || isFloat || areDigits(identifier)
  }

  /// Whether the four bytes of a number are decimal digits in ASCII, or at least this many of them.
  static func areDigits(_ number: Int, atLeast least: Int = 4) -> Bool {
    number < 1 << 32 && (0..<4).count { 0x30...0x39 ~= number >> (8 * $0) & 0xff } >= least
  }

  /// Whether an identifier follows the preceding one only if one of both is written in decimal digits, two in a byte.
  static func countsInDecimals(_ identifier: Int, after last: Int?) -> Bool {
    guard let last, identifier != last + 1 else { return false }
    let (own, before) = (decimal(identifier), decimal(last))
    return own == last + 1 || before.map { own == $0 + 1 || identifier == $0 + 1 } ?? false
  }

  /// The number whose decimal digits are the hexadecimal digits of another; nil if not all of them are decimal.
  private static func decimal(_ number: Int) -> Int? {
    var (rest, decimal, unit) = (number, 0, 1)
    while rest > 0 {
      guard rest & 15 < 10 else { return nil }
      (decimal, unit, rest) = (decimal + (rest & 15) * unit, unit * 10, rest >> 4)
    }
    return decimal
  }

  /// Whether a payload's text may be encoded: as UTF-8 once more, or in the escapes of quoted-printable.
  static func mayMeanAnother(text: ArraySlice<UInt8>) -> Bool {
    // Whether the first two bytes of a character in UTF-8 begin here in this coding.
    func isCharacter(_ index: Int, _ coding: ByteCoding) -> Bool {
      let bytes = coding.decode(Cursor(Array(text[index...].prefix(6)), at: 0, count: 6), 2).bytes
      return bytes.count == 2 && 0xc2...0xf4 ~= bytes[0] && 0x80...0xbf ~= bytes[1]
    }
    return text.indices.contains { index in
      switch text[index] {
      case 0xc3: isCharacter(index, .latin1AsUTF8) || isCharacter(index, .windows1252AsUTF8)
      case UInt8(ascii: "="): isCharacter(index, .quotedPrintable)
      default: false
      }
    }
  }

  /// The bits that a payload takes: those of its object, and of other bytes.
  static func bits(payload: [UInt8]) -> Int {
    let object = objectEnd(payload, 0) ?? 0
    return 5 * object + bits(payload[object...])
  }

  /// Whether the bytes after a payload may be padding: a few, or those with which senders fill.
  static func mayBePadding(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.count <= 8 || bytes.allSatisfy(isFill)
  }

  static func isFill(_ byte: UInt8) -> Bool { isSpace(byte) || byte == 0 || byte == 0xff }

  /// The bits that bytes take of which nothing is known: less if they are text.
  static func bits(_ bytes: some Sequence<UInt8>) -> Int { bytes.reduce(0) { $0 + (0x20...0x7e ~= $1 ? 6 : 8) } }

  /// The bits that an identifier takes after the preceding one.
  static func bits(identifier value: Int, after last: Int?) -> Int {
    let isSmall = value < 1 << 17
    guard let last, abs(value - last) <= 256 else { return isSmall ? 20 : 34 }
    // Many senders count on, and many always write the same, which is rather a small number.
    return switch value - last {
    case 1: 4
    case 0: isSmall ? 4 : 8
    default: 12
    }
  }

  /// Whether an identifier is near the preceding one, or at least small.
  static func expects(identifier value: Int, after last: Int?) -> Bool { bits(identifier: value, after: last) < 34 }

  /// The bits that an expiry takes after the preceding one: those of a time within two hours of it, of a month, or
  /// hardly fewer than those of any number.
  static func bits(expiry value: Int, after last: Int?) -> Int {
    if value == 0 { return 8 }
    if isOrdinary(value) {
      guard let last, last != 0 else { return 25 }
      return abs(value - last) < 7200 ? 12 : abs(value - last) < month ? 20 : 32
    }
    // What a sender always writes says nothing more.
    if value == last { return 4 }
    // Seconds from now instead of a time take 20.
    return 1 << 30..<2_500_000_000 ~= value ? 27 : value < 3_000_000 ? 20 : 36
  }

  /// Whether an expiry is near the preceding one.
  static func expects(expiry value: Int, after last: Int?) -> Bool {
    value == 0 || last.map { abs(value - $0) < month } ?? false
  }

  private static let month = 30 * 86400
}
