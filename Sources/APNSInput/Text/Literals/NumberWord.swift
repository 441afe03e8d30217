/// A number in the syntax of some programming language.
///
///     8   0x08   $08   &H08   #x08   08h   0b1000   0o10   16#08   8u8   0x08UL   1_000
struct NumberWord {
  let value: Int
  /// Whether the number has only digits, so that its base is uncertain.
  let isBare: Bool
  /// Whether digits follow a leading zero.
  let hasLeadingZero: Bool
  /// The number of digits.
  let digits: Int
  /// The index of the first digit in the word.
  let firstDigit: Int

  /// The value if digits without a prefix are octal; too large if they are not.
  var octal: Int {
    guard isBare, hasLeadingZero || digits == 1 else { return isBare ? Int.max : value }
    return octalValue ?? Int.max
  }
  private let octalValue: Int?

  /// Nil if the word is not a number.
  init?(_ word: ArraySlice<UInt8>) {
    guard let first = word.first, word.last != UInt8(ascii: "_"),
      first.isDecimalDigit || Self.signs.contains(first)
    else { return nil }
    let isPlain = word.allSatisfy { $0.isDecimalDigit || $0 & 0x20 != 0 && $0.isLetter }
    let text =
      isPlain ? word : word.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "'") }.lowercased[...]
    var found: (digits: ArraySlice<UInt8>, radix: Int)?
    let mayHavePrefix = !first.isDecimalDigit || text.dropFirst().first?.isDecimalDigit == false
    for (prefix, radix) in Self.prefixes
    where mayHavePrefix && found == nil && text.starts(with: prefix) {
      let digits = Self.withoutSuffix(text.dropFirst(prefix.count))
      if digits.number(radix: radix) != nil { found = (digits, radix) }
    }
    if found == nil, first.isDecimalDigit {
      if let mark = text.firstIndex(of: UInt8(ascii: "#")), let radix = text[..<mark].number(radix: 10), 2...16 ~= radix
      {
        found = (text[(mark + 1)...].prefix { $0 != UInt8(ascii: "#") }, radix)
      } else if text.last == UInt8(ascii: "h"), text.dropLast().isHex {
        found = (text.dropLast(), 16)
      }
    }
    if let found {
      guard let value = found.digits.number(radix: found.radix) else { return nil }
      (self.value, isBare, hasLeadingZero, octalValue) = (value, false, false, nil)
      (digits, firstDigit) = (found.digits.count, found.digits.startIndex - text.startIndex)
      return
    }
    let digits = Self.withoutSuffix(text)
    guard let value = digits.number(radix: 10) else { return nil }
    self.value = value
    (self.digits, firstDigit) = (digits.count, 0)
    isBare = digits.count == text.count
    octalValue = digits.number(radix: 8)
    hasLeadingZero = digits.count > 1 && first == UInt8(ascii: "0")
  }

  private static let signs = Array("$&#".utf8)
  private static let prefixes: [(text: [UInt8], radix: Int)] = [
    ("0x", 16), ("&h", 16), ("#$", 16), ("#x", 16), ("$", 16), ("0b", 2), ("#b", 2), ("0o", 8), ("#o", 8),
  ].map { (Array($0.utf8), $1) }

  /// Type suffixes of numbers.
  private static let suffixes = ["u8", "i8", "uy", "ul", "ub", "u", "l", "y"]
  private static let suffixSigns = Array("uily".utf8)

  private static func withoutSuffix(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard text.contains(where: { suffixSigns.contains($0) }) else { return text }
    for suffix in suffixes where text.count > suffix.utf8.count && text.suffix(suffix.utf8.count).isText(suffix) {
      return text.dropLast(suffix.utf8.count)
    }
    return text
  }
}
