/// A token of a program.
struct ProgramToken {
  enum Kind {
    /// A name or a number.
    case word(ArraySlice<UInt8>)
    /// Any other character.
    case mark(UInt8)
    /// A string whose characters are not data.
    case string
    case lineEnd
  }

  let kind: Kind
  let position: TextPosition
  /// Whether the token directly follows the preceding one.
  let isAdjacent: Bool
}

/// Splits a program in any common language into tokens, and removes comments.
///
///     // line     # line     /* block */     -- line     % line of Erlang     ; line of assembler
struct ProgramText: TextDecoder {
  /// The element that continues in the next part of a line.
  private enum State {
    case between
    case lineComment
    case blockComment
    case string(quote: UInt8)
  }

  private(set) var reader: NumberList
  private var state = State.between
  /// The preceding character ended a token.
  private var isAdjacent = false
  /// The error in the last word of a line. It is only thrown if more text follows; otherwise the word is incomplete.
  private var mistake: ReadError?

  init(_ reader: NumberList) { self.reader = reader }

  var leads: LineLead.Kind {
    if case .blockComment = state { .none } else { reader.leads }
  }
  var longestLine: Int? { nil }

  mutating func decode(_ line: TextLine, into output: inout TextOutput) throws(ReadError) {
    if let mistake { throw mistake }
    let text = line.text
    var index = line.first
    isAdjacent = isAdjacent && !line.isStart
    while index < text.count {
      switch state {
      case .between: try readToken(at: &index, of: line, into: &output)
      case .lineComment: index = text.count
      case .blockComment:
        let end = text[index...].indices.dropLast().first {
          text[$0] == UInt8(ascii: "*") && text[$0 + 1] == Self.slash
        }
        index = end.map { $0 + 2 } ?? text.count
        if end != nil { state = .between }
      case .string(let quote):
        let end = EscapedString.end(quote, in: text, from: index)
        index = end.map { $0 + 1 } ?? text.count
        guard let end else { break }
        try put(.string, at: line.position(end), into: &output)
        state = .between
      }
    }
    guard line.isEnd else { return }
    // A string ends with its line: an apostrophe in a comment must not begin one that continues.
    if case .blockComment = state {} else { state = .between }
    if mistake == nil { try put(.lineEnd, at: line.position(text.count), into: &output) }
  }

  mutating func finish(at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    if case .blockComment = state {
      throw ReadError(.cutText, "the text ends inside a comment; close it with */", position: position)
    }
    try reader.finish(at: position, into: &output)
    if let mistake { throw mistake }
  }

  mutating func release(into output: inout TextOutput) { reader.release(into: &output) }

  private mutating func readToken(
    at index: inout Int, of line: TextLine, into output: inout TextOutput
  ) throws(ReadError) {
    let text = line.text
    let byte = text[index]
    let position = line.position(index)
    let next = index + 1 < text.count ? text[index + 1] : UInt8(ascii: "\n")
    if Self.isWord(byte) || (byte == UInt8(ascii: "#") && Self.isWord(next)) {
      let end = Self.endOfWord(in: text, from: index)
      let isLast = end == text.count && line.isEnd
      do throws(ReadError) {
        try put(.word(text[index..<end]), at: position, into: &output)
      } catch  where isLast {
        mistake = error
      }
      index = end
      return
    }
    index += 1
    switch (byte, next) {
    case _ where byte.isWhite: isAdjacent = false
    case (UInt8(ascii: "\""), _), (UInt8(ascii: "'"), _):
      guard try reader.readsString(at: position, into: &output) else {
        state = .string(quote: byte)
        return
      }
      let end = EscapedString.end(byte, in: text, from: index) ?? text.count - 1
      var string = EscapedString(isQuoted: true)
      try string.decode(line, (index - 1)..<(end + 1), into: &output)
      try string.finish(at: position, into: &output)
      index = end + 1
      isAdjacent = true
    case (Self.slash, UInt8(ascii: "*")):
      comment(.blockComment)
      index += 1
    case (Self.slash, Self.slash), (UInt8(ascii: "-"), UInt8(ascii: "-")): comment(.lineComment)
    case (UInt8(ascii: "#"), _) where next.isWhite, (UInt8(ascii: "%"), _) where next.isWhite:
      comment(.lineComment)
    case (UInt8(ascii: ";"), _) where reader.semicolonBeginsComment: comment(.lineComment)
    default: try put(.mark(byte), at: position, into: &output)
    }
  }

  private mutating func put(
    _ kind: ProgramToken.Kind, at position: TextPosition, into output: inout TextOutput
  ) throws(ReadError) {
    try reader.accept(ProgramToken(kind: kind, position: position, isAdjacent: isAdjacent), into: &output)
    isAdjacent = true
  }

  private mutating func comment(_ kind: State) {
    isAdjacent = false
    state = kind
  }

  private static func endOfWord(in text: [UInt8], from start: Int) -> Int {
    let isNumber = text[start].isDecimalDigit
    var index = start + 1
    while index < text.count {
      // 16#08# in Ada and Erlang, 8'u8 in Nim, and an apostrophe as in don't
      let goesOn =
        isNumber && text[index] == UInt8(ascii: "#")
        || (isNumber || index - start > 2) && text[index] == UInt8(ascii: "'")
      guard goesOn || isWord(text[index]) else { break }
      index += 1
    }
    return index
  }

  /// Whether the character can be part of a word. `$08` and `&H08` are numbers.
  private static func isWord(_ byte: UInt8) -> Bool {
    byte.isWordPart || byte == UInt8(ascii: "$") || byte == UInt8(ascii: "&")
  }

  private static let slash = UInt8(ascii: "/")
}
