import Octets

typealias TextPosition = Origin.TextPosition

/// One line of a text, without trailing white space.
struct TextLine: Sendable {
  let text: [UInt8]
  /// The position of the first character of `text`.
  let start: TextPosition
  /// Index of the first character that is not white space.
  let first: Int
  /// For text that is not ASCII, the UTF-16 code units before each byte.
  private let columns: [Int]

  init(_ text: [UInt8], at start: TextPosition) {
    self.text = text
    self.start = start
    columns =
      text.allSatisfy { $0 < 0x80 } ? [] : text.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.utf16Count) }
    first = text.firstIndex { !$0.isWhite } ?? text.count
  }

  func position(_ index: Int) -> TextPosition {
    let units = columns.isEmpty ? index : columns[min(index, text.count)]
    return TextPosition(line: Int(start.line), column: Int(start.column) + units)
  }
}

/// Splits a text into lines, wherever the chunks of input end.
struct LineSplitter: Sendable {
  var lead = LineLead()
  /// The part of the current line that has been read.
  private var text: [UInt8] = []
  private var line = 1
  private var column = 1

  /// The maximum length of a line, in bytes.
  static let limit = 16 << 20

  /// The position of the next character to read.
  var position: TextPosition { TextPosition(line: line, column: text.reduce(column) { $0 + $1.utf16Count }) }
  /// The position of the current line.
  var start: TextPosition { TextPosition(line: line, column: column) }
  var count: Int { text.count }

  /// Skips a character before the first line.
  mutating func skip(_ byte: UInt8) {
    (line, column) = byte == UInt8(ascii: "\n") ? (line + 1, 1) : (line, column + byte.utf16Count)
  }

  /// Buffers characters up to the end of the line. Returns whether the line has ended or is too long.
  mutating func fill(from chunk: Span<UInt8>, at index: inout Int) -> Bool {
    let rest = index..<min(chunk.count, index + Self.limit + 1 - text.count)
    let newline = chunk.first(UInt8(ascii: "\n"), in: rest)
    let end = newline ?? rest.upperBound
    text.append(contentsOf: chunk.extracting(index..<end))
    index = end + (newline == nil ? 0 : 1)
    return newline != nil || text.count > Self.limit
  }

  /// Returns the buffered line; nil if it contains no data.
  mutating func next(_ kind: LineLead.Kind, into output: inout TextOutput) -> TextLine? {
    defer {
      text.removeAll(keepingCapacity: text.count < 1 << 16)
      (line, column) = (line + 1, 1)
    }
    let body = lead.body(of: text[...], as: kind)
    if let side = lead.side { output.switchSide(to: side) }
    guard let body else { return nil }
    let end = text.lastIndex { !$0.isWhite }.map { $0 + 1 } ?? body
    guard end > body else { return nil }
    let start = TextPosition(line: line, column: text[..<body].reduce(column) { $0 + $1.utf16Count })
    return TextLine(Array(text[body..<end]), at: start)
  }
}
