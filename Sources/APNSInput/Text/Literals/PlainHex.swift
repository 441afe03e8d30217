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
  private enum Style {
    case unknown
    case prefixed
    case separated(UInt8)
  }

  let strict: Bool
  private var high: (digit: UInt8, position: TextPosition)?
  private var style = Style.unknown
  private var isUntouched = true
  /// The character just taken ended a pair.
  private var isAfterPair = false
  private var follow: FollowLines?
  /// The lines break inside of pairs.
  private let joinsLines: Bool

  init(strict: Bool, isFollow: Bool = false, joinsLines: Bool = false) {
    self.strict = strict
    self.joinsLines = joinsLines
    follow = isFollow ? FollowLines() : nil
  }

  var leads: LineLead.Kind { .all }

  mutating func take(_ byte: UInt8, at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    defer { isAfterPair = byte.hexDigit != nil && high == nil }
    switch follow?.step(byte, into: &output) ?? .data {
    case .data: break
    case .skipAlso where high != nil:
      high = nil
      return
    case .skipAlso: break
    case .skip: return
    }
    if let digit = byte.hexDigit {
      if let first = high {
        output.append(first.digit << 4 | digit, at: first.position)
        high = nil
        isUntouched = false
      } else {
        high = (digit, position)
      }
    } else if let first = high {
      if byte | 0x20 == UInt8(ascii: "x") && first.digit == 0 && isUntouched && !strict {
        high = nil
        isUntouched = false
        style = .prefixed
      } else if joinsLines, byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
        return
      } else if byte.isWhite || Self.isSeparator(byte) {
        throw .oddDigits(at: first.position)
      } else {
        throw .notHex(byte, at: position, Self.advice)
      }
    } else if Self.isSeparator(byte) && isAfterPair && allows(byte) {
      style = .separated(byte)
    } else if !byte.isWhite {
      throw .notHex(byte, at: position, Self.advice)
    }
  }

  mutating func finish(at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    if let high { throw .oddDigits(at: high.position) }
  }

  private func allows(_ separator: UInt8) -> Bool {
    switch style {
    case .unknown: !strict
    case .prefixed: false
    case .separated(let known): separator == known
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
    guard start.first?.hexDigit != nil, !LinePrefix.isTimed(first), !DigitsInText.isTable(head),
      start.allSatisfy({ $0.hexDigit != nil || isSeparator($0) || $0 >= 0x80 })
    else { return false }
    let characters = text.count { !$0.isWhite }
    let digits = text.count { $0.hexDigit != nil || isSeparator($0) }
    return digits * 4 >= characters * 3
  }
}
