extension UInt8 {
  /// The value of this hexadecimal digit in ASCII, 0 to 15; nil for any other byte.
  package var hexDigitValue: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// The byte as two hexadecimal digits, such as `0f`.
  package var hexDigits: String { (self < 16 ? "0" : "") + String(self, radix: 16) }
}

extension UInt64 {
  /// The four bytes that eight hexadecimal digits in ASCII encode; nil if one is not a digit. The first digit and the
  /// first byte are the lowest.
  @inlinable @inline(__always)
  package var hexOctets: UInt32? {
    // Each addition sets a byte's high bit from the first character of a range on; ASCII bytes never carry into the
    // next.
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

extension Span<UInt8> {
  /// The value of the four hexadecimal digits at `index`; nil if one is not a digit.
  @inlinable @inline(__always)
  package func hexNumber(at index: Int) -> UInt32? {
    // Four zeros make eight digits of them.
    let digits = UInt64(uint32(at: index).byteSwapped) | 0x3030_3030 << 32
    return digits.hexOctets.map { UInt32(UInt16(truncatingIfNeeded: $0).byteSwapped) }
  }
}

extension [UInt8] {
  /// Decodes pairs of hexadecimal digits in ASCII, two for each byte.
  ///
  /// - Returns: nil if the number of digits is odd, or if any byte is not a hexadecimal digit.
  public init?(hexDigits text: [UInt8]) {
    let digits = text.compactMap(\.hexDigitValue)
    guard digits.count == text.count, text.count.isMultiple(of: 2) else { return nil }
    self = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}

extension Sequence<UInt8> {
  /// The bytes as hexadecimal digits, two for each byte.
  package var hexDigits: String { map(\.hexDigits).joined() }
}
