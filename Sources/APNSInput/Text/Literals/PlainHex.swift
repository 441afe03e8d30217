import Octets

extension TextFormat {
  /// Hexadecimal digits, in groups or not, as `xxd -p` prints them.
  public static let plain = TextFormat(
    "plain", "plain hex digits, in groups or not (xxd -p, 02:00:4e)",
    layouts: { [PlainHex(joinsLines: PlainHex.areLinesOdd($0))] })
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
  /// The number of bytes in the current group, and in each group that has a separator.
  private var group = 0
  private var groupSize: Int?
  /// No pair has been completed.
  private var isUntouched = true
  /// The preceding character completed a pair.
  private var isAfterPair = false
  private var hasHeading = false
  private var isDump = false
  /// Whether a line begins with what may be a time of day or its number.
  private var hasLead = false
  /// Whether an editor has changed a character among the digits.
  private(set) var isSure = false

  var isPlausible: Bool { !isFollow || hasHeading && !isDump }

  init(joinsLines: Bool = false, isFollow: Bool = false) {
    self.joinsLines = joinsLines
    self.isFollow = isFollow
  }

  var longestLine: Int { LineSplitter.limit }
  var doubt: String? {
    guard hasLead else { return nil }
    return "a line may begin with a time or a number, or with bytes; remove it, or use --from plain if they are bytes"
  }

  mutating func decode(_ line: TextLine, into output: inout TextOutput) throws(ReadError) {
    hasLead = hasLead || line.text[line.first...].beginsWithTime
    if isFollow {
      if line.isFollowHeading {
        hasHeading = true
        isDump = isDump || line.text.holds(",hex")
        return output.explain(line)
      }
      output.switchSide(to: line.text.first == UInt8(ascii: "\t") ? 1 : 0)
    }
    try decode(line, line.first..<line.text.count, into: &output)
    guard !joinsLines else { return }
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
      group += 1
    }
  }

  mutating func finish(at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    isAfterPair = false
    let last = group
    group = 0
    try pairs.end()
    if let groupSize, last > groupSize { hasLead = true }
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
    if isSeparator, isAfterPair, style == .unknown || style == .separated(byte), groupSize ?? group == group {
      style = .separated(byte)
      groupSize = group
      group = 0
    } else if byte.isWhite {
      // Groups are as long as the first one with a separator; the last one of a line may be shorter.
      if let groupSize, group > 0, group != groupSize {
        throw .notHex(byte, at: position, "ends a group that is not as long as the ones before it")
      }
      group = 0
    } else {
      isSure = byte >= 0x80 && !isUntouched
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
}

extension ArraySlice<UInt8> {
  /// Whether the first of several words is a time of day: `12:00:01`.
  fileprivate var beginsWithTime: Bool {
    let word = prefix(9)
    guard word.count == 9, word.last?.isWhite == true,
      word.dropLast().map({ $0.isDecimalDigit ? UInt8(ascii: "9") : $0 }).isText("99:99:99")
    else { return false }
    let numbers = word.dropLast().split(separator: UInt8(ascii: ":")).compactMap { $0.number(radix: 10) }
    return numbers[0] < 24 && numbers[1] < 60 && numbers[2] <= 60
  }
}
