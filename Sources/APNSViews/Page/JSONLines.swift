import APNSPayload

/// A line of JSON as it is shown: one key, value or bracket, with the comma and the white space after it.
struct JSONLine {
  let range: Range<Int>
  /// The number of containers around it.
  let depth: Int
  /// The offset after the key that begins the line; nil if none does.
  let keyEnd: Int?
  /// Whether the line is everything from the first violation on, which may be nothing.
  let isInvalid: Bool
}

extension Span<UInt8> {
  /// Visits the lines of the JSON in `range`. They tile it.
  func forEachJSONLine(_ range: Range<Int>, _ visit: (JSONLine) -> Void) {
    var scanner = JSONScanner(range)
    var previous: JSONScanner.Token?
    var (start, end, depth) = (range.lowerBound, range.lowerBound, 0)
    var keyEnd: Int?
    func line(to end: Int, isInvalid: Bool = false) {
      guard end > start || isInvalid else { return }
      visit(JSONLine(range: start..<end, depth: depth, keyEnd: keyEnd, isInvalid: isInvalid))
      (start, keyEnd) = (end, nil)
    }
    do throws(JSONError) {
      while let token = try scanner.next(in: self) {
        if let previous, let end = lineEnd(between: previous, and: token) {
          line(to: end)
          depth = Swift.min(token.depth, 12)
        }
        if token.kind == .key { keyEnd = token.end }
        (end, previous) = (token.end, token)
      }
      line(to: range.upperBound)
    } catch {
      line(to: Swift.min(Swift.max(error.offset, end), range.upperBound))
      line(to: range.upperBound, isInvalid: true)
    }
  }
}
