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
  /// The width of the lines that were joined to this one.
  private let width: Int?

  init(_ text: [UInt8], at start: TextPosition, width: Int? = nil) {
    (self.text, self.start, self.width) = (text, start, width)
    columns =
      text.allSatisfy { $0 < 0x80 } ? [] : text.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.utf16Count) }
    first = text.firstIndex { !$0.isWhite } ?? text.count
  }

  func position(_ index: Int) -> TextPosition {
    let units = columns.isEmpty ? index : columns[min(index, text.count)]
    let column = Int(start.column) + units
    guard let width else { return TextPosition(line: Int(start.line), column: column) }
    return TextPosition(line: Int(start.line) + (column - 1) / width, column: (column - 1) % width + 1)
  }
}

/// Splits a text into lines, wherever the chunks of input end.
struct LineSplitter: Sendable {
  var lead = LineLead()
  /// The width of lines that the next one continues; nil if none does.
  var width: Int?
  /// The lines that were joined to the current one.
  private var joined = 0
  /// The part of the current line that has been read.
  private var text: [UInt8] = []
  /// The number of the current line.
  var line = 1

  /// The maximum length of a line, in bytes.
  static let limit = 16 << 20

  /// The position of the next character to read.
  var position: TextPosition { TextLine(text, at: start, width: width).position(text.count) }
  var start: TextPosition { TextPosition(line: line, column: 1) }
  var count: Int { text.count }

  /// Buffers characters up to the end of the line. Returns whether the line has ended or is too long.
  mutating func fill(from chunk: Span<UInt8>, at index: inout Int) -> Bool {
    while true {
      let rest = index..<min(chunk.count, index + Self.limit + 1 - text.count)
      let newline = chunk.first(UInt8(ascii: "\n"), in: rest)
      let end = newline ?? rest.upperBound
      text.append(contentsOf: chunk.extracting(index..<end))
      index = end + (newline == nil ? 0 : 1)
      let isTooLong = text.count > Self.limit
      guard newline != nil, !isTooLong, let width else { return newline != nil || isTooLong }
      if text.last == UInt8(ascii: "\r") { text.removeLast() }
      guard text.count == (joined + 1) * width else { return true }
      joined += 1
    }
  }

  /// Returns the buffered line; nil if it contains no data.
  mutating func next(_ kind: LineLead.Kind, into output: inout TextOutput) -> TextLine? {
    defer {
      text.removeAll(keepingCapacity: text.count < 1 << 16)
      (line, joined) = (line + joined + 1, 0)
    }
    let body = lead.body(of: text[...], as: kind)
    if let side = lead.side { output.switchSide(to: side) }
    guard let body else { return nil }
    let end = text.lastIndex { !$0.isWhite }.map { $0 + 1 } ?? body
    guard end > body else { return nil }
    let start = TextPosition(line: line, column: text[..<body].reduce(1) { $0 + $1.utf16Count })
    return TextLine(Array(text[body..<end]), at: start, width: width)
  }
}
