import APNSPayload
import Octets

// Stores that `Output.fill` uses. Each stores at the offset `end` and advances it. Some store eight bytes at a time and
// may overwrite bytes past the new `end`.

extension MutableRawSpan {
  @inline(__always)
  mutating func store(_ byte: UInt8, at end: inout Int) {
    storeBytes(of: byte, toByteOffset: end, as: UInt8.self)
    end += 1
  }

  /// Copies text up to the first byte that `special` marks, and returns its index; else the end of the range. Of the
  /// marks in a word, only the lowest bit need be reliable.
  @inline(__always)
  mutating func storeRun(
    _ text: Span<UInt8>, _ range: Range<Int>, at end: inout Int, until special: (UInt64) -> UInt64
  ) -> Int {
    var index = range.lowerBound
    while range.upperBound - index >= 8 {
      let word = text.word(at: index)
      storeBytes(of: word.littleEndian, toByteOffset: end, as: UInt64.self)
      let found = special(word)
      let count = found == 0 ? 8 : found.trailingZeroBitCount / 8
      index += count
      end += count
      if found != 0 { return index }
    }
    while index < range.upperBound, special(UInt64(text[index])) & 0x80 == 0 {
      store(text[index], at: &end)
      index += 1
    }
    return index
  }

  /// May overwrite up to 40 bytes past `end`.
  @inline(__always)
  mutating func storeSpaces(_ number: Int, at end: inout Int) {
    let last = end + max(number, 0)
    var offset = end
    // Storing 40 spaces without a condition is faster than a loop over the few that are usually needed.
    repeat {
      for _ in 0..<5 {
        storeBytes(of: 0x2020_2020_2020_2020, toByteOffset: offset, as: UInt64.self)
        offset += 8
      }
    } while offset < last
    end = last
  }

  /// Stores a number in hexadecimal, with leading zeros up to `digits` digits.
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

  /// Stores the digits of each byte, and a space after each.
  @inline(__always)
  mutating func storeHexCells(_ bytes: Span<UInt8>, _ range: Range<Int>, at end: inout Int) {
    var offset = end
    for index in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
      // The next stores overwrite the cells past the range.
      let eight = bytes.paddedWord(at: index)
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

  /// Stores bytes as ASCII, with a full stop for each byte that is not printable.
  @inline(__always)
  mutating func storeDump(_ bytes: Span<UInt8>, _ range: Range<Int>, at end: inout Int) {
    for index in range {
      store((0x20..<0x7f).contains(bytes[index]) ? bytes[index] : UInt8(ascii: "."), at: &end)
    }
  }
}
