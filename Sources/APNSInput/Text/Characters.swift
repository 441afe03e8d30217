/// ASCII as the text formats need it.
extension UInt8 {
  var isWhite: Bool { self == UInt8(ascii: " ") || (0x09...0x0d).contains(self) }
  var isPrintable: Bool { (0x20...0x7e).contains(self) }
  var isDecimalDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

  var isLetter: Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self)
  }

  /// Part of a name or a number.
  var isWordPart: Bool { isLetter || isDecimalDigit || self == UInt8(ascii: "_") }

  /// Safe for a terminal: anything that is not printable comes as an escape.
  var shown: String {
    if isPrintable { return "'\(Character(Unicode.Scalar(self)))'" }
    if self >= 0x80 { return "a non-ASCII character" }
    return self < 0x10 ? "\\x0\(String(self, radix: 16))" : "\\x\(String(self, radix: 16))"
  }
}

extension Sequence<UInt8> {
  /// Capitals as small letters.
  var lowercased: [UInt8] { map { $0.isLetter ? $0 | 0x20 : $0 } }
}
