extension Span<UInt8> {
  /// The size in bytes of the well-formed UTF-8 character that starts at `index`: 1 to 4, or 0 if there is none before
  /// `end`. RFC 3629 defines well-formed: the shortest form, no surrogates, nothing above U+10FFFF.
  package func lengthOfCharacter(at index: Int, end: Int) -> Int {
    fourBytes(at: index, end: end, padding: 0).lengthOfCharacter
  }

  /// The size in bytes that the character at `index` would have if the text did not end inside it: 2 to 4. Returns 0 if
  /// no character is cut off at `end`, or if the bytes before `end` are not well-formed.
  package func sizeOfCutCharacter(at index: Int, end: Int) -> Int {
    // Every character that is cut can be completed with the lowest or the highest continuation byte.
    let lengths = [0x80, 0xbf].map { fourBytes(at: index, end: end, padding: $0).lengthOfCharacter }
    return lengths.first { $0 > end - index } ?? 0
  }

  @inline(__always)
  private func fourBytes(at index: Int, end: Int, padding: UInt8) -> UInt32 {
    if end - index >= 4 { return uint32(at: index) }
    return (index..<(index + 4)).reduce(0) { $0 << 8 | UInt32($1 < end ? self[$1] : padding) }
  }

  /// Whether all of `range` is well-formed UTF-8 (RFC 3629).
  package func isUTF8(_ range: Range<Int>) -> Bool { endOfUTF8(range) == range.upperBound }

  /// The offset of the first byte in `range` that is not part of a well-formed character. Returns the end of `range` if
  /// there is none.
  package func endOfUTF8(_ range: Range<Int>) -> Int {
    if isUTF8InBlocks(range) { return range.upperBound }
    var index = range.lowerBound
    while index < range.upperBound, case let count = lengthOfCharacter(at: index, end: range.upperBound), count > 0 {
      index += count
    }
    return index
  }

  /// Decodes the character of `count` bytes at `index`. `count` comes from `lengthOfCharacter(at:end:)`.
  @inlinable
  package func character(at index: Int, count: Int) -> Unicode.Scalar {
    if count <= 1 { return Unicode.Scalar(self[index]) }
    let first = UInt32(self[index]) & 0x7f >> UInt32(count)
    let value = (1..<count).reduce(first) { $0 << 6 | UInt32(self[index + $1] & 0x3f) }
    return Unicode.Scalar(value) ?? "\u{fffd}"
  }
}

extension UInt32 {
  /// The size in bytes of the UTF-8 character that the four bytes begin with; 0 if it is not well-formed.
  @inlinable @inline(__always)
  package var lengthOfCharacter: Int {
    if self & 0x8000_0000 == 0 { return 1 }
    // 110xxxxx 10xxxxxx, but not c0 or c1
    if self & 0xe0c0_0000 == 0xc080_0000 { return self & 0x1e00_0000 != 0 ? 2 : 0 }
    // 1110xxxx 10xxxxxx 10xxxxxx, but no overlong form (e0 80 to 9f) and no surrogate (ed a0 to bf)
    if self & 0xf0c0_c000 == 0xe080_8000 {
      let bound = self & 0x0f20_0000
      return bound != 0 && bound != 0x0d20_0000 ? 3 : 0
    }
    // 11110xxx and three continuation bytes, from f0 90 to f4 8f
    if self & 0xf8c0_c0c0 == 0xf080_8080 {
      let bound = self & 0x0730_0000
      return bound != 0 && (bound & 0x0400_0000 == 0 || bound & 0x0330_0000 == 0) ? 4 : 0
    }
    return 0
  }
}

extension UInt8 {
  /// The UTF-16 code units of the character in UTF-8 that begins with this byte; 0 for a later byte of a character.
  package var utf16Count: Int { self < 0x80 ? 1 : self < 0xc0 ? 0 : self < 0xf0 ? 1 : 2 }
}
