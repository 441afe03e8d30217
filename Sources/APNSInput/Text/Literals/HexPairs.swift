import Octets

extension TextFormat {
  /// Pairs of hexadecimal digits with separators between them: `[08, d2]`.
  public static let pairs = TextFormat(
    "pairs", "pairs of hex digits with anything between them ([08, d2], \"08\",\"d2\", 08.d2, 08|d2)",
    layouts: { _ in [HexPairs()] })
}

/// Bytes in hex with punctuation between them, such as brackets, quotes and commas, but no letters.
///
///     [08, d2, 00]     "0x08", "0xd2"     08.d2.00     08|d2|00     08_d2
struct HexPairs: TextDecoder {
  /// The punctuation between two bytes; it is the same everywhere, so that none is an offset or part of a comment.
  private var gap: ArraySlice<UInt8>?
  private var width: Int?
  private var count = 0
  private var hasLetter = false

  var longestLine: Int { LineSplitter.limit }
  /// At least six bytes (an error response), one of them with a letter.
  var isPlausible: Bool { count >= 6 && hasLetter && width ?? 0 <= 2 }

  mutating func decode(_ line: TextLine, into output: inout TextOutput) throws(ReadError) {
    let text = line.text
    for index in text.indices.dropLast() where text[index] == Self.dot && text[index + 1] == Self.dot {
      throw .leftOut(at: line.position(index))
    }
    var last: Int?
    for word in text.split(whereSeparator: Self.isBetween) {
      let digits = Self.digits(of: word)
      if let last {
        let between = text[last..<word.startIndex]
        guard gap ?? between == between else {
          throw .notHex(
            text[last], at: line.position(last), "does not separate these bytes as it separates the ones before")
        }
        gap = between
      }
      last = word.endIndex
      if let wrong = digits.firstIndex(where: { $0.hexDigitValue == nil }) {
        throw .notHex(text[wrong], at: line.position(wrong), "is not a hex digit; write each byte as two of them")
      }
      guard digits.count % 2 == 0 else { throw .oddDigits(at: line.position(digits.startIndex)) }
      for index in stride(from: digits.startIndex, to: digits.endIndex, by: 2) {
        guard let value = digits[index..<(index + 2)].number() else { continue }
        output.append(UInt8(value), at: line.position(index))
      }
      width = max(width ?? 0, digits.count)
      count += digits.count / 2
      hasLetter = hasLetter || digits.contains(where: \.isLetter)
    }
  }

  private static func digits(of word: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    word.dropFirst(word.lowercased.starts(with: "0x".utf8) ? 2 : 0)
  }

  private static func isBetween(_ byte: UInt8) -> Bool {
    byte.isPrintable && !byte.isLetter && !byte.isDecimalDigit || byte.isWhite
  }

  private static let dot = UInt8(ascii: ".")
}
