extension UInt8 {
  /// 0 to 15; nil where the byte is no hexadecimal digit in ASCII.
  public var hexDigitValue: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

extension UInt64 {
  /// What eight hexadecimal digits in ASCII write, four bytes, the first of both lowest; nil where one is no digit.
  @inlinable @inline(__always)
  package var hexOctets: UInt32? {
    // What is added takes a byte's high bit from the first of a range on; no byte of ASCII carries into the next one.
    let digits = (self &+ .all(0x50)) & ~(self &+ .all(0x46))
    let lower = self | .all(0x20)
    let letters = (lower &+ .all(0x1f)) & ~(lower &+ .all(0x19))
    guard isASCII, (digits | letters) & .all(0x80) == .all(0x80) else { return nil }
    let values = (self & .all(0x0f)) &+ (self >> 6 & .all(1)) &* 9
    var octets = (values << 4 | values >> 8) & 0x00ff_00ff_00ff_00ff
    octets = (octets | octets >> 8) & 0x0000_ffff_0000_ffff
    return UInt32(truncatingIfNeeded: octets | octets >> 16)
  }
}

extension [UInt8] {
  /// Pairs of hexadecimal digits and nothing else.
  public init?(hexDigits text: [UInt8]) {
    guard text.count.isMultiple(of: 2) else { return nil }
    self = []
    reserveCapacity(text.count / 2)
    let text = text.span
    var index = 0
    while index < text.count {
      if text.count - index >= 8, let octets = text.word(at: index).hexOctets {
        for shift in stride(from: UInt32(0), to: 32, by: 8) { append(UInt8(truncatingIfNeeded: octets >> shift)) }
        index += 8
      } else {
        guard let high = text[index].hexDigitValue, let low = text[index + 1].hexDigitValue else { return nil }
        append(high << 4 | low)
        index += 2
      }
    }
  }
}

extension UInt8 {
  /// Two hexadecimal digits: `0f`.
  package var hexDigits: String { (self < 16 ? "0" : "") + String(self, radix: 16) }
}

extension Sequence<UInt8> {
  /// Two hexadecimal digits for each byte.
  package var hexDigits: String { map(\.hexDigits).joined() }

  /// The octets that the hexadecimal digits among these characters make, two each; an odd last digit is left out.
  package var octetsOfHexDigits: [UInt8] {
    let digits = compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}
