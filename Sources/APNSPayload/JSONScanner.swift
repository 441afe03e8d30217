/// Strict JSON (RFC 8259, UTF-8 by RFC 3629), one token at a time, with the place of each.
///
/// Pulls tokens out of bytes that the caller holds; allocates nothing. Foundation's parsers accept trailing commas,
/// duplicate keys and byte order marks, so they can't judge what a strict peer will refuse.
public struct JSONScanner: Sendable {
  /// Containers deeper than this are refused.
  public static let deepest = 512

  /// Next byte to read.
  public private(set) var position: Int
  private let end: Int
  private var expecting = Expectation.value
  private var depth = 0
  /// One bit for each open container: set where it is an object.
  private var isObject = InlineArray<8, UInt64>(repeating: 0)

  public init(_ range: Range<Int>) {
    position = range.lowerBound
    end = range.upperBound
  }

  public struct Token: Sendable, Hashable, BitwiseCopyable {
    public let kind: Kind
    /// Quotes included.
    public let start: Int
    public let end: Int
    /// Containers around it; a container's own brackets count as outside.
    public let depth: Int

    public var range: Range<Int> { start..<end }
  }

  public enum Kind: UInt8, Sendable, Hashable, BitwiseCopyable {
    case beginObject, endObject, beginArray, endArray
    case key, string, number, `true`, `false`, null
  }

  private enum Expectation: Sendable {
    case value, firstElement, firstKey, key, colon, commaOrEnd, nothing
  }

  /// The next token; nil behind the one value that a text holds.
  public mutating func next(in bytes: Span<UInt8>) throws(JSONError) -> Token? {
    while true {
      skipWhiteSpace(in: bytes)
      guard position < end else {
        if case .nothing = expecting { return nil }
        throw JSONError(depth == 0 ? .empty : .unexpectedEnd, at: end)
      }
      let byte = bytes[position]
      switch (expecting, byte) {
      case (.nothing, _):
        throw JSONError(.extraBytes, at: position)
      case (.colon, UInt8(ascii: ":")):
        position += 1
        expecting = .value
      case (.colon, _):
        throw JSONError(.missingColon, at: position)
      case (.commaOrEnd, UInt8(ascii: ",")):
        try readComma(in: bytes)
      case (.commaOrEnd, UInt8(ascii: "}")) where isInObject, (.firstKey, UInt8(ascii: "}")):
        return close(.endObject)
      case (.commaOrEnd, UInt8(ascii: "]")) where !isInObject, (.firstElement, UInt8(ascii: "]")):
        return close(.endArray)
      case (.commaOrEnd, _):
        throw JSONError(.missingComma, at: position)
      case (.firstKey, UInt8(ascii: "\"")), (.key, UInt8(ascii: "\"")):
        let start = position
        try readString(in: bytes)
        expecting = .colon
        return Token(kind: .key, start: start, end: position, depth: depth)
      case (.firstKey, _), (.key, _):
        throw JSONError(.keyNotString, at: position)
      case (.value, _), (.firstElement, _):
        return try readValue(byte, in: bytes)
      }
    }
  }

  private var isInObject: Bool {
    depth > 0 && isObject[(depth - 1) >> 6] & (1 << UInt64((depth - 1) & 63)) != 0
  }

  private mutating func skipWhiteSpace(in bytes: Span<UInt8>) {
    while position < end {
      switch bytes[position] {
      case 0x20, 0x09, 0x0a, 0x0d: position += 1
      default: return
      }
    }
  }

  private mutating func readComma(in bytes: Span<UInt8>) throws(JSONError) {
    let comma = position
    position += 1
    skipWhiteSpace(in: bytes)
    if position < end, bytes[position] == UInt8(ascii: "}") || bytes[position] == UInt8(ascii: "]") {
      throw JSONError(.trailingComma, at: comma)
    }
    expecting = isInObject ? .key : .value
  }

  private mutating func readValue(_ byte: UInt8, in bytes: Span<UInt8>) throws(JSONError) -> Token {
    let start = position
    switch byte {
    case UInt8(ascii: "{"): return try open(.beginObject)
    case UInt8(ascii: "["): return try open(.beginArray)
    case UInt8(ascii: "\""):
      try readString(in: bytes)
      return closeValue(.string, from: start)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      try readNumber(in: bytes)
      return closeValue(.number, from: start)
    case UInt8(ascii: "t"): return try readLiteral("true", .true, in: bytes)
    case UInt8(ascii: "f"): return try readLiteral("false", .false, in: bytes)
    case UInt8(ascii: "n"): return try readLiteral("null", .null, in: bytes)
    case 0xef where depth == 0 && start == position && bytes.starts(with: 0xef, 0xbb, 0xbf, at: start, end: end):
      throw JSONError(.byteOrderMark, at: start)
    default: throw JSONError(.notAValue, at: start)
    }
  }

