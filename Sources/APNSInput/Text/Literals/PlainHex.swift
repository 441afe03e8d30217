import Octets

extension TextFormat {
  /// Hexadecimal digits, in groups or not, as `xxd -p` prints them.
  public static let plain = TextFormat(
    "plain", "plain hex digits, in groups or not (xxd -p, 02:00:4e)", recognises: { PlainHex.recognises($0) },
    decoder: { PlainHex(joinsLines: PlainHex.areLinesOdd($0)) })
}

/// Pairs of hex digits with white space between groups: `xxd -p`, Wireshark's hex stream.
///
///     0808 0000 04D2
///     0x0808000004d2
///     08:08:00:00:04:d2
///
/// A pair never spans white space: an odd number of digits in a group is an error, because joining it to the next group
/// would shift every following byte. The text may begin with `0x` or use one kind of separator
/// directly after pairs, but not both; otherwise the offsets of a dump could be mistaken for bytes.
struct PlainHex: TextDecoder {
  private enum Style: Equatable {
    case unknown
    case prefixed
    case separated(UInt8)
  }

  /// Whether line breaks may split a pair.
  let joinsLines: Bool
  /// Whether the text has the headings of Wireshark's Follow, and a tab before the server's lines.
  let isFollow: Bool
  private var pairs = DigitPairs()
  private var style = Style.unknown
  /// No pair has been completed.
  private var isUntouched = true
  /// The preceding character completed a pair.
  private var isAfterPair = false

  init(joinsLines: Bool = false, isFollow: Bool = false) {
    self.joinsLines = joinsLines
    self.isFollow = isFollow
  }

  var longestLine: Int? { nil }

  mutating func decode(_ line: TextLine, into output: inout TextOutput) throws(ReadError) {
    if isFollow, line.isStart {
      if line.isFollowHeading { return }
      output.switchSide(to: line.text.first == UInt8(ascii: "\t") ? 1 : 0)
    }
    try decode(line, line.first..<line.text.count, into: &output)
    guard line.isEnd, !joinsLines else { return }
    try finish(at: line.position(line.text.count), into: &output)
  }

  /// Decodes a part of a line.
  mutating func decode(_ line: TextLine, _ range: Range<Int>, into output: inout TextOutput) throws(ReadError) {
    for index in range {
      let byte = line.text[index]
      guard let digit = byte.hexDigitValue else {
        try acceptSeparator(byte, at: line.position(index))
        isAfterPair = false
        continue
      }
      guard pairs.add(digit, at: index, of: line, to: &output) else { continue }
      isUntouched = false
      isAfterPair = true
    }
  }

  mutating func finish(at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    isAfterPair = false
    try pairs.end()
  }

  /// Accepts white space, a separator, or the `x` of `0x`.
  private mutating func acceptSeparator(_ byte: UInt8, at position: TextPosition) throws(ReadError) {
    let isSeparator = Self.isSeparator(byte)
    if byte | 0x20 == UInt8(ascii: "x"), isUntouched, pairs.dropZero() {
      isUntouched = false
      style = .prefixed
      return
    }
    if byte.isWhite || isSeparator { try pairs.end() }
    if isSeparator, isAfterPair, style == .unknown || style == .separated(byte) {
      style = .separated(byte)
    } else if !byte.isWhite {
      throw .notHex(byte, at: position, Self.explanation)
    }
  }

  static func isSeparator(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ":") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ",")
  }

  private static let explanation = "is not a hex digit; correct it, or read the bytes unchanged with --from raw"
}

// MARK: - Recognition
extension PlainHex {
  /// Whether all lines have only digits, and all but the last have the same odd number: the text was wrapped without
  /// regard to pairs.
  fileprivate static func areLinesOdd(_ head: TextHead) -> Bool {
    let full = head.lines.dropLast()
    guard let first = full.first, first.count % 2 == 1, first.count > 8 else { return false }
    return full.allSatisfy { $0.count == first.count && $0.isHex } && head.lines.last?.count ?? 0 <= first.count
  }

  /// The text begins with digits and consists mostly of digits, so that an error in it is reported and it is not taken
  /// for prose. Digits that are both hex and base64 are read as hex.
  static func recognises(_ head: TextHead) -> Bool {
    guard let first = head.lines.first else { return true }
    let text = Array(head.lines.joined())
    let line = first.drop { $0.isWhite }
    let isPrefixed = line.starts(with: [UInt8(ascii: "0"), UInt8(ascii: "x")])
    let start = line.dropFirst(isPrefixed ? 2 : 0).prefix { !$0.isWhite }
    guard start.first?.hexDigitValue != nil, !LinePrefix.isTimed(first), !DigitsInText.isTable(head),
      start.allSatisfy({ $0.hexDigitValue != nil || isSeparator($0) || $0 >= 0x80 })
    else { return false }
    let characters = text.count { !$0.isWhite }
    let digits = text.count { $0.hexDigitValue != nil || isSeparator($0) }
    return digits * 4 >= characters * 3
  }
}
