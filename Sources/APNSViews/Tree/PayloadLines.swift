import APNSPayload

/// A JSON text as indented lines that tile its bytes: each line stands for the bytes it shows, white space and
/// separators included. Behind the first violation the rest is one line, as it is.
enum PayloadLines {
  struct Line {
    let range: Range<Int>
    let depth: Int
    let text: String
    var isBroken = false
  }

  static func of(_ bytes: Span<UInt8>, _ range: Range<Int>) -> [Line] {
    var lines = Lines(bytes: range)
    var scanner = JSONScanner(range)
    do throws(JSONError) {
      var previous: JSONScanner.Token?
      while let token = try scanner.next(in: bytes) {
        lines.add(token, after: previous, in: bytes)
        previous = token
      }
      lines.finish(in: bytes)
    } catch {
      lines.fail(at: error.offset, in: bytes)
    }
    return lines.done
  }

  private struct Lines {
    private(set) var done: [Line] = []
    private var start: Int
    private let end: Int
    private var text = ""
    private var depth = 0
    /// End of the last token that is part of `text`.
    private var textEnd: Int

    init(bytes range: Range<Int>) {
      start = range.lowerBound
      textEnd = range.lowerBound
      end = range.upperBound
    }

    mutating func add(_ token: JSONScanner.Token, after previous: JSONScanner.Token?, in bytes: Span<UInt8>) {
      let closes = token.kind == .endObject || token.kind == .endArray
      let isEmpty = closes && previous.map { $0.kind == .beginObject || $0.kind == .beginArray } == true
      if previous?.kind == .key {
        text += ": "
      } else if let previous, !isEmpty {
        let opened = previous.kind == .beginObject || previous.kind == .beginArray
        // The comma before this token closes the line before it.
        var cut = previous.end
        if !opened, !closes {
          while bytes[cut] != UInt8(ascii: ",") { cut += 1 }
          cut += 1
          text += ","
        }
        breakLine(at: cut)
      }
      if text.isEmpty { depth = token.depth }
      text += printable(bytes, token.range)
      textEnd = token.end
    }

    mutating func finish(in bytes: Span<UInt8>) {
      breakLine(at: end)
    }

    mutating func fail(at offset: Int, in bytes: Span<UInt8>) {
      let offset = min(max(offset, textEnd), end)
      if !text.isEmpty || offset > start {
        if offset > textEnd { text += printable(bytes, textEnd..<offset) }
        breakLine(at: offset)
      }
      guard offset < end else { return }
      done.append(Line(range: offset..<end, depth: depth, text: printable(bytes, offset..<end), isBroken: true))
    }

    private mutating func breakLine(at cut: Int) {
      done.append(Line(range: start..<cut, depth: depth, text: text))
      start = cut
      textEnd = cut
      text = ""
    }
  }
}
