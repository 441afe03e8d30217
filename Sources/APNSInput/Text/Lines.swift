typealias TextPosition = Origin.TextPosition

/// One line of a text, or a part of one that is too long to hold, without white space at its end.
struct TextLine: Sendable {
  let text: [UInt8]
  /// Where `text` begins.
  let start: TextPosition
  /// Whose bytes it holds, as far as marks before it tell.
  let stream: ByteStream
  /// Index of the first character that is no white space; 0 in a later part of a line.
  let first: Int
  /// The line begins with this part.
  let isStart: Bool
  /// The line ends with this part.
  let isEnd: Bool

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
    first = isStart ? text.firstIndex { !$0.isWhite } ?? text.count : 0
  }

  func position(_ index: Int) -> TextPosition {
    TextPosition(line: Int(start.line), column: Int(start.column) + index)
  }

  var words: [ArraySlice<UInt8>] { text.split(whereSeparator: \.isWhite) }
}

/// Cuts a text into lines, in whatever chunks it comes.
struct LineCutter: Sendable {
  var lead = LineLead(isDirected: false)
  /// Of the line that is read now, as far as it has come and was not taken.
  private var text: [UInt8] = []
  private var line = 1
  private var column = 1
  /// The line's end has come.
  private var isEnd = false
  /// A part of the line has been taken.
  private var isRest = false
  /// What the line holds is no data.
  private var isDropped = false

  /// The most bytes in a part of a line.
  static let partCount = TextOutput.dueCount
  /// A number or an escape is never longer.
  private static let longestWord = 4096

  /// Where the text goes on.
  var position: TextPosition { TextPosition(line: line, column: column + text.count) }
  var start: TextPosition { TextPosition(line: line, column: column) }
  var isAtStart: Bool { line == 1 && column == 1 }
  var isEmpty: Bool { text.isEmpty && !isRest }

  /// Passes over a character before the first line.
  mutating func skip(_ byte: UInt8) {
    (line, column) = byte == UInt8(ascii: "\n") ? (line + 1, 1) : (line, column + 1)
  }

  /// Collects characters up to the line's end, or until there are `limit`: whether either is reached.
  mutating func fill(from chunk: Span<UInt8>, at index: inout Int, limit: Int) -> Bool {
    let rest = index..<min(chunk.count, index + limit - text.count)
    let newline = chunk.first(UInt8(ascii: "\n"), in: rest)
    let end = newline ?? rest.upperBound
    text.append(contentsOf: chunk.extracting(index..<end))
    isEnd = newline != nil
    index = end + (isEnd ? 1 : 0)
    return isEnd || text.count == limit
  }

  /// The text ends here, and so does the line.
  mutating func end() { isEnd = true }

  /// Takes what was collected; nil if it holds no data.
  mutating func take(_ kind: LineLead.Kind, into output: inout TextOutput) -> TextLine? {
    let isStart = !isRest
    let count = isEnd ? text.count : endOfWords
    var body: Int? = 0
    if isStart {
      body = lead.body(of: text[..<count], as: kind)
      isDropped = body == nil
      if let side = lead.side { output.turn(to: side) }
    }
    var taken = Array(text[(body ?? 0)..<count])
    if isEnd { while taken.last?.isWhite == true { taken.removeLast() } }
    let part = TextLine(
      taken, at: TextPosition(line: line, column: column + (body ?? 0)), of: output.stream, isStart: isStart,
      isEnd: isEnd)
    text.removeSubrange(..<count)
    isRest = !isEnd
    (line, column) = isEnd ? (line + 1, 1) : (line, column + count)
    isEnd = false
    return isDropped || (part.isStart && part.isEnd && taken.isEmpty) ? nil : part
  }

  /// Where a part may end: before a blank or a backslash, after a comma, or else after a word; never inside a number, an
  /// escape, or a mark of two characters such as `*/`.
  private var endOfWords: Int {
    let places = ((text.count - Self.longestWord)..<text.count).reversed()
    let sure = places.first { index in
      text[index].isWhite || text[index - 1] == UInt8(ascii: ",")
        || (text[index] == UInt8(ascii: "\\") && text[index - 1] != UInt8(ascii: "\\"))
    }
    if let end = sure ?? places.first(where: { text[$0 - 1].isWordPart && !text[$0].isWordPart }) { return end }
    let backslashes = text.reversed().prefix { $0 == UInt8(ascii: "\\") }.count
    if backslashes > 0 { return text.count - backslashes % 2 }
    return text.last?.isWordPart == true ? text.count : text.count - 1
  }
}
