import APNSPayload
import Octets

enum TokenShape {
  case binary
  case empty
  case zero
  /// Hexadecimal digits in ASCII, possibly followed by spaces, line ends or a NUL.
  case hexText
  /// Other text. `holdsDigits` says that it contains only hexadecimal digits and the separators that people write.
  case description(holdsDigits: Bool)
  /// The token ends in this many zero bytes.
  case padded(Int)
  /// This many bytes are a question mark, and none is above 7f: it went through a text in ASCII. Of random tokens, one
  /// in 10^7 of 24 bytes has no higher byte.
  case questioned(Int)

  /// For most tokens, the first bytes and the last one decide.
  init(of range: Range<Int>, in bytes: Span<UInt8>) {
    self = .binary
    guard let end = range.last else {
      self = .empty
      return
    }
    // Text has no high byte, and padding ends in a zero.
    if range.count >= 4, bytes[end] != 0, bytes.uint32(at: range.lowerBound) & 0x8080_8080 != 0 { return }
    if Self.isCharacter(bytes[range.lowerBound]), let text = Self.text(range, bytes) {
      self = text
    } else if bytes[end] == 0 {
      let zeros = range.reversed().prefix { bytes[$0] == 0 }.count
      if zeros == range.count { self = .zero } else if zeros >= 8 { self = .padded(zeros) }
    } else if range.count >= 24, range.allSatisfy({ bytes[$0] < 0x80 }) {
      let marks = range.count { bytes[$0] == UInt8(ascii: "?") }
      if marks >= 4 { self = .questioned(marks) }
    }
  }

  /// Whether every edition allows the token.
  func isOrdinary(_ count: Int) -> Bool {
    if case .binary = self { count == 32 } else { false }
  }

  /// Whether the token could mean another token: as hexadecimal digits, or as a longer one in another way.
  static func mayBeCoded(_ range: Range<Int>, in bytes: Span<UInt8>) -> Bool {
    range.count > 32 && Evidence.mayMeanAnother(token: [UInt8](copying: bytes.extracting(range)))
      || TokenShape(of: range, in: bytes).holdsDigits
  }

  var holdsDigits: Bool {
    switch self {
    case .hexText, .description(holdsDigits: true): true
    default: false
    }
  }

  /// Random bytes are not mistaken for text: 16 random bytes are all digits once in 10^17 tokens, and 24 are all
  /// printable once in 10^10.
  private static func text(_ range: Range<Int>, _ bytes: Span<UInt8>) -> TokenShape? {
    let (first, last) = (bytes[range.lowerBound], bytes[range.upperBound - 1])
    let text = last == 0 ? range.dropLast() : range
    guard text.allSatisfy({ isCharacter(bytes[$0]) }) else { return nil }
    func isDigit(_ index: Int) -> Bool { bytes[index].hexDigitValue != nil }
    let digits = text.count(where: isDigit)
    if digits >= 16, digits.isMultiple(of: 2) || 62...66 ~= digits,
      text.allSatisfy({ isDigit($0) || isSeparator(bytes[$0]) })
    {
      let rest = text.drop(while: isDigit)
      let isAtEnd = rest.allSatisfy { !isDigit($0) && bytes[$0] != UInt8(ascii: ">") }
      return isAtEnd ? .hexText : .description(holdsDigits: true)
    }
    guard digits < range.count, range.allSatisfy({ bytes[$0] >= 0x20 }) else { return nil }
    let isBracketed = first == UInt8(ascii: "<") && last == UInt8(ascii: ">")
    let isNull = first == UInt8(ascii: "(") && last == UInt8(ascii: ")")
    return isBracketed || isNull || range.count >= 24 ? .description(holdsDigits: false) : nil
  }

  /// Whether the byte is printable ASCII or a line end.
  private static func isCharacter(_ byte: UInt8) -> Bool { 0x20...0x7e ~= byte || byte == 0x0a || byte == 0x0d }

  /// Whether people write this byte between and around digits.
  private static func isSeparator(_ byte: UInt8) -> Bool { " <>\n\r".utf8.contains(byte) }
}
