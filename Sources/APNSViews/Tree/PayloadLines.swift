import APNSPayload

/// A JSON text as indented lines that tile its bytes, one after the other: each line stands for the bytes it shows, white
/// space and separators included. Behind the first violation the rest is one line, as it is.
struct PayloadLines: Sendable {
  private var scanner: JSONScanner
  private let end: Int
  /// Of the line that is read.
  private var start: Int
  private var depth = 0
  private var isEmpty = true
  /// End of the last token that is part of it.
  private var textEnd: Int
  /// The first token of the next line.
  private var next: JSONScanner.Token?
  private var previous: JSONScanner.Token?
  /// The scanner's last word.
  private var rest: Rest?

  private enum Rest {
    case nothing
    /// What stands from there on is broken.
    case broken(Int)
  }

  struct Line: Sendable {
    let range: Range<Int>
    var isBroken = false
  }

  init(_ range: Range<Int>) {
    scanner = JSONScanner(range)
    (start, end, textEnd) = (range.lowerBound, range.upperBound, range.lowerBound)
  }

  /// The next line, its text in `words`; nil behind the last one.
  mutating func read(_ bytes: Span<UInt8>, to words: inout WordText) -> Line? {
    if let rest { return broken(rest, bytes, to: &words) }
    isEmpty = true
    do throws(JSONError) {
      if let token = next { add(token, bytes, to: &words) }
      while let token = try scanner.next(in: bytes) {
        if let cut = cut(before: token, in: bytes) {
          if cut.comma { words.extend { $0.byte(UInt8(ascii: ",")) } }
          next = token
          return line(to: cut.place)
        }
        if previous?.kind == .key { words.extend { $0.write(": ") } }
        add(token, bytes, to: &words)
      }
      rest = .nothing
      return line(to: end)
    } catch {
      return fail(at: error.offset, bytes, to: &words)
    }
  }

  @inline(__always)
  private mutating func add(_ token: JSONScanner.Token, _ bytes: Span<UInt8>, to words: inout WordText) {
    if isEmpty {
      depth = token.depth
      begin(&words)
    }
    words.extend { $0.printable(bytes, token.range) }
    textEnd = token.end
    previous = token
  }

  private mutating func begin(_ words: inout WordText, _ style: Palette.Style = .payload) {
    words.begin(depth: 1 + min(depth, 12), style: style)
    words.add { _ in }
    isEmpty = false
  }

  /// Where the line ends, if `token` begins another one: behind the comma that stands between them.
  @inline(__always)
  private func cut(before token: JSONScanner.Token, in bytes: Span<UInt8>) -> (place: Int, comma: Bool)? {
    guard let previous, previous.kind != .key else { return nil }
    let closes = token.kind == .endObject || token.kind == .endArray
    let opened = previous.kind == .beginObject || previous.kind == .beginArray
    if opened || closes { return opened && closes ? nil : (previous.end, false) }
    var cut = previous.end
    while bytes[cut] != UInt8(ascii: ",") { cut += 1 }
    return (cut + 1, true)
  }

  private mutating func line(to place: Int) -> Line {
    defer { (start, textEnd) = (place, place) }
    return Line(range: start..<place)
  }

  private mutating func fail(at offset: Int, _ bytes: Span<UInt8>, to words: inout WordText) -> Line? {
    let offset = min(max(offset, textEnd), end)
    rest = .broken(offset)
    guard !isEmpty || offset > start else { return broken(.broken(offset), bytes, to: &words) }
    if isEmpty { begin(&words) }
    if offset > textEnd { words.extend { $0.printable(bytes, textEnd..<offset) } }
    return line(to: offset)
  }

  private mutating func broken(_ rest: Rest, _ bytes: Span<UInt8>, to words: inout WordText) -> Line? {
    guard case .broken(let offset) = rest, offset < end else { return nil }
    begin(&words, .error)
    words.extend { $0.printable(bytes, offset..<end) }
    self.rest = .nothing
    return Line(range: offset..<end, isBroken: true)
  }
}
