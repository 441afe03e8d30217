import APNSPayload

extension TreeView {
  /// Writes JSON as indented lines beside their bytes. White space and separators belong to the line before them; the
  /// bytes from the first violation on are one line.
  mutating func writeJSON(_ bytes: Span<UInt8>, _ range: Range<Int>, to out: inout Output) {
    var scanner = JSONScanner(range)
    var previous: JSONScanner.Token?
    // Of the current line: its first byte, and the end of what its text shows.
    var (start, textEnd) = (range.lowerBound, range.lowerBound)
    var depth = 1
    rows.beginField(depth: depth, style: .payload)
    rows.values.add { _ in }
    do throws(JSONError) {
      while let token = try scanner.next(in: bytes) {
        if let previous, let end = bytes.lineEnd(between: previous, and: token) {
          if end > previous.end { rows.values.extend { $0.byte(UInt8(ascii: ",")) } }
          rows.write(bytes, start..<end, .payload, folds: false, to: &out)
          (start, textEnd) = (end, end)
          depth = 1 + min(token.depth, 12)
          rows.beginField(depth: depth, style: .payload)
          rows.values.add { _ in }
        }
        rows.values.extend { out in
          if previous?.kind == .key { out.write(": ") }
          out.printable(bytes, token.range)
        }
        (textEnd, previous) = (token.end, token)
      }
      rows.write(bytes, start..<range.upperBound, .payload, folds: false, to: &out)
    } catch {
      let violation = min(max(error.offset, textEnd), range.upperBound)
      if violation > start {
        rows.values.extend { $0.printable(bytes, textEnd..<violation) }
        rows.write(bytes, start..<violation, .payload, folds: false, to: &out)
      }
      if violation < range.upperBound {
        rows.beginField(depth: depth, style: .error)
        rows.values.add { $0.printable(bytes, violation..<range.upperBound) }
        rows.write(bytes, violation..<range.upperBound, .error, to: &out)
      }
    }
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
