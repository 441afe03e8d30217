/// A number of any size in JSON or in a filter, compared without rounding.
struct JSONNumber: Comparable, Sendable {
  /// The number of decimal digits that always fit into 64 bits.
  private static let leadingCount = 19
  /// Written exponents are cut off here, so that numbers are exact below ten to this power.
  private static let exponentLimit = 1 << 59

  /// -1, 0 or 1.
  private var sign = 0
  /// The power of ten that 0.DIGITS is multiplied by. The first digit is not zero.
  private var exponent = 0
  /// The first digits, filled up with zeros.
  private var leading: UInt64 = 0
  /// The digits after them, without zeros at the end.
  private var others: [UInt8] = []

  /// Nil if the range holds anything else.
  init?(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    var (count, hasDigits, hasPoint, isNegative) = (0, false, false, false)
    var (power, powerSign) = (0, 0)
    for index in range {
      switch bytes[index] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        let digit = bytes[index] - UInt8(ascii: "0")
        hasDigits = true
        if powerSign != 0 {
          power = min(power * 10 + Int(digit), Self.exponentLimit)
        } else if count == 0, digit == 0 {
          if hasPoint { exponent -= 1 }
        } else {
          if !hasPoint { exponent += 1 }
          if count < Self.leadingCount { leading = leading * 10 + UInt64(digit) } else { others.append(digit) }
          count += 1
        }
      case UInt8(ascii: ".") where !hasPoint && powerSign == 0: hasPoint = true
      case UInt8(ascii: "e"), UInt8(ascii: "E"):
        guard hasDigits, powerSign == 0 else { return nil }
        (powerSign, hasDigits) = (1, false)
      case UInt8(ascii: "-") where index == range.lowerBound: isNegative = true
      case UInt8(ascii: "-") where bytes[index - 1] | 0x20 == UInt8(ascii: "e"): powerSign = -1
      case UInt8(ascii: "+") where index > range.lowerBound && bytes[index - 1] | 0x20 == UInt8(ascii: "e"): break
      default: return nil
      }
    }
    guard hasDigits else { return nil }
    sign = count == 0 ? 0 : isNegative ? -1 : 1
    exponent = count == 0 ? 0 : exponent + power * powerSign
    while count < Self.leadingCount { (leading, count) = (leading * 10, count + 1) }
    while others.last == 0 { others.removeLast() }
  }

  static func < (a: Self, b: Self) -> Bool {
    guard a.sign == b.sign else { return a.sign < b.sign }
    // Of two negative numbers, the one with the greater digits is less.
    let (x, y) = a.sign < 0 ? (b, a) : (a, b)
    let isTie = (x.exponent, x.leading) == (y.exponent, y.leading)
    return isTie ? x.others.lexicographicallyPrecedes(y.others) : (x.exponent, x.leading) < (y.exponent, y.leading)
  }
}
