/// A piece of a program's text.
struct ProgramToken {
  enum Kind: Equatable {
    /// A name or a number; at most 64 characters of it.
    case word([UInt8])
    /// Any other character.
    case mark(UInt8)
    /// A string whose characters are not data.
    case string
    case lineEnd
  }

  let kind: Kind
  let position: TextPosition
  /// Nothing is between it and the one before.
  let isAdjacent: Bool
}

/// Splits the text of a program, in whatever language, into tokens, and leaves out its comments.
///
///     // line     # line     /* block */     -- line     % line of Erlang     ; line of assembler
struct ProgramText: TextDecoder {
  private enum State {
    case between
    /// Inside `word`.
    case word(TextPosition, isAdjacent: Bool)
    /// After a character that may begin a comment.
    case mark(UInt8, TextPosition, isAdjacent: Bool)
    case lineComment
    case blockComment(TextPosition, endsWithStar: Bool)
    case string(UInt8, isEscaped: Bool)
    case bytes(EscapedString, UInt8, isEscaped: Bool)
  }

  private(set) var reader: NumberList
  private let strict: Bool
  private var state = State.between
  private var word: [UInt8] = []
  /// The last character ended a token.
  private var isAdjacent = false

  init(_ reader: NumberList, strict: Bool) {
    self.reader = reader
    self.strict = strict
  }

  var leads: LineLead.Kind {
    switch state {
    case .blockComment, .bytes: .none
    default: reader.leads
    }
  }

  mutating func take(_ byte: UInt8, at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    switch state {
    case .between: try begin(byte, at: position, into: &output)
    case .word(let start, let isAdjacent):
      // 16#08# of Ada and Erlang, 8'u8 of Nim, and an apostrophe as in don't
      let isNumber = word[0].isDecimalDigit
      let goesOn =
        isNumber && byte == UInt8(ascii: "#") || (isNumber || word.count > 2) && byte == UInt8(ascii: "'")
      if goesOn || Self.isWord(byte) {
        if word.count < Self.longestWord { word.append(byte) }
      } else {
        try end(.word(word), start, isAdjacent, into: &output)
        try begin(byte, at: position, into: &output)
      }
    case .mark(let mark, let start, let isAdjacent):
      switch (mark, byte) {
      case (UInt8(ascii: "/"), UInt8(ascii: "/")), (UInt8(ascii: "-"), UInt8(ascii: "-")):
        try comment(mark, start, .lineComment)
      case (UInt8(ascii: "/"), UInt8(ascii: "*")): try comment(mark, start, .blockComment(start, endsWithStar: false))
      case (UInt8(ascii: "#"), _) where byte.isWhite, (UInt8(ascii: "%"), _) where byte.isWhite:
        state = .between
        guard byte != UInt8(ascii: "\n") else { return try begin(byte, at: position, into: &output) }
        try comment(mark, start, .lineComment)
      case (UInt8(ascii: "#"), _) where Self.isWord(byte):
        word = [mark, byte]
        state = .word(start, isAdjacent: isAdjacent)
      default:
        try end(.mark(mark), start, isAdjacent, into: &output)
        try begin(byte, at: position, into: &output)
      }
    case .lineComment:
      if byte == UInt8(ascii: "\n") { try begin(byte, at: position, into: &output) }
    case .blockComment(let start, let endsWithStar):
      let isEnd = endsWithStar && byte == UInt8(ascii: "/")
      state = isEnd ? .between : .blockComment(start, endsWithStar: byte == UInt8(ascii: "*"))
    case .string(let quote, let isEscaped):
      // An apostrophe in a text begins no string that goes on in the next line.
      if byte == UInt8(ascii: "\n") { return try begin(byte, at: position, into: &output) }
      if byte == quote, !isEscaped {
        try end(.string, position, false, into: &output)
      } else {
        state = .string(quote, isEscaped: byte == UInt8(ascii: "\\") && !isEscaped)
      }
    case .bytes(var string, let quote, let isEscaped):
      try string.take(byte, at: position, into: &output)
      if byte == quote, !isEscaped {
        state = .between
        isAdjacent = true
      } else {
        state = .bytes(string, quote, isEscaped: byte == UInt8(ascii: "\\") && !isEscaped)
      }
    }
  }

  mutating func finish(at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    switch state {
    case .word(let start, let isAdjacent):
      do throws(ReadError) {
        try end(.word(word), start, isAdjacent, into: &output)
      } catch {
        // The word may be cut.
        try reader.finish(at: position, into: &output)
        throw error
      }
    case .mark(let mark, let start, let isAdjacent): try end(.mark(mark), start, isAdjacent, into: &output)
    case .blockComment:
      reader.release(into: &output)
      throw ReadError(.cutText, "the text ends inside a comment; close it with */", position: position)
    case .bytes(var string, _, _): try string.finish(at: position, into: &output)
    case .between, .lineComment, .string: break
    }
    try reader.finish(at: position, into: &output)
  }

  private mutating func begin(_ byte: UInt8, at position: TextPosition, into output: inout TextOutput) throws(ReadError)
  {
    state = .between
    if byte == UInt8(ascii: "\n") { return try end(.lineEnd, position, false, into: &output) }
    if byte.isWhite {
      isAdjacent = false
    } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
      guard try reader.readsString(at: position, into: &output) else {
        state = .string(byte, isEscaped: false)
        return
      }
      var string = EscapedString(isQuoted: true, strict: false)
      try string.take(byte, at: position, into: &output)
      state = .bytes(string, byte, isEscaped: false)
    } else if byte == UInt8(ascii: ";"), reader.semicolonBeginsComment {
      try comment(byte, position, .lineComment)
    } else if Self.commentStarts.contains(byte) {
      state = .mark(byte, position, isAdjacent: isAdjacent)
    } else if Self.isWord(byte) {
      word.removeAll(keepingCapacity: true)
      word.append(byte)
      state = .word(position, isAdjacent: isAdjacent)
    } else {
      try end(.mark(byte), position, isAdjacent, into: &output)
    }
  }

  private mutating func end(
    _ kind: ProgramToken.Kind, _ position: TextPosition, _ wasAdjacent: Bool, into output: inout TextOutput
  ) throws(ReadError) {
    state = .between
    isAdjacent = true
    try reader.take(ProgramToken(kind: kind, position: position, isAdjacent: wasAdjacent), into: &output)
  }

  private mutating func comment(_ mark: UInt8, _ position: TextPosition, _ next: State) throws(ReadError) {
    guard !strict else { throw .notHex(mark, at: position, "begins a comment, which strict reading refuses") }
    isAdjacent = false
    state = next
  }

  /// `$08` and `&H08` are numbers, too.
  private static func isWord(_ byte: UInt8) -> Bool {
    byte.isWordPart || byte == UInt8(ascii: "$") || byte == UInt8(ascii: "&")
  }

  private static let longestWord = 64
  private static let commentStarts = Array("/-#%".utf8)
}
