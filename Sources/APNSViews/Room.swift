import APNSPayload

// The pieces of text that are stored where room was made for them, each at `end`, which moves behind it. What is stored
// eight bytes at a time may reach behind its end.

extension MutableRawSpan {
  @inline(__always)
  mutating func store(_ byte: UInt8, at end: inout Int) {
    storeBytes(of: byte, toByteOffset: end, as: UInt8.self)
    end += 1
  }

  @inline(__always)
  mutating func store(_ text: Span<UInt8>, _ range: Range<Int>, at end: inout Int) {
    var index = range.lowerBound
    while range.upperBound - index >= 8 {
      storeBytes(of: text.word(at: index).littleEndian, toByteOffset: end, as: UInt64.self)
      index += 8
      end += 8
    }
    while index < range.upperBound {
      store(text[index], at: &end)
      index += 1
    }
  }

  @inline(__always)
  mutating func storeSpaces(_ number: Int, at end: inout Int) {
    let last = end + max(number, 0)
    var offset = end
    while offset < last {
      storeBytes(of: 0x2020_2020_2020_2020, toByteOffset: offset, as: UInt64.self)
      offset += 8
    }
    end = last
  }

  /// At least `digits` hexadecimal digits.
  @inline(__always)
  mutating func storeHex(_ value: Int, digits: Int, at end: inout Int) {
    let needed = (Int.bitWidth - value.leadingZeroBitCount + 3) / 4
    let shown = min(max(digits, needed), 16)
    if shown > 8 { storeHex(half: UInt32(truncatingIfNeeded: value >> 32), digits: shown - 8, at: &end) }
    storeHex(half: UInt32(truncatingIfNeeded: value), digits: min(shown, 8), at: &end)
  }

  @inline(__always)
  private mutating func storeHex(half: UInt32, digits: Int, at end: inout Int) {
    let text = UInt64(half.byteSwapped).hexDigits >> UInt64((8 - digits) * 8)
    storeBytes(of: text.littleEndian, toByteOffset: end, as: UInt64.self)
    end += digits
  }

  @inline(__always)
  mutating func storeHex(_ byte: UInt8, at end: inout Int) {
    let digits = UInt16(truncatingIfNeeded: UInt64(byte).hexDigits)
    storeBytes(of: digits.littleEndian, toByteOffset: end, as: UInt16.self)
    end += 2
  }

  /// Digits of each byte, a space behind.
  @inline(__always)
  mutating func storeHexCells(_ bytes: Span<UInt8>, _ range: Range<Int>, at end: inout Int) {
    for index in range {
      let cell = UInt32(truncatingIfNeeded: UInt64(bytes[index]).hexDigits & 0xffff | 0x20_0000)
      storeBytes(of: cell.littleEndian, toByteOffset: end, as: UInt32.self)
      end += 3
    }
  }

  /// Printable ASCII as it is, and full stops for all else.
  @inline(__always)
  mutating func storeDump(_ bytes: Span<UInt8>, _ range: Range<Int>, at end: inout Int) {
    for index in range {
      store((0x20..<0x7f).contains(bytes[index]) ? bytes[index] : UInt8(ascii: "."), at: &end)
    }
  }

  /// What `write` stores, in a style.
  @inline(__always)
  mutating func storePainted(
    _ style: Palette.Style, _ palette: Palette, at end: inout Int, _ write: (inout MutableRawSpan, inout Int) -> Void
  ) {
    let isPainted = palette.isColored && style != .plain
    if isPainted { storeSequence(style.rawValue, at: &end) }
    write(&self, &end)
    if isPainted { storeSequence("0", at: &end) }
  }

  private mutating func storeSequence(_ code: String, at end: inout Int) {
    for byte in "\u{1b}[\(code)m".utf8 { store(byte, at: &end) }
  }
}
