/// A JSON number of any size, as its decimal digits, so that it is compared without rounding. It refers to bytes that
/// the caller keeps.
struct DecimalNumber: Sendable {
  /// -1, 0 or 1.
  private let sign: Int
  /// The power of ten that 0.DIGITS is multiplied by.
  private let exponent: Int
  /// From the first digit that is not zero to the last one, perhaps with a decimal point in between. Empty for zero.
  private let digits: Range<Int>

  /// Written exponents are cut off here, so that numbers are exact below ten to this power.
  private static let exponentLimit = 1 << 59

  /// Nil if the range holds anything else.
  init?(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    var index = range.lowerBound
    let isNegative = index < range.upperBound && bytes[index] == UInt8(ascii: "-")
    if isNegative { index += 1 }
    var first: Int?
    var (last, exponent) = (index, 0)
    var (hasDigits, hasPoint) = (false, false)
    loop: while index < range.upperBound {
      switch bytes[index] {
      case let digit where Self.isDigit(digit):
        hasDigits = true
        if digit != UInt8(ascii: "0") {
          first = first ?? index
          last = index + 1
        }
        if hasPoint, first == nil { exponent -= 1 }
        if !hasPoint, first != nil { exponent += 1 }
      case UInt8(ascii: ".") where !hasPoint: hasPoint = true
      case UInt8(ascii: "e"), UInt8(ascii: "E"):
        guard let power = Self.power(bytes, (index + 1)..<range.upperBound) else { return nil }
        exponent += power
        break loop
      default: return nil
      }
      index += 1
    }
    guard hasDigits else { return nil }
    digits = (first ?? last)..<last
    sign = first == nil ? 0 : isNegative ? -1 : 1
    self.exponent = exponent
  }

  /// A power of ten, with or without a sign.
  private static func power(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
    var range = range
    let isNegative = range.first.map { bytes[$0] == UInt8(ascii: "-") } ?? false
    if isNegative || range.first.map({ bytes[$0] == UInt8(ascii: "+") }) ?? false { range.removeFirst() }
    guard !range.isEmpty else { return nil }
    var value = 0
    for index in range {
      guard isDigit(bytes[index]) else { return nil }
      value = min(value * 10 + Int(bytes[index] - UInt8(ascii: "0")), exponentLimit)
    }
    return isNegative ? -value : value
  }

  private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0") <= byte && byte <= UInt8(ascii: "9") }

  /// Negative if this number is less than the other one, 0 if they are equal, otherwise positive.
  func order(in bytes: Span<UInt8>, against other: DecimalNumber, in otherBytes: Span<UInt8>) -> Int {
    guard sign == other.sign, sign != 0 else { return sign - other.sign }
    guard exponent == other.exponent else { return exponent < other.exponent ? -sign : sign }
    var (index, otherIndex) = (digits.lowerBound, other.digits.lowerBound)
    while index < digits.upperBound, otherIndex < other.digits.upperBound {
      let (digit, otherDigit) = (bytes[index], otherBytes[otherIndex])
      if digit == UInt8(ascii: ".") {
        index += 1
      } else if otherDigit == UInt8(ascii: ".") {
        otherIndex += 1
      } else if digit == otherDigit {
        index += 1
        otherIndex += 1
      } else {
        return digit < otherDigit ? -sign : sign
      }
    }
    // The last digit is not zero, so the number with more digits is larger.
    return sign * ((digits.upperBound - index).signum() - (other.digits.upperBound - otherIndex).signum())
  }
}

/// A number in a filter that numbers in a payload are compared with.
struct JSONNumber: Sendable {
  private let text: [UInt8]
  private let number: DecimalNumber

  init?(_ text: String) {
    let text = Array(text.utf8)
    guard let number = DecimalNumber(text.span, 0..<text.count) else { return nil }
    (self.text, self.number) = (text, number)
  }

  /// Negative if the number in `bytes` is less than this one, 0 if they are equal, otherwise positive.
  func order(of other: DecimalNumber, in bytes: Span<UInt8>) -> Int {
    other.order(in: bytes, against: number, in: text.span)
  }

  static func < (a: Self, b: Self) -> Bool { b.order(of: a.number, in: a.text.span) < 0 }
}
