import APNSPayload

extension TreeView {
  /// Writes JSON as indented lines beside their bytes. White space and separators belong to the line before them; the
  /// bytes from the first violation on are one line.
  mutating func writeJSON(_ bytes: Span<UInt8>, _ range: Range<Int>, to out: inout Output) {
    var scanner = JSONScanner(range)
    var previous: JSONScanner.Token?
    // Of the current line: its first byte, and the end of what its text shows.
    var (start, textEnd) = (range.lowerBound, range.lowerBound)
    var end = range.upperBound
    beginLine(depth: 0)
    do throws(JSONError) {
      while let token = try scanner.next(in: bytes) {
        if let previous, let lineEnd = bytes.lineEnd(between: previous, and: token) {
          if lineEnd > previous.end { rows.values.extend { $0.byte(UInt8(ascii: ",")) } }
          rows.write(bytes, start..<lineEnd, .payload, folds: false, to: &out)
          (start, textEnd) = (lineEnd, lineEnd)
          beginLine(depth: token.depth)
        }
        rows.values.extend { out in
          if previous?.kind == .key { out.write(": ") }
          out.printable(bytes, token.range)
        }
        (textEnd, previous) = (token.end, token)
      }
    } catch {
      end = min(max(error.offset, textEnd), range.upperBound)
      rows.values.extend { $0.printable(bytes, textEnd..<end) }
    }
    if end > start { rows.write(bytes, start..<end, .payload, folds: false, to: &out) }
    guard end < range.upperBound else { return }
    rows.beginField(depth: rows.depth, style: .error)
    rows.values.add { $0.printable(bytes, end..<range.upperBound) }
    rows.write(bytes, end..<range.upperBound, .error, to: &out)
  }

  private mutating func beginLine(depth: Int) {
    rows.beginField(depth: 1 + min(depth, 12), style: .payload)
    rows.values.add { _ in }
  }
}

extension Span<UInt8> {
  /// The end of a line that `next` does not belong to: after a bracket, or after the comma that follows `token`. Nil if
  /// both are on one line.
  func lineEnd(between token: JSONScanner.Token, and next: JSONScanner.Token) -> Int? {
    let opens = token.kind == .beginObject || token.kind == .beginArray
    let closes = next.kind == .endObject || next.kind == .endArray
    if token.kind == .key || (opens && closes) { return nil }
    if opens || closes { return token.end }
    var comma = token.end
    while self[comma] != UInt8(ascii: ",") { comma += 1 }
    return comma + 1
  }
}
