import Octets

/// A path of keys and indices into JSON, as in `payload.aps.badge`. It leads to every value of a repeated key.
package struct JSONPath: Sendable {
  /// A key of an object, or the index of an element if the text is a decimal number.
  private var steps: [(key: [UInt8], index: Int?)]

  package init(_ steps: some Sequence<String>) {
    self.steps = steps.map { text in (Array(text.utf8), Int(text).flatMap { String($0) == text ? $0 : nil }) }
  }

  /// Calls `visit` with the kind and range of each value at the path until it returns false. Returns whether it never
  /// did. In invalid JSON, the values before the first error are found.
  @discardableResult
  package func walk(
    _ bytes: Span<UInt8>, _ range: Range<Int>, while visit: (JSONScanner.Kind, Range<Int>) -> Bool
  ) -> Bool {
    var scanner = JSONScanner(range)
    do throws(JSONError) {
      guard let root = try scanner.next(in: bytes) else { return true }
      return try walk(root, &scanner, bytes, visit)
    } catch { return true }
  }

  /// Visits the values inside `value`, which as many steps lead to as there are containers around it. The recursion is
  /// bounded, because the scanner rejects deep nesting.
  private func walk(
    _ value: JSONScanner.Token, _ scanner: inout JSONScanner, _ bytes: Span<UInt8>,
    _ visit: (JSONScanner.Kind, Range<Int>) -> Bool
  ) throws(JSONError) -> Bool {
    guard value.depth < steps.count else {
      try scanner.close(to: value.depth, in: bytes)
      return visit(value.kind, value.start..<scanner.position)
    }
    var index = 0
    while value.kind == .beginObject || value.kind == .beginArray, var next = try scanner.next(in: bytes),
      next.depth > value.depth
    {
      var isMatch = index == steps[value.depth].index
      index += 1
      if next.kind == .key {
        isMatch = bytes.hasString(at: next.range) { $0.holds(steps[value.depth].key, in: $1) }
        guard let member = try scanner.next(in: bytes) else { break }
        next = member
      }
      if isMatch {
        guard try walk(next, &scanner, bytes, visit) else { return false }
      } else {
        try scanner.close(to: next.depth, in: bytes)
      }
    }
    return true
  }

  /// Replaces each value at the path with `value`, which must be JSON. If only the last key is missing, it is added at
  /// the end of its object. All other bytes stay unchanged.
  ///
  /// - Returns: The changed text; nil if the path leads nowhere.
  /// - Throws: ``JSONError`` if `text` is not one JSON value.
  package func setting(_ value: [UInt8], in text: [UInt8]) throws(JSONError) -> [UInt8]? {
    if let error = JSONScanner.firstError(in: text.span, range: text.indices) { throw error }
    var edits: [(range: Range<Int>, bytes: [UInt8])] = []
    walk(text.span, text.indices) { _, range in
      edits.append((range, value))
      return true
    }
    if edits.isEmpty, let key = steps.last?.key {
      var parent = self
      parent.steps.removeLast()
      parent.walk(text.span, text.indices) { kind, range in
        guard kind == .beginObject else { return true }
        let (start, end) = (range.lowerBound + 1, range.upperBound - 1)
        let comma: [UInt8] = text[start..<end].allSatisfy { $0 <= 0x20 } ? [] : [UInt8(ascii: ",")]
        edits.append((end..<end, comma + Self.quoted(key) + [UInt8(ascii: ":")] + value))
        return true
      }
    }
    let edited = edits.reversed().reduce(into: text) { $0.replaceSubrange($1.range, with: $1.bytes) }
    return edits.isEmpty ? nil : edited
  }

  /// The text as a JSON string, quotes included.
  package static func quoted(_ text: [UInt8]) -> [UInt8] {
    let escaped = text.flatMap { byte -> [UInt8] in
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): [UInt8(ascii: "\\"), byte]
      case 0..<0x20: Array("\\u00\(byte.hexDigits)".utf8)
      default: [byte]
      }
    }
    return [UInt8(ascii: "\"")] + escaped + [UInt8(ascii: "\"")]
  }
}

extension Span<UInt8> {
  /// Calls `holds` with the characters of the JSON string at `range`, which includes its quotes. Only strings with
  /// escapes are copied.
  package func hasString(at range: Range<Int>, where holds: (Span<UInt8>, Range<Int>) -> Bool) -> Bool {
    let inner = (range.lowerBound + 1)..<(range.upperBound - 1)
    guard first(UInt8(ascii: "\\"), in: inner) != nil else { return holds(self, inner) }
    guard let text = JSONValue.unescape(range, in: self) else { return false }
    return holds(text.span, text.indices)
  }
}