  private mutating func open(_ kind: Kind) throws(JSONError) -> Token {
    guard depth < Self.deepest else { throw JSONError(.tooDeep, at: position) }
    let bit: UInt64 = 1 << UInt64(depth & 63)
    if kind == .beginObject { isObject[depth >> 6] |= bit } else { isObject[depth >> 6] &= ~bit }
    let token = Token(kind: kind, start: position, end: position + 1, depth: depth)
    depth += 1
    position += 1
    expecting = kind == .beginObject ? .firstKey : .firstElement
    return token
  }

  private mutating func close(_ kind: Kind) -> Token {
    depth -= 1
    position += 1
    return closeValue(kind, from: position - 1)
  }

  private mutating func closeValue(_ kind: Kind, from start: Int) -> Token {
    expecting = depth == 0 ? .nothing : .commaOrEnd
    return Token(kind: kind, start: start, end: position, depth: depth)
  }

  private mutating func readLiteral(
    _ literal: StaticString, _ kind: Kind, in bytes: Span<UInt8>
  ) throws(JSONError) -> Token {
    let start = position
    for offset in 0..<literal.utf8CodeUnitCount {
      let expected: UInt8 = unsafe literal.utf8Start[offset]  // in bounds: a literal of this file
      guard position < end else { throw JSONError(.unexpectedEnd, at: end) }
      guard bytes[position] == expected else { throw JSONError(.notAValue, at: start) }
      position += 1
    }
    return closeValue(kind, from: start)
  }

  // number = [ minus ] int [ frac ] [ exp ]
  private mutating func readNumber(in bytes: Span<UInt8>) throws(JSONError) {
    let start = position
    if bytes[position] == UInt8(ascii: "-") { position += 1 }
    let digits = position
    try readDigits(in: bytes, from: start)
    if bytes[digits] == UInt8(ascii: "0"), position > digits + 1 { throw JSONError(.badNumber, at: start) }
    if position < end, bytes[position] == UInt8(ascii: ".") {
      position += 1
      try readDigits(in: bytes, from: start)
    }
    if position < end, bytes[position] | 0x20 == UInt8(ascii: "e") {
      position += 1
      if position < end, bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-") { position += 1 }
      try readDigits(in: bytes, from: start)
    }
  }

  private mutating func readDigits(in bytes: Span<UInt8>, from start: Int) throws(JSONError) {
    let first = position
    while position < end, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position]) { position += 1 }
    guard position > first else {
      throw JSONError(position < end ? .badNumber : .unexpectedEnd, at: position < end ? start : end)
    }
  }

  private mutating func readString(in bytes: Span<UInt8>) throws(JSONError) {
    position += 1
    while position < end {
      let byte = bytes[position]
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        return
      case UInt8(ascii: "\\"):
        try readEscape(in: bytes)
      case 0..<0x20:
        throw JSONError(.controlCharacter, at: position)
      case 0x20..<0x80:
        position += 1
      default:
        let count = bytes.lengthOfCharacter(at: position, end: end)
        guard count > 0 else { throw JSONError(.notUTF8, at: position) }
        position += count
      }
    }
    throw JSONError(.unexpectedEnd, at: end)
  }

  private mutating func readEscape(in bytes: Span<UInt8>) throws(JSONError) {
    let start = position
    guard position + 1 < end else { throw JSONError(.unexpectedEnd, at: end) }
    position += 2
    switch bytes[position - 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return
    case UInt8(ascii: "u"):
      for _ in 0..<4 {
        guard position < end else { throw JSONError(.unexpectedEnd, at: end) }
        guard bytes[position].hexDigitValue != nil else { throw JSONError(.badEscape, at: start) }
        position += 1
      }
    default:
      throw JSONError(.badEscape, at: start)
    }
  }
}

extension JSONScanner {
  /// The first violation in `range`, nil where it holds one well-formed value.
  public static func firstError(in bytes: Span<UInt8>, range: Range<Int>) -> JSONError? {
    var scanner = JSONScanner(range)
    do throws(JSONError) {
      while try scanner.next(in: bytes) != nil {}
      return nil
    } catch {
      return error
    }
  }
}
