import Octets

/// Strict JSON (RFC 8259, UTF-8 by RFC 3629), one token at a time, with the place of each.
///
/// Pulls tokens out of bytes that the caller holds; allocates nothing. Foundation's parsers accept trailing commas,
/// duplicate keys and byte order marks, so they can't judge what a strict peer will refuse.
public struct JSONScanner: Sendable {
  /// Containers deeper than this are refused.
  public static let deepest = 512

  /// Next byte to read.
  public private(set) var position: Int
  private let start: Int
  private let end: Int
  private var expecting = Expectation.value
  private var depth: Int
  private var isInObject = false
  /// One bit for each open container: set where it is an object.
  private var isObject = InlineArray<8, UInt64>(repeating: 0)

  /// - Parameter depth: how many containers are around it.
  public init(_ range: Range<Int>, depth: Int = 0) {
    self.depth = depth
    position = range.lowerBound
    start = range.lowerBound
    end = range.upperBound
  }

  public struct Token: Sendable, Hashable, BitwiseCopyable {
    public let kind: Kind
    /// Of a key or string: a backslash is in it.
    public let hasEscapes: Bool
    /// Of a key or string: no byte of it is above 0x7f.
    public let isASCII: Bool
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

  /// Where the JSON object that begins at `start` is closed, by its own brackets; nil if none begins there, or if it is
  /// not closed before `limit`.
  public static func objectEnd(at start: Int, before limit: Int, in bytes: Span<UInt8>) -> Int? {
    guard start < limit, bytes[start] == UInt8(ascii: "{") else { return nil }
    var scanner = JSONScanner(start..<limit)
    return scanner.objectEnd(in: bytes)
  }

  /// Reads up to the end of the outermost object; nil if it is not closed.
  public mutating func objectEnd(in bytes: Span<UInt8>) -> Int? {
    guard (try? next(in: bytes)) != nil, (try? close(to: 0, in: bytes)) != nil else { return nil }
    return position
  }

  /// Reads the value that begins at `start`, whatever is before it, and returns its first token.
  @inline(__always)
  mutating func value(at start: Int, in bytes: Span<UInt8>) throws(JSONError) -> Token {
    position = start
    let byte = bytes[start]
    let token = byte == UInt8(ascii: "\"") ? try readString(.string, in: bytes) : try readValue(byte, in: bytes)
    try close(to: token.depth, in: bytes)
    return token
  }

  /// Reads up to where `depth` containers are open.
  @inline(__always)
  mutating func close(to depth: Int, in bytes: Span<UInt8>) throws(JSONError) {
    while self.depth > depth { _ = try next(in: bytes) }
  }

  private enum Expectation: Sendable {
    case value, firstElement, firstKey, key, colon, commaOrEnd, nothing
  }

  /// The next token; nil behind the one value that a text holds.
  public mutating func next(in bytes: Span<UInt8>) throws(JSONError) -> Token? {
    do throws(JSONError) {
      return try readToken(in: bytes)
    } catch {
      // All UTF-16 and UTF-32 fails in its first two bytes, which is why nothing is asked of texts that do not.
      guard error.offset <= start + 1, let encoding = bytes.wideEncoding(of: start..<end) else { throw error }
      throw JSONError(encoding, at: start)
    }
  }

  @inline(__always)
  private mutating func readToken(in bytes: Span<UInt8>) throws(JSONError) -> Token? {
    while true {
      skipWhiteSpace(in: bytes)
      guard position < end else {
        if case .nothing = expecting { return nil }
        throw JSONError(depth == 0 ? .empty : .unexpectedEnd, at: end)
      }
      let byte = bytes[position]
      switch expecting {
      case .colon:
        guard byte == UInt8(ascii: ":") else { throw JSONError(.missingColon, at: position) }
        position += 1
        expecting = .value
      case .commaOrEnd:
        if byte == UInt8(ascii: ",") {
          try readComma(in: bytes)
        } else if byte == (isInObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
          return close(isInObject ? .endObject : .endArray)
        } else {
          throw JSONError(.missingComma, at: position)
        }
      case .nothing:
        throw JSONError(.extraBytes, at: position)
      case .firstElement where byte == UInt8(ascii: "]"):
        return close(.endArray)
      case .firstKey where byte == UInt8(ascii: "}"):
        return close(.endObject)
      case .value, .firstElement:
        return byte == UInt8(ascii: "\"") ? try readString(.string, in: bytes) : try readValue(byte, in: bytes)
      case .key, .firstKey:
        guard byte == UInt8(ascii: "\"") else { throw JSONError(.keyNotString, at: position) }
        return try readString(.key, in: bytes)
      }
    }
  }

  @inline(__always)
  private mutating func skipWhiteSpace(in bytes: Span<UInt8>) {
    while position < end, bytes[position] <= 0x20 {
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
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      try readNumber(in: bytes)
      return closeValue(.number, from: start)
    case UInt8(ascii: "t"): return try readLiteral("true", .true, in: bytes)
    case UInt8(ascii: "f"): return try readLiteral("false", .false, in: bytes)
    case UInt8(ascii: "n"): return try readLiteral("null", .null, in: bytes)
    case 0xef where depth == 0 && end - start >= 3 && bytes[start + 1] == 0xbb && bytes[start + 2] == 0xbf:
      throw JSONError(.byteOrderMark, at: start)
    default: throw JSONError(.notAValue, at: start)
    }
  }

