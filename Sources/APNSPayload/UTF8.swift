extension Span<UInt8> {
  /// Bytes of the well-formed UTF-8 character that starts at `index`, 0 where none does (RFC 3629: shortest form, no
  /// surrogates, nothing above U+10FFFF).
  public func lengthOfCharacter(at index: Int, end: Int) -> Int {
    let first = self[index]
    let second: ClosedRange<UInt8>
    let count: Int
    switch first {
    case 0x00...0x7f: return 1
    case 0xc2...0xdf: (count, second) = (2, 0x80...0xbf)
    case 0xe0: (count, second) = (3, 0xa0...0xbf)
    case 0xed: (count, second) = (3, 0x80...0x9f)
    case 0xe1...0xef: (count, second) = (3, 0x80...0xbf)
    case 0xf0: (count, second) = (4, 0x90...0xbf)
    case 0xf4: (count, second) = (4, 0x80...0x8f)
    case 0xf1...0xf3: (count, second) = (4, 0x80...0xbf)
    default: return 0
    }
    guard index + count <= end, second.contains(self[index + 1]) else { return 0 }
    for offset in 2..<Swift.max(count, 2) where self[index + offset] & 0xc0 != 0x80 { return 0 }
    return count
  }

  /// Whether all of `range` is well-formed UTF-8.
  public func isUTF8(_ range: Range<Int>) -> Bool {
    var index = range.lowerBound
    while index < range.upperBound {
      let count = lengthOfCharacter(at: index, end: range.upperBound)
      if count == 0 { return false }
      index += count
    }
    return true
  }

  /// The character of `count` bytes, from ``lengthOfCharacter(at:end:)``, that starts at `index`.
  public func character(at index: Int, count: Int) -> Unicode.Scalar {
    var value = UInt32(self[index])
    if count > 1 {
      value &= 0x7f >> UInt32(count)
      for offset in 1..<count { value = value << 6 | UInt32(self[index + offset] & 0x3f) }
    }
    return Unicode.Scalar(value) ?? "\u{fffd}"
  }

  func starts(with a: UInt8, _ b: UInt8, _ c: UInt8, at index: Int, end: Int) -> Bool {
    index + 3 <= end && self[index] == a && self[index + 1] == b && self[index + 2] == c
  }
}
