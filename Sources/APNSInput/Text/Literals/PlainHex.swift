import Octets

extension TextFormat {
  public static let plain = TextFormat(
    "plain", "plain hex digits, in groups or not (xxd -p, 02:00:4e)", recognises: { PlainHex.recognises($0) },
    decoder: { head, strict in PlainHex(strict: strict, joinsLines: !strict && PlainHex.areLinesOdd(head)) })
}

/// Pairs of hex digits with white space between groups; `xxd -p`, Wireshark's hex stream.
///
///     0808 0000 04D2
///     0x0808000004d2
///     08:08:00:00:04:d2
///
/// A pair never spans white space: a group of odd length is a mistake, and joining it to the next would shift every
/// byte after it. Outside of strict, either one `0x` comes first or one kind of separator stands right after pairs; no
/// more than that, or the offsets of a dump in another format would pass for bytes.
struct PlainHex: TextDecoder {
  private enum Style: Equatable {
    case unknown
    case prefixed
    case separated(UInt8)
  }

  let strict: Bool
  /// The lines break inside of pairs.
  let joinsLines: Bool
  /// Headings and a tab before what the server sent, as Follow prints them.
  let isFollow: Bool
  private var pairs = DigitPairs()
  private var style = Style.unknown
  private var isUntouched = true
  /// The character just taken ended a pair.
  private var isAfterPair = false

  init(strict: Bool, joinsLines: Bool = false, isFollow: Bool = false) {
    self.strict = strict
    self.joinsLines = joinsLines
    self.isFollow = isFollow
  }

  var longestLine: Int? { nil }

  mutating func take(_ line: TextLine, into output: inout TextOutput) throws(ReadError) {
    if isFollow, line.isStart {
      if line.isFollowHeading { return }
      output.turn(to: line.text.first == UInt8(ascii: "\t") ? 1 : 0)
    }
    try take(line, line.first..<line.text.count, into: &output)
    guard line.isEnd, !joinsLines else { return }
    try finish(at: line.position(line.text.count), into: &output)
  }

  /// Reads a part of a line.
  mutating func take(_ line: TextLine, _ range: Range<Int>, into output: inout TextOutput) throws(ReadError) {
    for index in range {
      let byte = line.text[index]
      guard let digit = byte.hexDigitValue else {
        try take(byte, at: line.position(index))
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

  /// Takes what is no digit.
  private mutating func take(_ byte: UInt8, at position: TextPosition) throws(ReadError) {
    let isSeparator = Self.isSeparator(byte)
    if byte | 0x20 == UInt8(ascii: "x"), isUntouched, !strict, pairs.dropZero() {
      isUntouched = false
      style = .prefixed
      return
    }
    if byte.isWhite || isSeparator { try pairs.end() }
    if isSeparator, isAfterPair, !strict, style == .unknown || style == .separated(byte) {
      style = .separated(byte)
    } else if !byte.isWhite {
      throw .notHex(byte, at: position, Self.advice)
    }
  }

  static func isSeparator(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ":") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ",")
  }

  private static let advice = "is not a hex digit; correct it, or read the bytes unchanged with --from raw"
}

// Recognition.
extension PlainHex {
  /// Lines of nothing but digits, all but the last of the same odd length: whatever wrapped them counted digits.
  fileprivate static func areLinesOdd(_ head: TextHead) -> Bool {
    let full = head.lines.dropLast()
    guard let first = full.first, first.count % 2 == 1, first.count > 8 else { return false }
    return full.allSatisfy { $0.count == first.count && $0.isHex } && head.lines.last?.count ?? 0 <= first.count
  }

  /// Begins with digits and is mostly digits, so that a mistake in it is found and named instead of taken for prose.
  /// Digits alone are always hex, even where they would be base64 too.
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
