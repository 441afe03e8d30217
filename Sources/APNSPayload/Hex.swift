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

extension [UInt8] {
  /// Pairs of hexadecimal digits and nothing else.
  public init?(hexDigits text: some Collection<UInt8>) {
    guard text.count.isMultiple(of: 2) else { return nil }
    self = []
    reserveCapacity(text.count / 2)
    var high: UInt8?
    for digit in text {
      guard let value = digit.hexDigitValue else { return nil }
      if let half = high {
        append(half << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
  }
}
