import Octets

// Classes of ASCII characters that the text formats need.
extension UInt8 {
  var isWhite: Bool { self == UInt8(ascii: " ") || (0x09...0x0d).contains(self) }
  var isPrintable: Bool { (0x20...0x7e).contains(self) }
  package var isDecimalDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

  var isSmallLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }
  var isBase32: Bool { isLetter && !isSmallLetter || (UInt8(ascii: "2")...UInt8(ascii: "7")).contains(self) }
  package var isLetter: Bool { (self | 0x20).isSmallLetter }

  /// Whether the character can be part of a name or a number.
  var isWordPart: Bool { isLetter || isDecimalDigit || self == UInt8(ascii: "_") }

  /// The character for a message, safe for a terminal: unprintable characters are escaped.
  var displayText: String {
    if isPrintable { return "'\(Character(Unicode.Scalar(self)))'" }
    if self >= 0x80 { return "a non-ASCII character" }
    return "\\x\(hexDigits)"
  }
}

extension Sequence<UInt8> {
  /// The same characters with ASCII capitals in lower case.
  var lowercased: [UInt8] { map { $0.isLetter ? $0 | 0x20 : $0 } }
}
