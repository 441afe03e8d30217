// Word-at-a-time text scanning: eight bytes are tested with a few instructions. Words are little-endian, so the lowest
// byte of a word is the first byte of the text.

extension Span<UInt8> {
  /// Eight bytes as a little-endian number.
  @inlinable @inline(__always)
  package func word(at index: Int) -> UInt64 {
    // Bounds are checked, and any eight bytes are a valid number.
    UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
  }

  /// Eight bytes as a little-endian number, with zeros after the end of the span.
  @inlinable @inline(__always)
  package func paddedWord(at index: Int) -> UInt64 {
    if count - index >= 8 { return word(at: index) }
    var word: UInt64 = 0
    for offset in 0..<(count - index) { word |= UInt64(self[index + offset]) << UInt64(offset * 8) }
    return word
  }

  /// The first bytes of a range, at most eight, as a little-endian number.
  @inlinable @inline(__always)
  package func firstWord(of range: Range<Int>) -> UInt64 {
    range.count < 8 ? paddedWord(at: range.lowerBound) & (1 << UInt64(range.count * 8) - 1) : word(at: range.lowerBound)
  }

  /// The offset of the first byte in `start..<end` whose high bit `marks` sets in its word. Returns `end` if there is
  /// none. Only the lowest bit of `marks` needs to be reliable.
  @inlinable @inline(__always)
  package func firstMarked(from start: Int, end: Int, by marks: (UInt64) -> UInt64) -> Int {
    var index = start
    while index < end {
      let found = marks(paddedWord(at: index))
      if found != 0 { return Swift.min(index + found.trailingZeroBitCount / 8, end) }
      index += 8
    }
    return end
  }

  /// The offset of the first occurrence of a byte.
  @inlinable
  package func first(_ byte: UInt8, in range: Range<Int>) -> Int? {
    let index = firstMarked(from: range.lowerBound, end: range.upperBound) { $0.matches(of: byte) }
    return index < range.upperBound ? index : nil
  }

  /// Whether the bytes of `range` equal those of `other` that begin at `start`.
  @inlinable @inline(__always)
  package func isEqual(_ range: Range<Int>, to other: Span<UInt8>, from start: Int) -> Bool {
    if range.count < 8 { return firstWord(of: range) == other.firstWord(of: start..<(start + range.count)) }
    var offset = 0
    while offset < range.count - 8 {
      if word(at: range.lowerBound + offset) != other.word(at: start + offset) { return false }
      offset += 8
    }
    return word(at: range.upperBound - 8) == other.word(at: start + range.count - 8)
  }

  /// Whether `other` occurs at `start` and ends at or before `limit`.
  @inlinable
  package func holds(_ other: some Collection<UInt8>, at start: Int, limit: Int) -> Bool {
    start + other.count <= limit && zip(start..., other).allSatisfy { self[$0] == $1 }
  }

  /// Whether the bytes of `range` are exactly `other`.
  @inlinable
  package func holds(_ other: some Collection<UInt8>, in range: Range<Int>) -> Bool {
    range.count == other.count && holds(other, at: range.lowerBound, limit: range.upperBound)
  }

  /// Where other bytes first occur in a range of the span; nil if they do not.
  package func first(_ other: [UInt8], in range: Range<Int>) -> Int? {
    var start = range.lowerBound
    while !holds(other, at: start, limit: range.upperBound) {
      guard start < range.upperBound, let next = first(other[0], in: (start + 1)..<range.upperBound) else { return nil }
      start = next
    }
    return start
  }
}

extension UInt64 {
  /// A word that repeats one byte eight times.
  @inlinable @inline(__always)
  package static func all(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }

  @inlinable @inline(__always)
  package var isASCII: Bool { self & .all(0x80) == 0 }

  /// Sets the high bit of each byte that a JSON string would have to escape: quotes, backslashes and control
  /// characters. Only the lowest set bit is reliable, because the subtractions borrow from higher bytes.
  @inlinable @inline(__always)
  package var bytesToEscape: UInt64 {
    let control = self &- .all(0x20)
    let quote = (self ^ .all(UInt8(ascii: "\""))) &- .all(1)
    let backslash = (self ^ .all(UInt8(ascii: "\\"))) &- .all(1)
    return (control | quote | backslash) & ~self & .all(0x80)
  }

  /// Sets the high bit of each byte that is not unescaped ASCII in a JSON string. Only the lowest set bit is reliable.
  @inlinable @inline(__always)
  package var specialBytes: UInt64 { bytesToEscape | self & .all(0x80) }

  /// Sets the high bit of each byte that equals `byte`. Only the lowest set bit is reliable.
  @inlinable @inline(__always)
  package func matches(of byte: UInt8) -> UInt64 {
    let difference = self ^ .all(byte)
    return (difference &- .all(1)) & ~difference & .all(0x80)
  }
}
