typealias TextPosition = Origin.TextPosition

/// One format's state machine: takes a text character by character and puts out bytes.
///
/// One call of `take` puts out at most `TextOutput.dueCount` bytes, so that batches stay bounded.
protocol TextDecoder: Sendable {
  /// What may stand before the bytes of a line that begins here.
  var leads: LineLead.Kind { get }
  /// What it took the text for, if that is more than the format's title.
  var account: TextAccount? { get }
  mutating func take(_ byte: UInt8, at position: TextPosition, into output: inout TextOutput) throws(ReadError)
  /// The text ends at `position`.
  mutating func finish(at position: TextPosition, into output: inout TextOutput) throws(ReadError)
  /// Takes characters until the text or the room for output ends. A requirement only so that each decoder gets a
  /// loop of its own, without dispatch for each character.
  mutating func read(
    _ text: Span<UInt8>, from index: inout Int, _ cursor: inout TextCursor, strict: Bool, into output: inout TextOutput
  ) throws(ReadError)
}

/// What a text was taken for, in a phrase.
struct TextAccount: Sendable {
  let phrase: String
  /// Something in it could be wrong.
  var isAssumed = false
}

extension TextDecoder {
  var account: TextAccount? { nil }

  mutating func read(
    _ text: Span<UInt8>, from index: inout Int, _ cursor: inout TextCursor, strict: Bool, into output: inout TextOutput
  ) throws(ReadError) {
    while index < text.count && !output.isDue {
      let byte = text[index]
      let position = cursor.position
      index += 1
      cursor.advance(past: byte)
      if cursor.lead.isPassing && byte != UInt8(ascii: "\n") {
        try take(byte, at: position, into: &output)
      } else {
        let characters = cursor.lead.take(byte, at: position, as: strict ? .none : leads)
        try take(characters, cursor.lead.side, into: &output)
      }
    }
  }

  /// The text ends where `cursor` stands.
  mutating func end(_ cursor: inout TextCursor, into output: inout TextOutput) throws(ReadError) {
    let characters = cursor.lead.finish()
    try take(characters, cursor.lead.side, into: &output)
    try finish(at: cursor.position, into: &output)
  }

  private mutating func take(
    _ characters: [LineLead.Character], _ side: Int?, into output: inout TextOutput
  ) throws(ReadError) {
    if let side { output.turn(to: side) }
    for character in characters { try take(character.byte, at: character.position, into: &output) }
  }
}

/// Counts lines and columns, and knows how each line began.
struct TextCursor: Sendable {
  var lead = LineLead(isDirected: false)
  private var line = 1
  private var column = 1
  private var isInComment = false

  var position: TextPosition { TextPosition(line: line, column: column) }
  var isAtStart: Bool { line == 1 && column == 1 }

  mutating func advance(past byte: UInt8) {
    if byte == UInt8(ascii: "\n") {
      line += 1
      column = 1
      isInComment = false
    } else {
      column += 1
    }
  }

  /// Passes white space and comments before all else; false, and not passed, for anything else.
  mutating func skipsLead(_ byte: UInt8, comments: Bool) -> Bool {
    if comments && byte == UInt8(ascii: "#") { isInComment = true }
    // The blanks before the first line's first word may say whose line it is.
    let isSide = byte == UInt8(ascii: "\t") && !isInComment
    guard (byte.isWhite && !isSide) || isInComment else { return false }
    advance(past: byte)
    return true
  }
}
