import Octets

/// A JSON text taken apart, every value with its place. Members stay in order, repeated keys included.
public struct JSONValue: Sendable {
  public let content: Content
  /// In the text it was read from.
  public let range: Range<Int>

  public enum Content: Sendable {
    case object([Member])
    case array([JSONValue])
    /// Its bytes with escapes resolved; nil where an escape names half a surrogate pair.
    case string([UInt8]?)
    /// As it is spelt.
    case number([UInt8])
    case bool(Bool)
    case null
  }

  public struct Member: Sendable {
    public let key: String
    public let keyRange: Range<Int>
    public let value: JSONValue
  }

  public init(_ text: Span<UInt8>, range: Range<Int>) throws(JSONError) {
    var scanner = JSONScanner(range)
    guard let first = try scanner.next(in: text) else { throw JSONError(.empty, at: range.lowerBound) }
    self = try JSONValue.read(first, &scanner, text)
    _ = try scanner.next(in: text)
  }

  private init(_ content: Content, _ range: Range<Int>) {
    self.content = content
    self.range = range
  }

  // Recursion is bounded: the scanner refuses deep nesting.
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
      return JSONValue(.object(members), token.start..<scanner.position)
    case .beginArray:
      var values: [JSONValue] = []
      while let next = try scanner.next(in: text), next.kind != .endArray {
        values.append(try read(next, &scanner, text))
      }
      return JSONValue(.array(values), token.start..<scanner.position)
    case .string, .key: return JSONValue(.string(unescape(token.range, in: text)), token.range)
    case .number: return JSONValue(.number([UInt8](copying: text.extracting(token.range))), token.range)
    case .true, .false: return JSONValue(.bool(token.kind == .true), token.range)
    case .null, .endObject, .endArray: return JSONValue(.null, token.range)
    }
  }

  /// The characters between the quotes of a well-formed string; nil where an escape is half of a surrogate pair.
  package static func unescape(_ range: Range<Int>, in text: Span<UInt8>) -> [UInt8]? {
    var out: [UInt8] = []
    out.reserveCapacity(range.count)
    return text.resolve(range, into: &out) ? out : nil
  }

  /// `range`, well-formed JSON, without the white space between its tokens.
  public static func compact(_ text: Span<UInt8>, range: Range<Int>) throws(JSONError) -> [UInt8] {
    var scanner = JSONScanner(range)
    var out: [UInt8] = []
    var previous: JSONScanner.Kind?
    while let token = try scanner.next(in: text) {
      let closes = token.kind == .endObject || token.kind == .endArray
      if previous == .key {
        out.append(UInt8(ascii: ":"))
      } else if let previous, !closes, previous != .beginObject, previous != .beginArray {
        out.append(UInt8(ascii: ","))
      }
      out.append(contentsOf: text.extracting(token.range))
      previous = token.kind
    }
    return out
  }
}
