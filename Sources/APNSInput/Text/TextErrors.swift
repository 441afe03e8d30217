extension ReadError.Code {
  /// The text omits bytes (`...`), so they cannot be recovered.
  package static let lossyText = Self(rawValue: "lossy-text")
  /// The text has several interpretations with different bytes, and nothing shows which is meant.
  package static let ambiguousText = Self(rawValue: "ambiguous-text")
  /// The text ends inside a quote, bracket or comment.
  package static let cutText = Self(rawValue: "cut-text")
  /// A line or a repetition exceeds its limit.
  package static let oversizedText = Self(rawValue: "oversized-text")
  /// The characters beside the digits do not match the bytes.
  package static let contradictingCharacters = Self(rawValue: "contradicting-characters")
}

extension ReadError {
  /// The digits end with `...`.
  static func leftOut(at position: TextPosition) -> ReadError {
    ReadError(.lossyText, "the text omits bytes at the ...; print every byte as hex instead", position: position)
  }

  /// - Parameter place: Where the text ends, such as "inside a comment".
  static func cut(_ place: String, at position: TextPosition) -> ReadError {
    ReadError(.cutText, "the text ends \(place); paste all of it", position: position)
  }

  static func openQuote(at position: TextPosition) -> ReadError {
    ReadError(.cutText, "this quote is never closed; paste all of the string", position: position)
  }

  static func oddDigits(at position: TextPosition) -> ReadError {
    ReadError(.oddDigits, "odd number of hex digits; write 08 for 8", position: position)
  }

  /// An error for a text that says that bytes were left out; nil if it does not.
  static func omission(in text: ArraySlice<UInt8>, at start: TextPosition) -> ReadError? {
    let words = text.lowercased
    guard let word = omissions.first(where: words.holds), let index = words.index(of: word) else { return nil }
    let place = TextPosition(line: Int(start.line), column: Int(start.column) + index)
    if word == "..." { return .leftOut(at: place) }
    return ReadError(.lossyText, "the text omits bytes, as it says here (\(word)); print all of them", position: place)
  }

  private static let omissions = [
    "...", "truncat", "bytes more", "byte more", "more bytes", "more items", "more elements", "omitted", "skipp",
    "snip", "<repeats",
  ]
}

extension TextLine {
  func error(_ code: ReadError.Code, at index: Int, _ reason: String) -> ReadError {
    ReadError(code, reason, position: position(index))
  }

  /// An error for a character, or the end of the line, that is not allowed.
  /// - Parameter explanation: The rest of a sentence that begins with the character.
  func notHex(at index: Int, _ explanation: String) -> ReadError {
    let byte = index < text.count ? text[index] : UInt8(ascii: "\n")
    return error(.notHex, at: index, "\(byte.displayText) \(explanation)")
  }
}
