import Octets

/// A strict scanner for JSON (RFC 8259, with UTF-8 as in RFC 3629). It returns one token at a time, with its offsets.
///
/// It reads bytes that the caller owns and never allocates. Foundation's parsers accept trailing commas, repeated keys
/// and byte order marks, so they cannot predict what a strict parser rejects.
public struct JSONScanner: Sendable {
  /// The maximum number of nested containers. Deeper nesting is an error.
  package static let deepest = 512

  /// The offset of the next byte to read.
  package private(set) var position: Int
  /// The number of bytes read so far that could be left out, and the offset of the first of them.
  private(set) var whiteSpace = 0
  private(set) var firstWhiteSpace: Int?
  private let start: Int
  private let end: Int
  private var expecting = Expectation.value
  private var depth: Int
  /// One bit for each open container; set if it is an object.
  private var isObject = InlineArray<8, UInt64>(repeating: 0)

  /// Creates a scanner for one JSON value.
  ///
  /// - Parameters:
  ///   - range: the range of the value, as offsets in the bytes that ``next(in:)`` gets.
  ///   - depth: the number of containers around the value.
  package init(_ range: Range<Int>, depth: Int = 0) {
    self.depth = depth
    position = range.lowerBound
    start = range.lowerBound
    end = range.upperBound
  }

  /// A token and its position.
  public struct Token: Sendable, Hashable, BitwiseCopyable {
    /// The kind of the token.
    public let kind: Kind
    /// Whether it is a key or string that contains a backslash.
    package let hasEscapes: Bool
    /// Whether it contains no byte above 0x7f. It is true for every token except keys and strings.
    package let isASCII: Bool
    /// The offset of its first byte. The quotes of a string belong to it.
    public let start: Int
    /// The offset after its last byte.
    public let end: Int
    /// The number of containers around it. Brackets are not inside their own container.
    package let depth: Int

    /// The offsets of its bytes.
    public var range: Range<Int> { start..<end }
  }

  /// The kinds of token: brackets, keys, and simple values.
  public enum Kind: UInt8, Sendable, Hashable, BitwiseCopyable {
    /// A bracket that opens or closes a container.
    case beginObject, endObject, beginArray, endArray
    /// A key, or a value that is not a container.
    case key, string, number, `true`, `false`, null

