import Octets

/// The properties of a payload's strings and keys that reveal how they were encoded.
public struct TextTraits: Sendable, Hashable {
  /// The number of characters above U+007F that are written as `\uXXXX`; a surrogate pair counts once. Escaped ASCII is
  /// not counted, because encoders escape it for a purpose, such as `<` for HTML.
  package private(set) var escapes = 0
  /// The number of bytes that UTF-8 would save for these characters.
  package private(set) var savedBytes = 0
  /// The offsets of the first of these escapes; nil if there is none.
  package private(set) var firstEscape: Range<Int>?
  /// The offsets of the first escape that is half of a surrogate pair; nil if there is none.
  package private(set) var loneSurrogate: Range<Int>?
  /// The first character that was damaged before it was encoded as JSON; nil if there is none.
  package private(set) var mangled: Mangled?

  /// Damaged text and its position.
  package struct Mangled: Sendable, Hashable {
    /// How the text was damaged.
    package let damage: Damage
    /// The offsets of the damaged text.
    package let range: Range<Int>
  }

  /// How text was damaged.
  package enum Damage: Sendable, Hashable {
    /// It contains U+FFFD, which replaced bytes that could not be decoded.
    case replaced
    /// It is UTF-8 that was read as Latin-1 and encoded again: `Ã©`.
    case encodedTwice
  }

  /// Whether text was damaged before or after it was encoded as UTF-16.
  var isDamaged: Bool { mangled != nil || loneSurrogate != nil }

  /// - Parameter string: a well-formed string or key.
  @inline(__always)
  mutating func read(_ string: JSONScanner.Token, in bytes: Span<UInt8>) {
    if string.isASCII, !string.hasEscapes { return }
    let characters = (string.start + 1)..<(string.end - 1)
    if string.hasEscapes || Self.isSuspicious(characters, in: bytes) { readCharacters(characters, in: bytes) }
  }

  /// Whether unescaped characters could be damaged: U+FFFD, or one of U+00C0 to U+00FF before one of U+0080 to U+00BF
  /// or a euro sign. Bytes next to them may count too.
  private static func isSuspicious(_ characters: Range<Int>, in bytes: Span<UInt8>) -> Bool {
    let last = bytes.count - 2 - ByteBlock.scalarCount
    guard last >= 0 else { return true }
    for index in stride(from: characters.lowerBound, to: characters.upperBound, by: ByteBlock.scalarCount) {
      let first = ByteBlock(bytes, at: min(index, last))
      let third = ByteBlock(bytes, at: min(index, last) + 2)
      let found =
        (first.equal(0xc3) .& (third.equal(0xc2) .| third.equal(0xe2))) .| (first.equal(0xef) .& third.equal(0xbd))
      if found.first < ByteBlock.scalarCount { return true }
    }
    return false
  }

  private mutating func readCharacters(_ range: Range<Int>, in bytes: Span<UInt8>) {
    var twice = TwiceEncoded()
    var index = range.lowerBound
    while index < range.upperBound {
      let start = index
      if bytes[start] == UInt8(ascii: "\\") {
        let character = bytes.escapedCharacter(at: &index, end: range.upperBound)
        if index - start > 2 { addEscape(character, start..<index) }
        add(character, at: start..<index, &twice)
      } else if bytes[start] < 0x80 {
        index = bytes.firstMarked(from: start, end: range.upperBound) { $0.specialBytes }
        twice.skip(to: bytes[index - 1])
      } else {
        index += max(bytes.lengthOfCharacter(at: start, end: range.upperBound), 1)
        add(bytes.character(at: start, count: index - start).value, at: start..<index, &twice)
      }
    }
  }

  @inline(__always)
  private mutating func add(_ character: UInt32, at range: Range<Int>, _ twice: inout TwiceEncoded) {
    guard mangled == nil else { return }
    if character == 0xfffd {
      mangled = Mangled(damage: .replaced, range: range)
    } else if let found = twice.add(character, at: range) {
      mangled = Mangled(damage: .encodedTwice, range: found)
    }
  }

  @inline(__always)
  private mutating func addEscape(_ character: UInt32, _ range: Range<Int>) {
    guard character >= 0x80 else { return }
    guard let scalar = Unicode.Scalar(character) else {
      loneSurrogate = loneSurrogate ?? range
      return
    }
    escapes += 1
    savedBytes += range.count - UTF8.width(scalar)
    firstEscape = firstEscape ?? range
  }
}

/// Finds UTF-8 that was decoded as Latin-1 or Windows-1252. Such text has a character with the value of a lead byte,
/// followed by the right number of characters with the values of continuation bytes.
private struct TwiceEncoded {
  private var lead: UInt32 = 0
  private var missing = 0
  private var start = 0
  private var hasControl = false
  /// The character before the lead byte.
  private var previous: UInt32 = 0
  private var last: UInt32 = 0

  @inline(__always)
  mutating func add(_ character: UInt32, at range: Range<Int>) -> Range<Int>? {
    defer { last = character }
    return missing == 0 && !(0xc2...0xf4 ~= character) ? nil : addByte(character, at: range)
  }

  private mutating func addByte(_ character: UInt32, at range: Range<Int>) -> Range<Int>? {
    if missing > 0 {
      missing -= 1
      // The beginning of a curly quote or a dash in Windows-1252: `â€`.
      if lead == 0xe2, missing == 1, character == 0x20ac { return start..<range.upperBound }
      guard 0x80...0xbf ~= character else { return begin(character, range) }
      if character < 0xa0 { hasControl = true }
      guard missing == 0 else { return nil }
      // Capital letters precede guillemets and spaces in undamaged text, but never control characters. Most Latin
      // letters become Ã or Â. These are rare enough to be sufficient evidence, except in «MANHÃ».
      return hasControl || (lead <= 0xc3 && character != 0xbb && !isOrdinal(character)) ? start..<range.upperBound : nil
    }
    return begin(character, range)
  }

  /// Adds ASCII characters, of which `last` is the last.
  mutating func skip(to last: UInt8) { (missing, self.last) = (0, UInt32(last)) }

  /// In capitals, an ordinal indicator may follow an accented letter: «MAÃº».
  private func isOrdinal(_ character: UInt32) -> Bool {
    (character == 0xaa || character == 0xba) && (0x41...0x5a ~= previous || 0xc0...0xde ~= previous)
  }

  private mutating func begin(_ character: UInt32, _ range: Range<Int>) -> Range<Int>? {
    (lead, start, hasControl, previous) = (character, range.lowerBound, false, last)
    missing =
      switch character {
      case 0xc2...0xdf: 1
      case 0xe0...0xef: 2
      case 0xf0...0xf4: 3
      default: 0
      }
    return nil
  }
}
