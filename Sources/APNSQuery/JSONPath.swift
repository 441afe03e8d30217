import APNSPayload
import Octets

/// Finds the values at a path of keys and indices in a single scan, without building a tree.
enum JSONPath {
  /// A key of an object, or an element's index if the text is a decimal number.
  struct Step: Sendable {
    let text: String
    fileprivate let key: [UInt8]
    fileprivate let index: Int

    init(_ text: String) {
      self.text = text
      key = Array(text.utf8)
      let number = Int(text) ?? -1
      index = String(number) == text ? number : -1
    }
  }

  /// Calls `visit` with each value at `path` (there are several if a key is repeated) until it returns false. Returns
  /// whether it never did. In invalid JSON, the values before the first error are found.
  ///
  /// - Precondition: `path` is not empty.
  static func walk(
    _ path: [Step], in bytes: Span<UInt8>, _ range: Range<Int>, while visit: (JSONScanner.Kind, Range<Int>) -> Bool
  ) -> Bool {
    var search = Search()
    var scanner = JSONScanner(range)
    while let token = try? scanner.next(in: bytes) {
      guard let found = search.advance(token, path, bytes) else { continue }
      if !visit(found.kind, found.range) { return false }
    }
    return true
  }

  /// The state of the scan: inside the container at depth `level`, which the first `level` steps of the path lead to.
  private struct Search {
    private var level = 0
    /// The preceding key equals the next step.
    private var isKeyFound = false
    /// The index of the next element if the container is an array; nil if it is an object or no element can match.
    private var index: Int?
    /// The matching container, until its end.
    private var open: JSONScanner.Token?

    mutating func advance(
      _ token: JSONScanner.Token, _ path: [Step], _ bytes: Span<UInt8>
    ) -> (kind: JSONScanner.Kind, range: Range<Int>)? {
      switch token.kind {
      case .key:
        if token.depth == level + 1 { isKeyFound = bytes.isString(token.range, saying: path[level].key) }
      case .endObject, .endArray:
        if let start = open, token.depth == start.depth {
          open = nil
          return (start.kind, start.start..<token.end)
        }
        if token.depth == level, level > 0 {
          level -= 1
          index = nil
        }
      case .beginObject, .beginArray, .string, .number, .true, .false, .null:
        if token.depth == 0 { index = token.kind == .beginArray ? 0 : nil }
        guard token.depth == level + 1, isNext(path) else { return nil }
        let isContainer = token.kind == .beginObject || token.kind == .beginArray
        if token.depth == path.count {
          guard isContainer else { return (token.kind, token.range) }
          open = token
        } else if isContainer {
          level += 1
          index = token.kind == .beginArray ? 0 : nil
        }
      }
      return nil
    }

    /// Whether the value that begins here matches the next step.
    private mutating func isNext(_ path: [Step]) -> Bool {
      guard let element = index else {
        defer { isKeyFound = false }
        return isKeyFound
      }
      index = element + 1
      return path[level].index == element
    }
  }
}

extension Span<UInt8> {
  /// Whether the JSON string at `range`, which includes its quotes, has these bytes after resolving its escapes.
  func isString(_ range: Range<Int>, saying text: [UInt8]) -> Bool {
    let inner = (range.lowerBound + 1)..<(range.upperBound - 1)
    return first(UInt8(ascii: "\\"), in: inner) == nil
      ? holds(text, in: inner) : JSONValue.unescape(range, in: self) == text
  }
}
