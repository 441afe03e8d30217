import Octets

extension TextFormat {
  /// Hexadecimal digits in a literal of a program or database: `X'0808'`.
  public static let literal = TextFormat(
    "literal", "hex digits as a program or a database writes them (bytes.fromhex('0808'), X'0808', \\x08080000)",
    recognises: { HexLiteral.recognises($0) }, ambiguity: { HexLiteral.ambiguity($0) },
    decoder: { _ in HexLiteral() })
}

/// Pairs of hex digits in a literal of a program or a database.
///
///     bytes.fromhex('0808 0000')     Buffer.from("08080000", "hex")     X'08080000'     \x08080000 of Postgres
///
/// Text around the digits is skipped. Once digits have begun, an error is reported.
struct HexLiteral: TextDecoder {
  private enum State {
    case outside
    case quoted(UInt8, from: TextPosition)
    /// After `\x`, up to a blank or a quote.
    case bare
  }

  private var state = State.outside
  private var opening = Opening()
  private var pairs = DigitPairs()
  private var hasLiteral = false

  var leads: LineLead.Kind { .marks }
  var longestLine: Int? { nil }

  mutating func decode(_ line: TextLine, into output: inout TextOutput) throws(ReadError) {
    for index in line.first..<line.text.count {
      try decode(at: index, of: line, into: &output)
    }
    guard line.isEnd else { return }
    if case .quoted(_, let start) = state {
      throw .openQuote(at: start)
    }
    if case .bare = state { try close() }
    _ = opening.advance(UInt8(ascii: "\n"))
  }

  mutating func finish(at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    if !hasLiteral {
      throw ReadError(
        .unknownText, "this text has no hex digits in quotes, as in X'0808' or fromhex('0808')", position: position)
    }
  }

  private mutating func decode(
    at index: Int, of line: TextLine, into output: inout TextOutput
  ) throws(ReadError) {
    let byte = line.text[index]
    if case .outside = state {
      switch opening.advance(byte) {
      case .quote(let quote, _): state = .quoted(quote, from: line.position(index))
      case .escape: state = .bare
      case nil: return
      }
      hasLiteral = true
      return
    }
    if let digit = byte.hexDigitValue {
      _ = pairs.add(digit, at: index, of: line, to: &output)
      return
    }
    switch state {
    case .quoted(let quote, _) where byte == quote: try close()
    case .quoted where byte == UInt8(ascii: " "): try pairs.end()
    case .bare where byte.isWhite || Self.ends.contains(byte): try close()
    default:
      throw .notHex(
        byte, at: line.position(index), "is not a hex digit; write only pairs of hex digits between the quotes")
    }
  }

  private mutating func close() throws(ReadError) {
    try pairs.end()
    state = .outside
    opening = Opening()
  }

  /// Characters that may follow the digits of Postgres.
  private static let ends = Array("'\"`,;|)]}".utf8)
}

extension HexLiteral {
  /// Finds the beginning of a literal.
  private struct Opening {
    /// How certain it is that a literal is hex.
    enum Trust {
      /// The name of the call or label contains "hex", so errors in the literal are reported.
      case named
      /// The literal begins with `X'`; it is hex if all its characters are.
      case marked
      /// The call accepts other encodings too; the literal is hex if the text contains the word "hex".
      case called
    }

    enum Found {
      case quote(UInt8, Trust)
      case escape
    }

    /// The last word, in lower case.
    private var word: [UInt8] = []
    private var last: UInt8 = 0
    /// A call or a label whose value can be hex immediately precedes.
    private var isCalled = false
    /// The name of that call or label contains "hex".
    private var isSure = false

    mutating func advance(_ byte: UInt8) -> Found? {
      defer { last = byte }
      switch byte {
      case UInt8(ascii: "'"), UInt8(ascii: "\""):
        let isMarked = byte == UInt8(ascii: "'") && word.isText("x") && last | 0x20 == UInt8(ascii: "x")
        if isCalled || isMarked { return .quote(byte, isMarked ? .marked : isSure ? .named : .called) }
        word = []
      case UInt8(ascii: "("), UInt8(ascii: ":"):
        isSure = word.holds("hex")
        isCalled = isSure || Self.calls.contains { word.isText($0) }
        word = []
      case _ where byte.isWordPart:
        if last == UInt8(ascii: "\\"), byte == UInt8(ascii: "x") { return .escape }
        if !last.isWordPart { word = [] }
        if word.count < 32 { word.append(byte | 0x20) }
        // A prefix of the quote, as in fromhex(b'0808')
        isCalled = isCalled && word.count == 1 && (byte == UInt8(ascii: "b") || byte == UInt8(ascii: "r"))
      case _ where byte.isWhite: break
      default:
        word = []
        isCalled = false
      }
      return nil
    }

    private static let calls = ["from", "decode", "decodestring"]
  }

  /// Digits of complete bytes that are certainly hex: the first candidate opens and closes correctly. After `\x` there
  /// must be as many digits as in an error response, because an escape has two.
  static func recognises(_ head: TextHead) -> Bool {
    guard let (found, digits, end) = first(in: head.text), !digits.isEmpty else { return false }
    let isWhole = digits.count % 2 == 0 || (end == nil && !head.isWhole)
    switch found {
    case .quote(_, .named): return true
    case .quote(let quote, let trust):
      return isWhole && (end == quote || (end == nil && !head.isWhole)) && (trust == .marked || head.holds("hex"))
    case .escape: return isWhole && digits.count >= 12 && (end.map { $0.isWhite || ends.contains($0) } ?? true)
    }
  }

  /// A few digits after the only `\x` may be one escaped byte and characters.
  static func ambiguity(_ head: TextHead) -> String? {
    guard head.lines.count == 1, case (.escape, let digits, let end)? = first(in: head.text), end?.isWhite ?? true,
      digits.count > 2, digits.count < 12, digits.count % 2 == 0,
      head.text.filter({ !$0.isWhite }).count == digits.count + 2
    else { return nil }
    return "this may be one escaped byte and characters, or hex digits as Postgres writes them; use --from escapes or "
      + "--from literal"
  }

  /// The first opening, the digits after it (without blanks), and the character that ends them.
  private static func first(in text: [UInt8]) -> (Opening.Found, [UInt8], end: UInt8?)? {
    var opening = Opening()
    for (index, byte) in text.enumerated() {
      guard let found = opening.advance(byte) else { continue }
      let rest = text[(index + 1)...]
      var body = rest.prefix { $0.hexDigitValue != nil }
      if case .quote = found { body = rest.prefix { $0.hexDigitValue != nil || $0 == UInt8(ascii: " ") } }
      let end = body.endIndex < text.count ? text[body.endIndex] : nil
      return (found, body.filter { $0 != UInt8(ascii: " ") }, end)
    }
    return nil
  }
}
