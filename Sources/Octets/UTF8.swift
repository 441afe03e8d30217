extension Span<UInt8> {
  /// The size in bytes of the well-formed UTF-8 character that starts at `index`: 1 to 4, or 0 if there is none before
  /// `end`. RFC 3629 defines well-formed: the shortest form, no surrogates, nothing above U+10FFFF.
  package func lengthOfCharacter(at index: Int, end: Int) -> Int {
    guard let form = CharacterForm(first: self[index]), index + form.count <= end else { return 0 }
    return hasForm(form, at: index, end: end) ? form.count : 0
  }

  /// The size in bytes that the character at `index` would have if the text did not end inside it: 2 to 4. Returns 0 if
  /// no character is cut off at `end`, or if the bytes before `end` are not well-formed.
  package func sizeOfCutCharacter(at index: Int, end: Int) -> Int {
    guard let form = CharacterForm(first: self[index]), index + form.count > end else { return 0 }
    return hasForm(form, at: index, end: end) ? form.count : 0
  }

  /// The number of UTF-16 code units in `range`. Bytes that are not UTF-8 count as if they were.
  package func utf16Count(_ range: Range<Int>) -> Int { range.reduce(0) { $0 + self[$1].utf16Count } }

  /// Whether all of `range` is well-formed UTF-8 (RFC 3629).
  package func isUTF8(_ range: Range<Int>) -> Bool {
    let end = range.upperBound
    var index = range.lowerBound
    while true {
      while end - index >= 8, word(at: index).isASCII { index += 8 }
      while index < end, self[index] < 0x80 { index += 1 }
      guard index < end else { return true }
      let characters = index
      index = endOfLongCharacters(from: index, end: end)
      if index == characters { return false }
    }
  }

  /// Decodes the character of `count` bytes at `index`. `count` comes from `lengthOfCharacter(at:end:)`.
  @inlinable
  package func character(at index: Int, count: Int) -> Unicode.Scalar {
    var value = UInt32(self[index])
    if count > 1 {
      value &= 0x7f >> UInt32(count)
      for offset in 1..<count { value = value << 6 | UInt32(self[index + offset] & 0x3f) }
    }
    return Unicode.Scalar(value) ?? "\u{fffd}"
  }

  /// The offset after a run of well-formed multibyte characters that begins at `start`. The run may contain single
  /// unescaped ASCII characters, such as spaces, but no byte that a JSON string would have to escape.
  package func endOfLongCharacters(from start: Int, end: Int) -> Int {
    var index = start
    while end - index >= 4 {
      let next = fourBytes(at: index)
      if next & 0x80 == 0 {
        if next & 0x8000 == 0 || UInt64(next & 0xff).specialBytes & 0x80 != 0 { return index }
        index += 1
      } else if next & 0xe0 == 0xc0, end - index >= 8, word(at: index).isFourPairs {
        index += 8
      } else {
        let count = next.lengthOfLongCharacter
        if count == 0 { return index }
        index += count
      }
    }
    while index < end, self[index] >= 0x80 {
      let count = lengthOfCharacter(at: index, end: end)
      if count == 0 { return index }
      index += count
    }
    return index
  }

  /// Whether the continuation bytes before `end` match the form.
  private func hasForm(_ form: CharacterForm, at index: Int, end: Int) -> Bool {
    let last = Swift.min(index + form.count, end)
    guard index + 1 < last else { return true }
    guard form.second.contains(self[index + 1]) else { return false }
    for other in (index + 2)..<Swift.max(last, index + 2) where self[other] & 0xc0 != 0x80 { return false }
    return true
  }
}

/// The requirements of a character's first byte for the following bytes.
private struct CharacterForm {
  let count: Int
  /// Allowed values of the second byte; the bytes after it are always 0x80 to 0xbf.
  let second: ClosedRange<UInt8>

  init?(first: UInt8) {
    switch first {
    case 0x00...0x7f: (count, second) = (1, 0x80...0xbf)
    case 0xc2...0xdf: (count, second) = (2, 0x80...0xbf)
    case 0xe0: (count, second) = (3, 0xa0...0xbf)
    case 0xed: (count, second) = (3, 0x80...0x9f)
    case 0xe1...0xef: (count, second) = (3, 0x80...0xbf)
    case 0xf0: (count, second) = (4, 0x90...0xbf)
    case 0xf4: (count, second) = (4, 0x80...0x8f)
    case 0xf1...0xf3: (count, second) = (4, 0x80...0xbf)
    default: return nil
    }
  }
}

extension UInt8 {
  /// The UTF-16 code units of the character in UTF-8 that begins with this byte; 0 for a later byte of a character.
  package var utf16Count: Int { self < 0x80 ? 1 : self < 0xc0 ? 0 : self < 0xf0 ? 1 : 2 }
}
