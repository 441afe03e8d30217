import Octets

extension TextFormat {
  public static let percent = TextFormat(
    "percent", "percent escapes, as in a URL (%02%00%00N)", recognises: { PercentText.recognises($0) },
    decoder: { _, _ in PercentText() })
}

/// Bytes as a URL has them: the word of each line with percent escapes in it, up to a blank, a quote or `&`.
///
///     %08%08%00%00%00%07          curl 'http://localhost/push?frame=%08%08%00%00%00%07&x=1'
///
/// A plus may be a blank or itself, so it is refused.
struct PercentText: TextDecoder {
  var longestLine: Int? { 1 << 20 }
  private var hasWord = false

  mutating func take(_ line: TextLine, into output: inout TextOutput) throws(ReadError) {
    guard let word = Self.word(of: line.text[...]) else { return }
    hasWord = true
    var index = word.startIndex
    while index < word.endIndex {
      switch word[index] {
      case UInt8(ascii: "%"):
        let digits = word[(index + 1)..<min(index + 3, word.endIndex)]
        guard digits.count == 2, let value = digits.number() else {
          throw .notHex(word[index], at: line.position(index), "begins no escape; write %25 for a percent sign")
        }
        output.append(UInt8(value), at: line.position(index))
        index += 3
      case UInt8(ascii: "+"):
        let reason = "a plus may be a blank or itself; write %20 or %2B"
        throw ReadError(.ambiguousText, reason, position: line.position(index))
      default:
        guard word[index].isPrintable else {
          throw .notHex(
            word[index], at: line.position(index), "is not allowed in a URL; write it as % and two hex digits")
        }
        output.append(word[index], at: line.position(index))
        index += 1
      }
    }
  }

  mutating func finish(at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    if !hasWord { throw ReadError(.unknownText, "this text has no percent escapes", position: position) }
  }

  /// The word with the first escape of a line, behind `frame=` or a quote, which ends it, too.
  private static func word(of line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let escape = line.indices.first { line[$0] == UInt8(ascii: "%") && line[($0 + 1)...].prefix(2).isHex }
    guard let escape else { return nil }
    let open = line[..<escape].lastIndex { $0.isWhite || "\"'`&=?".utf8.contains($0) }
    let quote = open.map { line[$0] }.flatMap { "\"'`".utf8.contains($0) ? $0 : nil }
    let start = open.map { $0 + 1 } ?? line.startIndex
    return line[start...].prefix { !$0.isWhite && $0 != UInt8(ascii: "&") && $0 != quote }
  }

  /// A word that begins with three escapes: the first bytes of a frame are no characters.
  static func recognises(_ head: TextHead) -> Bool {
    head.lines.contains { line in
      let escapes = word(of: line)?.prefix(9) ?? []
      return escapes.count == 9
        && stride(from: escapes.startIndex, to: escapes.endIndex, by: 3).allSatisfy {
          escapes[$0] == UInt8(ascii: "%") && escapes[($0 + 1)..<($0 + 3)].isHex
        }
    }
  }
}
