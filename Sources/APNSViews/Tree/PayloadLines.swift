import APNSPayload

/// A JSON text as indented lines that tile its bytes: each line stands for the bytes it shows, white space and
/// separators included. Behind the first violation the rest is one line, as it is.
struct PayloadLines: Sendable {
  /// Of all lines.
  private(set) var text = Output()
  private(set) var lines: [Line] = []
  /// Of the line that is being read.
  private var start = 0
  private var textStart = 0
  private var depth = 0
  /// End of the last token that is part of it.
  private var textEnd = 0

  struct Line: Sendable {
    let range: Range<Int>
    let depth: Int
    /// In the text of all lines.
    let text: Range<Int>
    var isBroken = false
  }

  /// Reads another JSON text in place of the last one.
  mutating func read(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    text.cut(to: 0)
    lines.removeAll(keepingCapacity: true)
    (start, textEnd, textStart, depth) = (range.lowerBound, range.lowerBound, 0, 0)
    var scanner = JSONScanner(range)
    do throws(JSONError) {
      var previous: JSONScanner.Token?
      while let token = try scanner.next(in: bytes) {
        add(token, after: previous, in: bytes)
        previous = token
      }
      breakLine(at: range.upperBound)
    } catch {
      fail(at: error.offset, end: range.upperBound, in: bytes)
    }
  }

  private mutating func add(_ token: JSONScanner.Token, after previous: JSONScanner.Token?, in bytes: Span<UInt8>) {
    let closes = token.kind == .endObject || token.kind == .endArray
    let isEmpty = closes && previous.map { $0.kind == .beginObject || $0.kind == .beginArray } == true
    if previous?.kind == .key {
      text.write(": ")
    } else if let previous, !isEmpty {
      let opened = previous.kind == .beginObject || previous.kind == .beginArray
      // The comma before this token closes the line before it.
      var cut = previous.end
      if !opened, !closes {
        while bytes[cut] != UInt8(ascii: ",") { cut += 1 }
        cut += 1
        text.byte(UInt8(ascii: ","))
      }
      breakLine(at: cut)
    }
    if text.count == textStart { depth = token.depth }
    text.printable(bytes, token.range)
    textEnd = token.end
  }

  private mutating func fail(at offset: Int, end: Int, in bytes: Span<UInt8>) {
    let offset = min(max(offset, textEnd), end)
    if text.count > textStart || offset > start {
      if offset > textEnd { text.printable(bytes, textEnd..<offset) }
      breakLine(at: offset)
    }
    guard offset < end else { return }
    text.printable(bytes, offset..<end)
    lines.append(Line(range: offset..<end, depth: depth, text: textStart..<text.count, isBroken: true))
  }

  private mutating func breakLine(at cut: Int) {
    lines.append(Line(range: start..<cut, depth: depth, text: textStart..<text.count))
    start = cut
    textEnd = cut
    textStart = text.count
  }
}
