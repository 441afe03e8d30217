import Octets

/// A JSON text as a tree in which each value has its offsets. Members keep their order; repeated keys are preserved.
public struct JSONValue: Sendable {
  /// The value itself.
  public let content: Content
  /// The offsets of the value in the text, with its brackets or quotes.
  public let range: Range<Int>

  /// The contents of a value.
  public enum Content: Sendable {
    /// The members of an object, in order.
    case object([Member])
    /// The elements of an array, in order.
    case array([JSONValue])
    /// A string as UTF-8 with escapes resolved; nil if an escape is half of a surrogate pair.
    case string([UInt8]?)
    /// A number as the text spells it.
    case number([UInt8])
    /// `true` or `false`.
    case bool(Bool)
    /// `null`.
    case null
  }

  /// A key and its value.
  public struct Member: Sendable {
    /// The key with escapes resolved. It is U+FFFD if an escape is half of a surrogate pair.
    public let key: String
    /// The offsets of the key, with its quotes.
    public let keyRange: Range<Int>
    /// The value.
    public let value: JSONValue
  }
}

extension JSONValue {
  /// Parses the bytes of `range`.
  ///
  /// - Throws: ``JSONError`` if they are not exactly one JSON value.
  package init(_ text: Span<UInt8>, range: Range<Int>) throws(JSONError) {
    var scanner = JSONScanner(range)
    guard let first = try scanner.next(in: text) else { throw JSONError(.empty, at: range.lowerBound) }
    self = try JSONValue.read(first, &scanner, text)
    _ = try scanner.next(in: text)
  }

  // The recursion is bounded, because the scanner rejects deep nesting.
  private static func read(
    _ token: JSONScanner.Token, _ scanner: inout JSONScanner, _ text: Span<UInt8>
  ) throws(JSONError) -> JSONValue {
    switch token.kind {
    case .beginObject:
      var members: [Member] = []
      while let key = try scanner.next(in: text), key.kind == .key {
        guard let first = try scanner.next(in: text) else { break }
        let name = unescape(key.range, in: text).map { String(decoding: $0, as: UTF8.self) } ?? "\u{fffd}"
        members.append(Member(key: name, keyRange: key.range, value: try read(first, &scanner, text)))
      }
      return JSONValue(content: .object(members), range: token.start..<scanner.position)
    case .beginArray:
      var values: [JSONValue] = []
      while let next = try scanner.next(in: text), next.kind != .endArray {
        values.append(try read(next, &scanner, text))
      }
      return JSONValue(content: .array(values), range: token.start..<scanner.position)
    case .string, .key: return JSONValue(content: .string(unescape(token.range, in: text)), range: token.range)
    case .number: return JSONValue(content: .number([UInt8](copying: text.extracting(token.range))), range: token.range)
    case .true, .false: return JSONValue(content: .bool(token.kind == .true), range: token.range)
    case .null, .endObject, .endArray: return JSONValue(content: .null, range: token.range)
    }
  }

  /// The characters of a well-formed string with escapes resolved; nil if an escape is half of a surrogate pair.
  /// `range` includes the quotes.
  package static func unescape(_ range: Range<Int>, in text: Span<UInt8>) -> [UInt8]? {
    var out: [UInt8] = []
    out.reserveCapacity(range.count)
    return text.resolve(range, into: &out) ? out : nil
  }

  /// Removes the white space between the tokens of `range`.
  ///
  /// - Throws: ``JSONError`` if `range` is not exactly one JSON value.
  package static func compact(_ text: Span<UInt8>, range: Range<Int>) throws(JSONError) -> [UInt8] {
    var scanner = JSONScanner(range)
    var out: [UInt8] = []
    var end = range.lowerBound
    while let token = try scanner.next(in: text) {
      // Apart from white space, only a colon or a comma can be between two tokens.
      for index in end..<token.start where text[index] > 0x20 { out.append(text[index]) }
      out.append(contentsOf: text.extracting(token.range))
      end = token.end
    }
    return out
  }
}
