import APNSPayload
import Octets

/// Finds the values at a path of keys and indices in one scan, without a tree.
enum JSONPath {
  /// A key of an object, or the index of an element where it is written as one.
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

  /// Visits each value at `path` (a repeated key gives several) until `visit` returns false; whether it never did. Where
  /// the text is not JSON, what stands before the first fault counts.
  ///
  /// - Precondition: `path` is not empty.
  static func walk(
    _ path: [Step], in bytes: Span<UInt8>, _ range: Range<Int>, while visit: (JSONScanner.Kind, Range<Int>) -> Bool
  ) -> Bool {
    var search = Search()
    var scanner = JSONScanner(range)
    while let token = try? scanner.next(in: bytes) {
      guard let found = search.take(token, path, bytes) else { continue }
      if !visit(found.kind, found.range) { return false }
    }
    return true
  }

  /// Where the scan is: within the container at depth `level`, to which the first `level` steps led.
  private struct Search {
    private var level = 0
    /// The key just before is the next step.
    private var isKeyFound = false
    /// Elements so far where the container is an array; nil in an object, and where no element can be meant any more.
    private var index: Int?
    /// The container found, until its end.
    private var open: JSONScanner.Token?

    mutating func take(
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

    /// Whether the value that begins here is the next step.
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
  /// Whether the JSON string at `range`, in its quotes, says these bytes.
  func isString(_ range: Range<Int>, saying text: [UInt8]) -> Bool {
    let inner = (range.lowerBound + 1)..<(range.upperBound - 1)
    return first(UInt8(ascii: "\\"), in: inner) == nil
      ? holds(text, in: inner) : JSONValue.unescape(range, in: self) == text
  }
}
