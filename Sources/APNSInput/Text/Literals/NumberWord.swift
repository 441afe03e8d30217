/// A number in the syntax of some programming language.
///
///     8   0x08   $08   &H08   #x08   08h   0b1000   0o10   16#08   8u8   0x08UL   1_000
struct NumberWord {
  let value: Int
  /// The value if digits without a prefix are octal; too large if they are not.
  let octal: Int
  /// Whether the number has only digits, so that its base is uncertain.
  let isBare: Bool
  /// Whether digits follow a leading zero.
  let hasLeadingZero: Bool
  /// The number of digits.
  let digits: Int
  /// The index of the first digit in the word.
  let firstDigit: Int

  init?(_ word: ArraySlice<UInt8>) {
    guard let first = word.first, word.last != UInt8(ascii: "_"), first.isDecimalDigit || "$&#".utf8.contains(first)
    else { return nil }
    let isPlain = word.allSatisfy { $0.isDecimalDigit || $0 & 0x20 != 0 && $0.isLetter }
    let text = isPlain ? word : word.filter { !"_'".utf8.contains($0) }.lowercased[...]
    let marked = Self.marked(text)
    let digits = marked?.digits ?? Self.withoutSuffix(text)
    guard let value = digits.number(radix: marked?.radix ?? 10) else { return nil }
    self.value = value
    (self.digits, firstDigit) = (digits.count, digits.startIndex - text.startIndex)
    isBare = marked == nil && digits.count == text.count
    hasLeadingZero = marked == nil && digits.count > 1 && first == UInt8(ascii: "0")
    let isOctal = hasLeadingZero || digits.count == 1
    octal = isBare ? (isOctal ? digits.number(radix: 8) : nil) ?? .max : value
  }

  /// The digits of a number that states its base, and the base.
  private static func marked(_ text: ArraySlice<UInt8>) -> (digits: ArraySlice<UInt8>, radix: Int)? {
    for (prefix, radix) in prefixes where text.starts(with: prefix.utf8) {
      let digits = withoutSuffix(text.dropFirst(prefix.utf8.count))
      if digits.number(radix: radix) != nil { return (digits, radix) }
    }
    guard text.first?.isDecimalDigit == true else { return nil }
    if let mark = text.firstIndex(of: UInt8(ascii: "#")), let radix = text[..<mark].number(radix: 10), 2...16 ~= radix {
      return (text[(mark + 1)...].prefix { $0 != UInt8(ascii: "#") }, radix)
    }
    return text.last == UInt8(ascii: "h") && text.dropLast().isHex ? (text.dropLast(), 16) : nil
  }

  private static let prefixes = [
    ("0x", 16), ("&h", 16), ("#$", 16), ("#x", 16), ("$", 16), ("0b", 2), ("#b", 2), ("0o", 8), ("#o", 8),
  ]

  private static func withoutSuffix(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard text.contains(where: \.isLetter) else { return text }
    let suffix = ["u8", "i8", "uy", "ul", "ub", "u", "l", "y"].first { suffix in
      text.count > suffix.utf8.count && text.suffix(suffix.utf8.count).isText(suffix)
    }
    return text.dropLast(suffix?.utf8.count ?? 0)
  }
}
