extension ReadError.Code {
  /// The text itself leaves bytes out (`...`), so nothing can bring them back.
  public static let lossyText = Self(rawValue: "lossy-text")
  /// The text reads as other bytes in another way, and nothing in it tells which is meant.
  public static let ambiguousText = Self(rawValue: "ambiguous-text")
  /// The text ends inside something that it opened: a quote, a bracket, a comment.
  public static let cutText = Self(rawValue: "cut-text")
  /// A line or a repetition is longer than any honest one.
  public static let oversizedText = Self(rawValue: "oversized-text")
  /// The characters beside the digits are those of other bytes.
  public static let contradictingCharacters = Self(rawValue: "contradicting-characters")
}

extension ReadError {
  /// `advice` completes the sentence that says what stands there.
  static func notHex(_ byte: UInt8, at position: TextPosition, _ advice: String) -> ReadError {
    ReadError(.notHex, "\(byte.shown) \(advice)", position: position)
  }

  /// The digits end in `...`.
  static func leftOut(at position: TextPosition) -> ReadError {
    ReadError(
      .lossyText, "the text leaves out bytes at the ...; print every byte as hex instead", position: position)
  }

  static func openQuote(at position: TextPosition) -> ReadError {
    ReadError(.cutText, "this quote is never closed; paste all of the string", position: position)
  }

  static func oddDigits(at position: TextPosition) -> ReadError {
    ReadError(
      .oddDigits, "odd number of hex digits; write 08 for 8", position: position)
  }
}
