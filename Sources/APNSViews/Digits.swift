import Octets

// Numbers and bytes as digits. Those of bytes are computed eight at once, as one number whose lowest byte is the first.

extension Output {
  /// Writes a number in decimal, with leading zeros up to `digits` digits.
  mutating func decimal(_ value: UInt64, digits: Int = 1) {
    var (count, rest) = (1, value)
    while rest >= 10 { (count, rest) = (count + 1, rest / 10) }
    (count, rest) = (Swift.max(count, digits), value)
    fill(atMost: count) { buffer, end in
      end += count
      for index in stride(from: end - 1, through: end - count, by: -1) {
        let digit = UInt8(ascii: "0") | UInt8(truncatingIfNeeded: rest % 10)
        buffer.storeBytes(of: digit, toByteOffset: index, as: UInt8.self)
        rest /= 10
      }
    }
  }

  package mutating func decimal(_ value: Int, digits: Int = 1) {
    if value < 0 { byte(UInt8(ascii: "-")) }
    decimal(UInt64(value.magnitude), digits: digits)
  }

  mutating func write(_ text: StaticString, _ number: Int, digits: Int = 1) {
    write(text)
    decimal(number, digits: digits)
  }

  package mutating func hex(_ byte: UInt8) { hex(Int(byte), digits: 2) }

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
    fill(atMost: range.count * 3 + 1) { buffer, end in
      for index in range {
        // The two digits, a space, and a byte that the next cell overwrites.
        let cell = UInt32(truncatingIfNeeded: UInt64(bytes[index]).hexDigits) & 0xffff | 0x20_0000
        buffer.storeBytes(of: cell.littleEndian, toByteOffset: end, as: UInt32.self)
        end += 3
      }
      end -= 1
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
  mutating func hex(_ value: Int, digits: Int) {
    let count = Swift.max(digits, (Int.bitWidth - value.leadingZeroBitCount + 3) / 4)
    let bytes = (UInt64(truncatingIfNeeded: value) << UInt64(64 - count * 4)).byteSwapped
    fill(atMost: 16) { buffer, end in
      buffer.storeBytes(of: bytes.hexDigits.littleEndian, toByteOffset: end, as: UInt64.self)
      buffer.storeBytes(of: (bytes >> 32).hexDigits.littleEndian, toByteOffset: end + 8, as: UInt64.self)
      end += count
    }
  }
}

/// The number as `0x002b`, with leading zeros up to `digits` digits.
func hexText(_ value: Int, digits: Int) -> String { "0x" + Output.text { $0.hex(value, digits: digits) } }

extension UInt64 {
  /// The hexadecimal digits of the four lowest bytes, as characters; the first one is in the lowest byte.
  @inline(__always)
  var hexDigits: UInt64 {
    var spread = self & 0xffff_ffff
    spread = (spread | spread << 16) & 0x0000_ffff_0000_ffff
    spread = (spread | spread << 8) & 0x00ff_00ff_00ff_00ff
    let digits = spread >> 4 & 0x000f_000f_000f_000f | (spread & 0x000f_000f_000f_000f) << 8
    let letters = (digits &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    return digits &+ .all(UInt8(ascii: "0")) &+ letters &* UInt64(UInt8(ascii: "a") - UInt8(ascii: "0") - 10)
  }
}
