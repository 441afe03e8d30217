/// One line of a text, without white space at its end.
struct TextLine: Sendable {
  let text: [UInt8]
  /// Where the line begins.
  let start: TextPosition
  /// Whose bytes it holds, as far as marks before it tell.
  let stream: ByteStream
  /// Index of the first character that is no white space.
  let first: Int

  func position(_ index: Int) -> TextPosition {
    TextPosition(line: Int(start.line), column: Int(start.column) + index)
  }

  var words: [ArraySlice<UInt8>] { text.split(whereSeparator: \.isWhite) }
}

/// A format that is read line by line.
protocol LineReader: Sendable {
  var account: TextAccount? { get }
  /// Takes a line that is not blank.
  mutating func take(_ line: TextLine, into output: inout TextOutput) throws(ReadError)
  mutating func finish(at position: TextPosition, into output: inout TextOutput) throws(ReadError)
  /// Puts out what is held, as nothing more can be read.
  mutating func release(into output: inout TextOutput)
}

extension LineReader {
  var account: TextAccount? { nil }
  mutating func release(into output: inout TextOutput) {}
}

/// Collects lines for a `LineReader`.
struct Lines<Reader: LineReader>: TextDecoder {
  private var reader: Reader
  private var text: [UInt8] = []
  private var start = TextPosition(line: 1, column: 1)

  /// - Parameter limit: The longest line there is, in bytes.
  init(_ reader: Reader, leads: LineLead.Kind = .all, limit: Int = 64 << 10) {
    self.reader = reader
    self.leads = leads
    self.limit = limit
  }

  let leads: LineLead.Kind
  private let limit: Int
  var account: TextAccount? { reader.account }

  mutating func take(_ byte: UInt8, at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    if text.isEmpty { start = position }
    guard byte == UInt8(ascii: "\n") else {
      text.append(byte)
      guard text.count <= limit else {
        reader.release(into: &output)
        throw ReadError(
          .oversizedText, "this line is longer than \(limit >> 10) KiB, so this is not a dump", position: start)
      }
      return
    }
    try endLine(into: &output)
  }

  mutating func finish(at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    try endLine(into: &output)
    try reader.finish(at: position, into: &output)
  }

  private mutating func endLine(into output: inout TextOutput) throws(ReadError) {
    while text.last?.isWhite == true { text.removeLast() }
    defer { text.removeAll(keepingCapacity: true) }
    guard let first = text.firstIndex(where: { !$0.isWhite }) else { return }
    do throws(ReadError) {
      try reader.take(TextLine(text: text, start: start, stream: output.stream, first: first), into: &output)
    } catch {
      reader.release(into: &output)
      throw error
    }
  }
}