    /// The kind of value that begins with this byte; nil if none does.
    @inline(__always)
    fileprivate init?(firstByte: UInt8) {
      switch firstByte {
      case UInt8(ascii: "\""): self = .string
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): self = .number
      case UInt8(ascii: "{"): self = .beginObject
      case UInt8(ascii: "["): self = .beginArray
      case UInt8(ascii: "t"): self = .true
      case UInt8(ascii: "f"): self = .false
      case UInt8(ascii: "n"): self = .null
      default: return nil
      }
    }
  }

  /// The first violation of RFC 8259 in `range`; nil if it contains exactly one well-formed value.
  package static func firstError(in bytes: Span<UInt8>, range: Range<Int>) -> JSONError? {
    var scanner = JSONScanner(range)
    do throws(JSONError) { while try scanner.next(in: bytes) != nil {} } catch { return error }
    return nil
  }

  /// The offset after the closing bracket of the JSON object that begins at `start`. Returns nil if no object begins
  /// there or if it is not closed before `limit`.
  package static func objectEnd(at start: Int, before limit: Int, in bytes: Span<UInt8>) -> Int? {
    guard start < limit, bytes[start] == UInt8(ascii: "{") else { return nil }
    var scanner = JSONScanner(start..<limit)
    guard (try? scanner.next(in: bytes)) != nil, (try? scanner.close(to: 0, in: bytes)) != nil else { return nil }
    return scanner.position
  }

  /// Reads the value at `start`, independent of what precedes it, and returns its first token, extended to the end of
  /// the value. Returns nil if no well-formed value of this kind begins there.
  @inline(__always)
  mutating func value(of kind: Kind, at start: Int, in bytes: Span<UInt8>) -> Token? {
    guard Kind(firstByte: bytes[start]) == kind else { return nil }
    position = start
    do throws(JSONError) {
      let token = try readValue(kind, in: bytes)
      guard token.depth < depth else { return token }
      try close(to: token.depth, in: bytes)
      return self.token(kind, from: start)
    } catch { return nil }
  }

  /// Reads until only `depth` containers are open.
  @inline(__always)
  mutating func close(to depth: Int, in bytes: Span<UInt8>) throws(JSONError) {
    while self.depth > depth { _ = try next(in: bytes) }
  }

  /// Whether the innermost open container is an object.
  private var isInObject: Bool { isObject[(depth - 1) >> 6] & (1 << UInt64((depth - 1) & 63)) != 0 }

  private enum Expectation: Sendable {
    case value, firstElement, firstKey, key, colon, commaOrEnd, nothing
  }

  /// Reads the next token; nil after the end of the text's one value.
  ///
  /// - Throws: ``JSONError`` at the first violation of RFC 8259.
  public mutating func next(in bytes: Span<UInt8>) throws(JSONError) -> Token? {
    do throws(JSONError) {
      return try readToken(in: bytes)
    } catch {
      // UTF-16 and UTF-32 always fail in their first two bytes. Only these texts are checked for it.
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
        guard let kind = Kind(firstByte: byte) else {
          let isMark = depth == 0 && bytes.holds([0xef, 0xbb, 0xbf], at: position, limit: end)
          throw JSONError(isMark ? .byteOrderMark : .notAValue, at: position)
        }
        return try readValue(kind, in: bytes)
      case .key, .firstKey:
        guard byte == UInt8(ascii: "\"") else { throw JSONError(.keyNotString, at: position) }
        return try readString(.key, in: bytes)
      }
    }
  }

  @inline(__always)
  private mutating func skipWhiteSpace(in bytes: Span<UInt8>) {
    while position < end, bytes[position] <= 0x20, [0x20, 0x09, 0x0a, 0x0d].contains(bytes[position]) {
      if firstWhiteSpace == nil { firstWhiteSpace = position }
      whiteSpace += 1
      position += 1
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

  @inline(__always)
  private mutating func readValue(_ kind: Kind, in bytes: Span<UInt8>) throws(JSONError) -> Token {
    let start = position
    switch kind {
    case .string, .key: return try readString(kind, in: bytes)
    case .number: try readNumber(in: bytes)
    case .beginObject, .beginArray, .endObject, .endArray: return try open(kind)
    case .true: try readLiteral("true", in: bytes)
    case .false: try readLiteral("false", in: bytes)
    case .null: try readLiteral("null", in: bytes)
    }
    return closeValue(kind, from: start)
  }

  private mutating func open(_ kind: Kind) throws(JSONError) -> Token {
    guard depth < Self.deepest else { throw JSONError(.tooDeep, at: position) }
    let bit: UInt64 = 1 << UInt64(depth & 63)
    if kind == .beginObject { isObject[depth >> 6] |= bit } else { isObject[depth >> 6] &= ~bit }
    position += 1
    let token = token(kind, from: position - 1)
    depth += 1
    expecting = kind == .beginObject ? .firstKey : .firstElement
    return token
  }

  private mutating func close(_ kind: Kind) -> Token {
    depth -= 1
    position += 1
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

  private mutating func readLiteral(_ literal: String, in bytes: Span<UInt8>) throws(JSONError) {
    let start = position
    for byte in literal.utf8 {
      guard position < end else { throw JSONError(.unexpectedEnd, at: end) }
      guard bytes[position] == byte else { throw JSONError(.notAValue, at: start) }
      position += 1
    }
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
    var all: UInt64 = 0
    do throws(JSONError) {
      while true {
        index = bytes.firstMarked(from: index, end: end) { word in
          let found = word.bytesToEscape
          // Only the bytes before the first of them, and at the end up to seven bytes that follow.
          all |= word & ((found & (0 &- found)) &- 1)
          return found
        }
        guard index < end else { throw JSONError(.unexpectedEnd, at: end) }
        if bytes[index] == UInt8(ascii: "\"") { break }
        guard bytes[index] == UInt8(ascii: "\\") else { throw JSONError(.controlCharacter, at: index) }
        hasEscapes = true
        // Most escapes are the quotes of JSON inside a string.
        if end - index >= 2, bytes[index + 1] == UInt8(ascii: "\"") {
          index += 2
        } else {
          index = try endOfEscape(at: index, in: bytes)
        }
      }
    } catch {
      try checkUTF8((start + 1)..<error.offset, in: bytes)
      throw error
    }
    if !all.isASCII { try checkUTF8((start + 1)..<index, in: bytes) }
    position = index + 1
    expecting = kind == .key ? .colon : depth == 0 ? .nothing : .commaOrEnd
    return token(kind, from: start, hasEscapes: hasEscapes, isASCII: all.isASCII)
  }

  private func checkUTF8(_ characters: Range<Int>, in bytes: Span<UInt8>) throws(JSONError) {
    let index = bytes.endOfUTF8(characters)
    guard index < characters.upperBound else { return }
    throw JSONError(bytes.sizeOfCutCharacter(at: index, end: end) > 0 ? .cutCharacter : .notUTF8, at: index)
  }

  /// The offset after the escape, or run of escapes, at `start`.
  private func endOfEscape(at start: Int, in bytes: Span<UInt8>) throws(JSONError) -> Int {
    guard start + 1 < end else { throw JSONError(.unexpectedEnd, at: end) }
    switch bytes[start + 1] {
    case UInt8(ascii: "u"):
      // Some senders escape all text.
      var index = start
      while end - index >= 6, bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "u"),
        bytes.hexNumber(at: index + 2) != nil
      {
        index += 6
      }
      if index > start { return index }
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
  /// The encoding if the text is UTF-16 or UTF-32. It shows in a byte order mark or in the zeros of the first two
  /// characters, which are ASCII in JSON (RFC 4627, section 3). A single character is enough only if it opens a value:
  /// `7` and a zero are a number and a terminator.
  fileprivate func wideEncoding(of text: Range<Int>) -> JSONError.Code? {
    func byte(_ index: Int) -> UInt8? { index < text.count ? self[text.lowerBound + index] : nil }
    func opens(_ index: Int) -> Bool { byte(index).map("{[\"".utf8.contains) ?? false }
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
