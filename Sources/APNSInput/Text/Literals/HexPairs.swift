import Octets

extension TextFormat {
  /// Pairs of hexadecimal digits with separators between them: `[08, d2]`.
  public static let pairs = TextFormat(
    "pairs", "pairs of hex digits with anything between them ([08, d2], \"08\",\"d2\", 08.d2, 08|d2)",
    recognises: { HexPairs.recognises($0) }, decoder: { _ in HexPairs() })
}

/// Bytes in hex with punctuation between them, such as brackets, quotes and commas, but no letters.
///
///     [08, d2, 00]     "0x08", "0xd2"     08.d2.00     08|d2|00     08_d2
struct HexPairs: TextDecoder {
  var longestLine: Int? { nil }

  mutating func decode(_ line: TextLine, into output: inout TextOutput) throws(ReadError) {
    let text = line.text
    for index in text.indices.dropLast() where text[index] == Self.dot && text[index + 1] == Self.dot {
      throw .leftOut(at: line.position(index))
    }
    for word in text.split(whereSeparator: Self.isBetween) {
      let digits = Self.digits(of: word)
      if let wrong = digits.firstIndex(where: { $0.hexDigitValue == nil }) {
        throw .notHex(text[wrong], at: line.position(wrong), "is not a hex digit; write each byte as two of them")
      }
      guard digits.count % 2 == 0 else { throw .oddDigits(at: line.position(digits.startIndex)) }
      for index in stride(from: digits.startIndex, to: digits.endIndex, by: 2) {
        guard let value = digits[index..<(index + 2)].number() else { continue }
        output.append(UInt8(value), at: line.position(index))
      }
    }
  }

  private static func digits(of word: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    word.dropFirst(word.lowercased.starts(with: "0x".utf8) ? 2 : 0)
  }

  private static func isBetween(_ byte: UInt8) -> Bool {
    byte.isPrintable && !byte.isLetter && !byte.isDecimalDigit || byte.isWhite
  }

  private static let dot = UInt8(ascii: ".")

  /// At least six bytes (an error response), one of them with a letter. The punctuation between all of them must be the
  /// same, so that none is an offset or part of a comment.
  static func recognises(_ head: TextHead) -> Bool {
    var pairs: [ArraySlice<UInt8>] = []
    var gap: ArraySlice<UInt8>?
    // The end of the head may cut the last line.
    for line in head.isWhole || head.lines.count == 1 ? head.lines : head.lines.dropLast() {
      let words = line.split(whereSeparator: isBetween)
      for (word, next) in zip(words, words.dropFirst()) {
        let between = line[word.endIndex..<next.startIndex]
        guard gap ?? between == between else { return false }
        gap = between
      }
      pairs += words.map(Self.digits)
    }
    if !head.isWhole, head.lines.count == 1 { pairs = pairs.dropLast() }
    guard let width = pairs.first?.count, width == 2 || width == 4 else { return false }
    return pairs.count * width >= 12 && pairs.allSatisfy { $0.count == width && $0.isHex }
      && pairs.contains { $0.contains(where: \.isLetter) }
  }
}
