import Octets

// Numbers and bytes as digits. Eight characters are computed at once, as one number whose lowest byte is the first.

extension Output {
  /// Writes a number in decimal.
  mutating func decimal(_ value: UInt64) {
    if value < 10 { return byte(UInt8(ascii: "0") | UInt8(truncatingIfNeeded: value)) }
    guard value >= 100_000_000 else { return decimalDigits(value, atLeast: 1) }
    let high = value / 100_000_000
    if high >= 100_000_000 { decimal(high) } else { decimalDigits(high, atLeast: 1) }
    decimalDigits(value % 100_000_000, atLeast: 8)
  }

  package mutating func decimal(_ value: Int) {
    if value < 0 { byte(UInt8(ascii: "-")) }
    decimal(UInt64(value.magnitude))
  }

  /// Writes a text, then a number in decimal.
  mutating func write(_ text: StaticString, _ number: Int) {
    write(text)
    decimal(number)
  }

  /// Writes a number in decimal, with leading zeros up to `digits` digits.
  mutating func decimal(_ value: Int, digits: Int) {
    guard (0..<100_000_000).contains(value), digits <= 8 else { return write(UTC.digits(value, atLeast: digits)) }
    decimalDigits(UInt64(value), atLeast: digits)
  }

  /// - Precondition: `value` has at most 8 digits.
  @inline(__always)
  private mutating func decimalDigits(_ value: UInt64, atLeast least: Int) {
    let eight = value.eightDecimals
    let zeros = Swift.min(eight.trailingZeroBitCount / 8, 8 - least)
    eightBytes(eight | .asciiZeros, from: zeros)
  }

  /// Writes a byte as two hexadecimal digits.
  package mutating func hex(_ byte: UInt8) {
    eightBytes(UInt64(byte).hexDigits, from: 0, to: 2)
  }

  /// Writes each byte as two hexadecimal digits.
  package mutating func hex(_ data: Span<UInt8>) {
    fill(atMost: data.count * 2 + 8) { buffer, end in
      for index in stride(from: 0, to: data.count, by: 4) {
        // What follows the last byte is overwritten.
        let digits = data.paddedWord(at: index).hexDigits
        buffer.storeBytes(of: digits.littleEndian, toByteOffset: end + index * 2, as: UInt64.self)
      }
      end += data.count * 2
    }
  }

  /// Writes the hexadecimal digits of each byte, with spaces between the bytes. The range is not empty.
  mutating func hexCells(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    fill(atMost: range.count * 3 + 32) { buffer, end in
      var offset = end
      for index in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
        let eight = bytes.paddedWord(at: index)
        // Two bytes and their spaces at a time. What follows the last byte is overwritten.
        for pair in 0..<4 {
          let digits = pair < 2 ? eight.hexDigits : (eight >> 32).hexDigits
          let four = digits >> UInt64(pair % 2 * 32)
          let cells = four & 0xffff | (four & 0xffff_0000) << 8 | 0x2000_0020_0000
          buffer.storeBytes(of: cells.littleEndian, toByteOffset: offset + pair * 6, as: UInt64.self)
        }
        offset += 24
      }
      end += range.count * 3 - 1
    }
  }

  /// Writes bytes as ASCII, with a full stop for each byte that is not printable.
  mutating func dump(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    fill(atMost: range.count) { buffer, end in
      for index in range {
        buffer.store((0x20..<0x7f).contains(bytes[index]) ? bytes[index] : UInt8(ascii: "."), at: &end)
      }
    }
  }

  /// Writes a number in hexadecimal, with leading zeros up to `digits` digits.
  @inline(__always)
  mutating func hex(_ value: Int, digits: Int) {
    let needed = (Int.bitWidth - value.leadingZeroBitCount + 3) / 4
    let shown = Swift.min(Swift.max(digits, needed), 16)
    if shown > 8 { hex(half: UInt32(truncatingIfNeeded: value >> 32), digits: shown - 8) }
    hex(half: UInt32(truncatingIfNeeded: value), digits: Swift.min(shown, 8))
  }

  @inline(__always)
  private mutating func hex(half: UInt32, digits: Int) {
    eightBytes(UInt64(half.byteSwapped).hexDigits, from: 8 - digits)
  }

  @inline(__always)
  private mutating func eightBytes(_ text: UInt64, from first: Int, to last: Int = 8) {
    fill(atMost: 8) { buffer, end in
      buffer.storeBytes(of: (text >> UInt64(first * 8)).littleEndian, toByteOffset: end, as: UInt64.self)
      end += last - first
    }
  }
}

/// The number as `0x002b`, with leading zeros up to `digits` digits.
func hexText(_ value: Int, digits: Int) -> String { "0x" + Output.text { $0.hex(value, digits: digits) } }

extension UInt64 {
  /// The character `0` eight times.
  @inline(__always)
  fileprivate static var asciiZeros: UInt64 { 0x3030_3030_3030_3030 }

  /// The eight decimal digits of a number below 100,000,000, the first one in the lowest byte. The number is split into
  /// groups of four digits, then of two, then of one.
  @inline(__always)
  fileprivate var eightDecimals: UInt64 {
    let fours = self / 10_000 | (self % 10_000) << 32
    let hundreds = (fours &* 10_486) >> 20 & 0x0000_007f_0000_007f
    let twos = hundreds | (fours &- hundreds &* 100) << 16
    let tens = (twos &* 103) >> 10 & 0x000f_000f_000f_000f
    return tens | (twos &- tens &* 10) << 8
  }

  /// The hexadecimal digits of the four lowest bytes, as characters; the first one is in the lowest byte.
  @inline(__always)
  var hexDigits: UInt64 {
    var spread = self & 0xffff_ffff
    spread = (spread | spread << 16) & 0x0000_ffff_0000_ffff
    spread = (spread | spread << 8) & 0x00ff_00ff_00ff_00ff
    let digits = spread >> 4 & 0x000f_000f_000f_000f | (spread & 0x000f_000f_000f_000f) << 8
    let letters = (digits &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    return digits &+ .asciiZeros &+ letters &* UInt64(UInt8(ascii: "a") - UInt8(ascii: "0") - 10)
  }
}