  private mutating func open(_ kind: Kind) throws(JSONError) -> Token {
    guard depth < Self.deepest else { throw JSONError(.tooDeep, at: position) }
    isInObject = kind == .beginObject
    let bit: UInt64 = 1 << UInt64(depth & 63)
    if isInObject { isObject[depth >> 6] |= bit } else { isObject[depth >> 6] &= ~bit }
    position += 1
    let token = token(kind, from: position - 1)
    depth += 1
    expecting = isInObject ? .firstKey : .firstElement
    return token
  }

  private mutating func close(_ kind: Kind) -> Token {
    depth -= 1
    position += 1
    isInObject = depth > 0 && isObject[(depth - 1) >> 6] & (1 << UInt64((depth - 1) & 63)) != 0
    return closeValue(kind, from: position - 1)
  }

  @inline(__always)
  private mutating func closeValue(_ kind: Kind, from start: Int) -> Token {
    expecting = depth == 0 ? .nothing : .commaOrEnd
    return token(kind, from: start)
  }

  @inline(__always)
  private func token(_ kind: Kind, from start: Int, hasEscapes: Bool = false, isASCII: Bool = true) -> Token {
    Token(kind: kind, hasEscapes: hasEscapes, isASCII: isASCII, start: start, end: position, depth: depth)
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

  private mutating func readString(_ kind: Kind, in bytes: Span<UInt8>) throws(JSONError) -> Token {
    let start = position
    var index = start + 1
    var hasEscapes = false
    var isASCII = true
    while true {
      index = bytes.endOfUnescapedText(from: index, end: end)
      guard index < end else { throw JSONError(.unexpectedEnd, at: end) }
      switch bytes[index] {
      case UInt8(ascii: "\""):
        position = index + 1
        expecting = kind == .key ? .colon : depth == 0 ? .nothing : .commaOrEnd
        return token(kind, from: start, hasEscapes: hasEscapes, isASCII: isASCII)
      case UInt8(ascii: "\\"):
        hasEscapes = true
        // Most are the quotes of JSON within a string.
        if end - index >= 2, bytes[index + 1] == UInt8(ascii: "\"") {
          index += 2
        } else {
          index = try endOfEscape(at: index, in: bytes)
        }
      case 0..<0x20:
        throw JSONError(.controlCharacter, at: index)
      default:
        isASCII = false
        index = bytes.endOfLongCharacters(from: index, end: end)
        guard index == end || bytes[index] < 0x80 else {
          throw JSONError(bytes.sizeOfCutCharacter(at: index, end: end) > 0 ? .cutCharacter : .notUTF8, at: index)
        }
      }
    }
  }

  /// Behind the escapes, each of four digits, that follow one another from `start` on: some senders write all text so.
  private func endOfUnicodeEscapes(from start: Int, in bytes: Span<UInt8>) -> Int {
    var index = start
    while end - index >= 6, bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "u"),
      bytes.isHexNumber(at: index + 2)
    {
      index += 6
    }
    return index
  }

  /// Behind the escape at `start`, or several of them.
  private func endOfEscape(at start: Int, in bytes: Span<UInt8>) throws(JSONError) -> Int {
    guard start + 1 < end else { throw JSONError(.unexpectedEnd, at: end) }
    switch bytes[start + 1] {
    case UInt8(ascii: "u"):
      if end - start >= 6, bytes.isHexNumber(at: start + 2) { return endOfUnicodeEscapes(from: start + 6, in: bytes) }
      for digit in (start + 2)..<min(start + 6, end) where bytes[digit].hexDigitValue == nil {
        throw JSONError(.badEscape, at: start)
      }
      throw JSONError(.unexpectedEnd, at: end)
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return start + 2
    default:
      throw JSONError(.badEscape, at: start)
    }
  }
}

extension Span<UInt8> {
  /// UTF-16 and UTF-32, which show at the zeros in the first two characters of JSON, which are ASCII (RFC 4627, section 3),
  /// or at a byte order mark. A single character tells only if it opens a value: `7` and a zero are a number and a
  /// terminator.
  fileprivate func wideEncoding(of text: Range<Int>) -> JSONError.Code? {
    func byte(_ index: Int) -> UInt8? { index < text.count ? self[text.lowerBound + index] : nil }
    func opens(_ index: Int) -> Bool {
      byte(index) == UInt8(ascii: "{") || byte(index) == UInt8(ascii: "[") || byte(index) == UInt8(ascii: "\"")
    }
    switch (byte(0), byte(1), byte(2), byte(3)) {
    case (0xff, 0xfe, 0, 0): return .utf32LittleEndian
    case (0, 0, 0xfe, 0xff): return .utf32BigEndian
    case (0xff, 0xfe, _, _): return .utf16LittleEndian
    case (0xfe, 0xff, _, _): return .utf16BigEndian
    case (_?, 0, 0, 0) where opens(0): return .utf32LittleEndian
    case (0, 0, 0, _?) where opens(3): return .utf32BigEndian
    case (let first?, 0, let second?, 0) where first != 0 && second != 0: return .utf16LittleEndian
    case (0, let first?, 0, let second?) where first != 0 && second != 0: return .utf16BigEndian
    case (_?, 0, nil, nil) where opens(0): return .utf16LittleEndian
    case (0, _?, nil, nil) where opens(1): return .utf16BigEndian
    default: return nil
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
