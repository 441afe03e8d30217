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

  /// Four bytes as a little-endian number.
  @inlinable @inline(__always)
  package func fourBytes(at index: Int) -> UInt32 {
    // Safe for the same reason.
    UInt32(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt32.self))
  }

  /// The offset of the first byte in `start..<end` whose high bit `marks` sets in its word. Returns `end` if there is
  /// none. Only the lowest bit of `marks` needs to be reliable.
  @inlinable @inline(__always)
  func firstMarked(from start: Int, end: Int, by marks: (UInt64) -> UInt64) -> Int {
    var index = start
    while index < end {
      let found = marks(paddedWord(at: index))
      if found != 0 { return Swift.min(index + found.trailingZeroBitCount / 8, end) }
      index += 8
    }
    return end
  }

  /// The offset of the first byte in `start..<end` that a JSON string would have to escape: a quote, a backslash or a
  /// control character. Returns `end` if there is none. `all` receives the high bits of the bytes before it, and at
  /// `end` those of up to seven bytes after it.
  @inlinable @inline(__always)
  package func endOfUnescapedText(from start: Int, end: Int, _ all: inout UInt64) -> Int {
    firstMarked(from: start, end: end) { word in
      let found = word.bytesToEscape
      all |= word & ((found & (0 &- found)) &- 1)
      return found
    }
  }

  /// The offset of the first byte in `start..<end` that is not unescaped ASCII in a JSON string. Returns `end` if there
  /// is none.
  @inlinable @inline(__always)
  package func endOfUnescapedASCII(from start: Int, end: Int) -> Int {
    firstMarked(from: start, end: end) { $0.specialBytes }
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
    let (here, count) = (range.lowerBound, range.count)
    if count >= 8 {
      var offset = 0
      while offset < count - 8 {
        if word(at: here + offset) != other.word(at: start + offset) { return false }
        offset += 8
      }
      return word(at: here + count - 8) == other.word(at: start + count - 8)
    }
    if count >= 4 {
      return fourBytes(at: here) == other.fourBytes(at: start)
        && fourBytes(at: here + count - 4) == other.fourBytes(at: start + count - 4)
    }
    for offset in 0..<count where self[here + offset] != other[start + offset] { return false }
    return true
  }

  /// Whether `other` occurs at `start` and ends at or before `limit`.
  @inlinable
  package func holds(_ other: some Collection<UInt8>, at start: Int, limit: Int) -> Bool {
    guard start + other.count <= limit else { return false }
    var index = start
    for byte in other {
      if self[index] != byte { return false }
      index += 1
    }
    return true
  }

  /// Whether the bytes of `range` are exactly `other`.
  @inlinable
  package func holds(_ other: some Collection<UInt8>, in range: Range<Int>) -> Bool {
    range.count == other.count && holds(other, at: range.lowerBound, limit: range.upperBound)
  }

  /// Where other bytes first occur in a range of the span; nil if they do not.
  package func first(_ other: [UInt8], in range: Range<Int>) -> Int? {
    guard let head = other.first else { return range.lowerBound }
    var start = range.lowerBound
    while let found = first(head, in: start..<range.upperBound) {
      if holds(other, at: found, limit: range.upperBound) { return found }
      start = found + 1
    }
    return nil
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
