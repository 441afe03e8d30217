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

  var isPlausible: Bool { reader.isPlausible }
  var isCertain: Bool { true }
  var doubt: String? { reader.doubt }

  var leads: LineLead.Kind {
    if case .blockComment = state { .none } else { reader.leads }
  }
  var longestLine: Int { LineSplitter.limit }
  var explainsLines: Bool { false }

  mutating func decode(_ line: TextLine, into output: inout TextOutput) throws(ReadError) {
    if let mistake { throw mistake }
    let text = line.text
    var index = line.first
    isAdjacent = false
    if text[index...].starts(with: "- ".utf8), text[(index + 2)...].number(radix: 10) != nil {
      reader.beginBullets(at: line.position(index))
    }
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
        let end = Escapes.end(quote, in: text, from: index)
        index = end.map { $0 + 1 } ?? text.count
        guard let end else { break }
        try put(.string, at: line.position(end), into: &output)
        state = .between
      }
    }
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
    if let number = Self.calledNumber(text, from: index) {
      try put(.word(text[number]), at: line.position(number.lowerBound), into: &output)
      index = text[number.upperBound...].firstIndex(of: UInt8(ascii: ")")).map { $0 + 1 } ?? text.count
      return
    }
    if Self.isWord(byte) || (byte == UInt8(ascii: "#") && Self.isWord(next)) {
      let end = Self.endOfWord(in: text, from: index)
      if text[index..<end].elementsEqual([UInt8(ascii: "_")]) {
        // Visual Basic goes on in the next line.
        index = end
        return
      }
      let isLast = end == text.count
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
    case (UInt8(ascii: "-"), _) where next.isWhite && index - 1 == line.first:
      // A bullet, as in Swift's dump.
      isAdjacent = false
    case (UInt8(ascii: "\""), _), (UInt8(ascii: "'"), _):
      guard try reader.readsString(at: position, into: &output) else {
        if let number = Self.quotedNumber(text, from: index, byte) {
          try put(.word(text[number]), at: line.position(index), into: &output)
          index = number.upperBound + 1
        } else {
          state = .string(quote: byte)
        }
        return
      }
      guard let end = Escapes.end(byte, in: text, from: index) else { throw .openQuote(at: position) }
      try Escapes(style: .octal, isWide: false).decode(line, index..<end, into: &output)
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

  /// A number in quotes that is not the key of an object: `'0x2'`.
  private static func quotedNumber(_ text: [UInt8], from start: Int, _ quote: UInt8) -> Range<Int>? {
    let word = text[start...].prefix { isWord($0) || $0 == UInt8(ascii: "-") }
    guard word.endIndex < text.count, text[word.endIndex] == quote, NumberWord(word) != nil,
      text[(word.endIndex + 1)...].first(where: { !$0.isWhite }) != UInt8(ascii: ":")
    else { return nil }
    return word.indices
  }

  /// The number in a call such as `chr(8)`.
  private static func calledNumber(_ text: [UInt8], from start: Int) -> Range<Int>? {
    guard text[start...].starts(with: "chr(".utf8) || text[start...].starts(with: "Chr(".utf8) else { return nil }
    let number = text[(start + 4)...].drop { $0 == UInt8(ascii: " ") }.prefix { isWord($0) }
    guard text[number.endIndex...].first(where: { $0 != UInt8(ascii: " ") }) == UInt8(ascii: ")"),
      NumberWord(number) != nil
    else { return nil }
    return number.indices
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
