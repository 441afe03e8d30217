import APNSPayload
import Octets

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
    guard range.count >= 8 else {
      for index in range { store(text[index], at: &end) }
      return
    }
    // The last eight may lie over some of those before them.
    let last = range.upperBound - 8
    var offset = end
    for index in stride(from: range.lowerBound, to: last, by: 8) {
      storeBytes(of: text.word(at: index).littleEndian, toByteOffset: offset, as: UInt64.self)
      offset += 8
    }
    end += range.count
    storeBytes(of: text.word(at: last).littleEndian, toByteOffset: end - 8, as: UInt64.self)
  }

  /// Reaches up to 40 bytes behind `end`.
  @inline(__always)
  mutating func storeSpaces(_ number: Int, at end: inout Int) {
    let last = end + max(number, 0)
    var offset = end
    // Mostly there are fewer, and storing them all is quicker than asking how many.
    repeat {
      for _ in 0..<5 {
        storeBytes(of: 0x2020_2020_2020_2020, toByteOffset: offset, as: UInt64.self)
        offset += 8
      }
    } while offset < last
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
    var offset = end
    for index in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
      // Cells behind the range are written over.
      let eight = bytes.count - index >= 8 ? bytes.word(at: index) : bytes.lastWord(from: index)
      storeHexCells(four: eight, at: offset)
      storeHexCells(four: eight >> 32, at: offset + 12)
      offset += 24
    }
    end += range.count * 3
  }

  @inline(__always)
  private mutating func storeHexCells(four bytes: UInt64, at offset: Int) {
    let digits = bytes.hexDigits
    for pair in 0..<2 {
      let four = digits >> UInt64(pair * 32)
      let cells = four & 0xffff | (four & 0xffff_0000) << 8 | 0x2000_0020_0000
      storeBytes(of: cells.littleEndian, toByteOffset: offset + pair * 6, as: UInt64.self)
    }
  }

  /// Printable ASCII as it is, and full stops for all else.
  @inline(__always)
  mutating func storeDump(_ bytes: Span<UInt8>, _ range: Range<Int>, at end: inout Int) {
    for index in range {
      store((0x20..<0x7f).contains(bytes[index]) ? bytes[index] : UInt8(ascii: "."), at: &end)
    }
  }
}

extension Span<UInt8> {
  /// The last bytes, fewer than eight, as a number whose lowest byte comes first.
  fileprivate func lastWord(from start: Int) -> UInt64 {
    var word: UInt64 = 0
    for index in start..<count { word |= UInt64(self[index]) << UInt64((index - start) * 8) }
    return word
  }
}
