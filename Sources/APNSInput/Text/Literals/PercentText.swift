import Octets

extension TextFormat {
  /// Percent escapes, as in a URL (RFC 3986).
  public static let percent = TextFormat(
    "percent", "percent escapes, as in a URL (%02%00%00N)", recognises: { PercentText.recognises($0) },
    decoder: { _ in PercentText() })
}

/// Bytes as in a URL: in each line the word with percent escapes, up to a blank, a quote, `&` or `#`.
///
///     %08%08%00%00%00%07          curl 'http://localhost/push?frame=%08%08%00%00%00%07&x=1'
///
/// A plus sign is rejected, because it may mean a blank or itself.
struct PercentText: TextDecoder {
  var longestLine: Int? { 1 << 20 }
  private var read = 0
  private var lines = 0

  var interpretation: TextInterpretation? {
    TextInterpretation(phrase: "percent escapes: \(read) of \(plural(lines, "line"))", isAssumed: read < lines)
  }

  mutating func decode(_ line: TextLine, into output: inout TextOutput) throws(ReadError) {
    lines += 1
    guard let word = Self.word(of: line.text[...]) else { return }
    read += 1
    if let other = Self.word(of: line.text[word.endIndex...]) {
      throw ReadError(
        .ambiguousText, "this line has percent escapes in two places; paste only those of the frame",
        position: line.position(other.startIndex))
    }
    var index = word.startIndex
    while index < word.endIndex {
      switch word[index] {
      case UInt8(ascii: "%"):
        guard let value = Self.octet(at: index, of: word) else {
          throw .notHex(
            word[index], at: line.position(index), "does not begin an escape; write %25 for a percent sign")
        }
        output.append(value, at: line.position(index))
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
    if read == 0, lines > 0 {
      throw ReadError(.unknownText, "this text has no percent escapes", position: position)
    }
  }

  private static func octet(at index: Int, of word: ArraySlice<UInt8>) -> UInt8? {
    let digits = word[(index + 1)...].prefix(2)
    return digits.count == 2 ? digits.number().map { UInt8($0) } : nil
  }

  /// The word that contains the first escape of a line, without a preceding `frame=`. It ends at the same quote that
  /// precedes it, or at a character that a URL does not contain.
  private static func word(of line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let escape = line.indices.first { line[$0] == UInt8(ascii: "%") && octet(at: $0, of: line) != nil }
    guard let escape else { return nil }
    let open = line[..<escape].lastIndex { $0.isWhite || "\"'`&=?<>".utf8.contains($0) }
    let quote = line[..<escape].last { "\"'`".utf8.contains($0) }
    let start = open.map { $0 + 1 } ?? line.startIndex
    return line[start...].prefix { !$0.isWhite && $0 != quote && !"&#\"`<>".utf8.contains($0) }
  }

  /// Whether the first word with escapes decodes to the beginning of a frame.
  static func recognises(_ head: TextHead) -> Bool {
    for line in head.lines {
      guard let word = word(of: line) else { continue }
      var decoder = PercentText()
      var output = TextOutput()
      try? decoder.decode(TextLine(Array(word)), into: &output)
      guard word.first == UInt8(ascii: "%"), case .bytes(_, let bytes, _)? = output.next() else { return false }
      return bytes.beginsFrame(in: head.catalog)
    }
    return false
  }
}
