typealias TextPosition = Origin.TextPosition

/// One format's state machine: takes a text character by character and puts out bytes.
///
/// One call of `take` puts out at most `TextOutput.dueCount` bytes, so that batches stay bounded.
protocol TextDecoder: Sendable {
  /// Whether a line that begins with `#` here is a comment.
  var allowsCommentLines: Bool { get }
  mutating func take(_ byte: UInt8, at position: TextPosition, into output: inout TextOutput) throws(ReadError)
  /// The text ends at `position`.
  mutating func finish(at position: TextPosition, into output: inout TextOutput) throws(ReadError)
  /// Takes characters until the text or the room for output ends. A requirement only so that each decoder gets a
  /// loop of its own, without dispatch for each character.
  mutating func read(
    _ text: Span<UInt8>, from index: inout Int, _ cursor: inout TextCursor, skippingComments: Bool,
    into output: inout TextOutput
  ) throws(ReadError)
}

extension TextDecoder {
  mutating func read(
    _ text: Span<UInt8>, from index: inout Int, _ cursor: inout TextCursor, skippingComments: Bool,
    into output: inout TextOutput
  ) throws(ReadError) {
    while index < text.count && !output.isDue {
      let byte = text[index]
      let position = cursor.position
      index += 1
      cursor.advance(past: byte, comments: skippingComments && allowsCommentLines)
      if !cursor.isInComment { try take(byte, at: position, into: &output) }
    }
  }
}

/// Counts lines and columns, and knows comment lines.
struct TextCursor: Sendable {
  private var line = 1
  private var column = 1
  private var lineIsBlank = true
  /// The character just passed belongs to a comment line; the line's end does not.
  private(set) var isInComment = false

  var position: TextPosition { TextPosition(line: line, column: column) }
  var isAtStart: Bool { line == 1 && column == 1 }

  mutating func advance(past byte: UInt8, comments: Bool) {
    if byte == UInt8(ascii: "\n") {
      line += 1
      column = 1
      lineIsBlank = true
      isInComment = false
      return
    }
    column += 1
    if comments && lineIsBlank && byte == UInt8(ascii: "#") { isInComment = true }
    if !byte.isWhite { lineIsBlank = false }
  }

  /// Passes white space and comments; false, and not passed, for anything else.
  mutating func skipsLead(_ byte: UInt8, comments: Bool) -> Bool {
    var ahead = self
    ahead.advance(past: byte, comments: comments)
    guard byte.isWhite || ahead.isInComment else { return false }
    self = ahead
    return true
  }
}

/// The bytes that a decoder put out and nobody took yet.
struct TextOutput: Sendable {
  typealias Batch = (bytes: [UInt8], positions: [TextPosition])

  /// No batch is longer.
  static let batchLimit = 64 << 10
  /// From here on the bytes should be taken away before more come.
  static let dueCount = batchLimit / 2

  private var bytes: [UInt8] = []
  private var positions: [TextPosition] = []
  private var repetition: Repetition?
  /// What came after the repetition.
  private var later: Batch = ([], [])

  private struct Repetition {
    let bytes: [UInt8]
    let position: TextPosition
    var times: Int
  }

  var isDue: Bool { bytes.count >= Self.dueCount || repetition != nil }

  mutating func append(_ byte: UInt8, at position: TextPosition) {
    if repetition == nil {
      bytes.append(byte)
      positions.append(position)
    } else {
      later.bytes.append(byte)
      later.positions.append(position)
    }
  }

  /// Puts out `run` (at most `dueCount` bytes) many times over without holding that much. Once between two `next`.
  mutating func `repeat`(_ run: [UInt8], times: Int, at position: TextPosition) {
    repetition = Repetition(bytes: run, position: position, times: times)
  }

  /// Takes the next batch away.
  mutating func next() -> Batch? {
    if !bytes.isEmpty {
      defer {
        bytes.removeAll(keepingCapacity: true)
        positions.removeAll(keepingCapacity: true)
      }
      return (bytes, positions)
    }
    guard let run = repetition else { return nil }
    if run.times == 0 {
      repetition = nil
      (bytes, positions) = later
      later = ([], [])
      return next()
    }
    let times = min(run.times, max(1, Self.batchLimit / run.bytes.count))
    repetition?.times -= times
    let batch = Array(repeatElement(run.bytes, count: times).joined())
    return (batch, Array(repeating: run.position, count: batch.count))
  }
}
