import Octets

typealias TextPosition = Origin.TextPosition

/// One line of a text, or a part of a line too long to buffer, without trailing white space.
struct TextLine: Sendable {
  let text: [UInt8]
  /// The position of the first character of `text`.
  let start: TextPosition
  /// The stream that the line's bytes belong to, from the marks before it.
  let stream: ByteStream
  /// Index of the first character that is not white space; 0 in later parts of a line.
  let first: Int
  /// Whether this part begins its line.
  let isStart: Bool
  /// Whether this part ends its line.
  let isEnd: Bool
  /// For text that is not ASCII, the UTF-16 code units before each byte.
  private let columns: [Int]

  init(
    _ text: [UInt8], at start: TextPosition = TextPosition(line: 1, column: 1),
    of stream: ByteStream = ByteStream(number: 0),
    isStart: Bool = true, isEnd: Bool = true
  ) {
    self.text = text
    self.start = start
    self.stream = stream
    self.isStart = isStart
    self.isEnd = isEnd
    columns =
      text.allSatisfy { $0 < 0x80 } ? [] : text.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.utf16Count) }
    first = isStart ? text.firstIndex { !$0.isWhite } ?? text.count : 0
  }

  func position(_ index: Int) -> TextPosition {
    let units = columns.isEmpty ? index : columns[min(index, text.count)]
    return TextPosition(line: Int(start.line), column: Int(start.column) + units)
  }

  var words: [ArraySlice<UInt8>] { text.split(whereSeparator: \.isWhite) }
}

/// Splits a text into lines, wherever the chunks of input end.
struct LineSplitter: Sendable {
  var lead = LineLead(isDirected: false)
  /// The part of the current line that has been read but not returned.
  private var text: [UInt8] = []
  private var line = 1
  private var column = 1
  /// The end of the line has been read.
  private var isEnd = false
  /// A part of the line has been returned.
  private var isRest = false
  /// The current line contains no data.
  private var isDropped = false

  /// The maximum length of a part of a line, in bytes.
  static let partLimit = TextOutput.flushThreshold
  /// The maximum length of a number or an escape, in bytes.
  private static let longestWord = 4096

  /// The position of the next character to read.
  var position: TextPosition { TextPosition(line: line, column: column + units(text.count)) }
  var start: TextPosition { TextPosition(line: line, column: column) }
  var isAtStart: Bool { line == 1 && column == 1 }
  var isEmpty: Bool { text.isEmpty && !isRest }

  /// Skips a character before the first line.
  mutating func skip(_ byte: UInt8) {
    (line, column) = byte == UInt8(ascii: "\n") ? (line + 1, 1) : (line, column + byte.utf16Count)
  }

  /// The UTF-16 code units of the first `count` bytes of `text`.
  private func units(_ count: Int) -> Int { text.span.utf16Count(0..<count) }

  /// Buffers characters up to the end of the line or until there are `limit`. Returns whether either was reached.
  mutating func fill(from chunk: Span<UInt8>, at index: inout Int, limit: Int) -> Bool {
    let rest = index..<min(chunk.count, index + limit - text.count)
    let newline = chunk.first(UInt8(ascii: "\n"), in: rest)
    let end = newline ?? rest.upperBound
    text.append(contentsOf: chunk.extracting(index..<end))
    isEnd = newline != nil
    index = end + (isEnd ? 1 : 0)
    return isEnd || text.count == limit
  }

  /// Notes the end of the text, which also ends the line.
  mutating func end() { isEnd = true }

  /// Returns the buffered characters as a line or a part of one; nil if they contain no data.
  mutating func nextPart(_ kind: LineLead.Kind, into output: inout TextOutput) -> TextLine? {
    let isStart = !isRest
    let count = isEnd ? text.count : endOfWords
    var body: Int? = 0
    if isStart {
      body = lead.body(of: text[..<count], as: kind)
      isDropped = body == nil
      if let side = lead.side { output.switchSide(to: side) }
    }
    var taken = Array(text[(body ?? 0)..<count])
    if isEnd { while taken.last?.isWhite == true { taken.removeLast() } }
    let part = TextLine(
      taken, at: TextPosition(line: line, column: column + units(body ?? 0)), of: output.stream, isStart: isStart,
      isEnd: isEnd)
    (line, column) = isEnd ? (line + 1, 1) : (line, column + units(count))
    text.removeSubrange(..<count)
    isRest = !isEnd
    isEnd = false
    return isDropped || (part.isStart && part.isEnd && taken.isEmpty) ? nil : part
  }

  /// Where a part may end: before a blank or a backslash, or after a comma; otherwise after a word. It never ends
  /// inside a number, an escape, or a mark of two characters such as `*/`.
  private var endOfWords: Int {
    let candidates = ((text.count - Self.longestWord)..<text.count).reversed()
    let sure = candidates.first { index in
      text[index].isWhite || text[index - 1] == UInt8(ascii: ",")
        || (text[index] == UInt8(ascii: "\\") && text[index - 1] != UInt8(ascii: "\\"))
    }
    if let end = sure ?? candidates.first(where: { text[$0 - 1].isWordPart && !text[$0].isWordPart }) { return end }
    let backslashes = text.reversed().prefix { $0 == UInt8(ascii: "\\") }.count
    if backslashes > 0 { return text.count - backslashes % 2 }
    return text.last?.isWordPart == true ? text.count : text.count - 1
  }
}
