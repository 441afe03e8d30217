import APNSPayload
import Octets

/// A stand-in for text, with the same number of bytes and of characters, the same UTF-8 and UTF-16 sizes, and escapes
/// in the same positions, so that lengths and counts are preserved. Everything that rules look for is kept: damaged and
/// double-encoded characters, quotes and other punctuation, and lone surrogates.
struct TextStandIn {
  private let standIns: StandIns
  private let isKey: Bool
  /// Whether documented words are kept.
  private let keepsWords: Bool
  private var out: [UInt8] = []

  /// - Parameters:
  ///   - range: The text in `bytes`; for a string, without its quotes.
  ///   - isKey: Whether different texts must have different stand-ins, however short they are.
  static func of(
    _ bytes: Span<UInt8>, _ range: Range<Int>, _ standIns: StandIns, isKey: Bool = false, keepsWords: Bool = false
  ) -> [UInt8] {
    // For long texts, collisions of random stand-ins are negligible.
    var text = TextStandIn(standIns: standIns, isKey: isKey && range.count <= 32, keepsWords: keepsWords)
    text.write(bytes, range, [UInt8](copying: bytes.extracting(range)))
    return text.out
  }

  private init(standIns: StandIns, isKey: Bool, keepsWords: Bool) {
    self.standIns = standIns
    self.isKey = isKey
    self.keepsWords = keepsWords
  }

  private mutating func write(_ bytes: Span<UInt8>, _ range: Range<Int>, _ content: [UInt8]) {
    var chance = standIns.chance(isKey ? .key : .text, content)
    var read: [UInt8] = []
    var index = range.lowerBound
    while index < range.upperBound {
      let start = index
      if keepsWords, let end = endOfWord(bytes, at: index, range.upperBound) {
        for place in index..<end { out.append(bytes[place]) }
        index = end
        continue
      }
      let byte = bytes[index]
      if byte == UInt8(ascii: "\\") {
        writeEscape(bytes, &index, range.upperBound, &chance, &read)
      } else if byte < 0x80 {
        out.append(UInt8(substitute(UInt32(byte), &chance, &read)))
        index += 1
      } else {
        let count = bytes.lengthOfCharacter(at: index, end: range.upperBound)
        if count == 0 {
          // Invalid UTF-8: a continuation byte may be replaced by any other, but a lead byte is kept.
          out.append((0x80...0xbf).contains(byte) ? chance.byte(in: 0x80...0xbf) : byte)
          index += 1
        } else {
          let other = substitute(bytes.character(at: index, count: count).value, &chance, &read)
          out += utf8(other)
          index += count
        }
      }
      assert(out.count == index - range.lowerBound, "the text at \(start) changes its size")
    }
  }

  /// The end of a documented name or a literal in text that is not JSON.
  private func endOfWord(_ bytes: Span<UInt8>, at start: Int, _ limit: Int) -> Int? {
    guard start == 0 || !Self.isLetter(bytes[start - 1]), Self.isLetter(bytes[start]) else { return nil }
    var end = start
    while end < limit, Self.isLetter(bytes[end]), end - start < 40 { end += 1 }
    let word = [UInt8](copying: bytes.extracting(start..<end))
    return Self.words.contains(word) ? end : nil
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "-")
  }

  private static let words: Set<[UInt8]> = Set(
    (PayloadKey.all.map(\.name) + ["true", "false", "null", "default"]).map { Array($0.utf8) })

  /// An escape keeps its form; the escaped character is replaced like any other.
  private mutating func writeEscape(
    _ bytes: Span<UInt8>, _ index: inout Int, _ end: Int, _ chance: inout StandIns.Chance, _ read: inout [UInt8]
  ) {
    guard let unit = number(bytes, at: index, end) else {
      // A single-letter escape is kept.
      let count = min(2, end - index)
      for place in index..<(index + count) { out.append(bytes[place]) }
      read += [UInt8(ascii: "\\"), count > 1 ? bytes[index + 1] : 0]
      index += count
      return
    }
    let isUpper = (index + 2..<index + 6).contains { (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(bytes[$0]) }
    switch unit {
    case 0xd800...0xdbff:
      if let low = number(bytes, at: index + 6, end), (0xdc00...0xdfff).contains(low) {
        let other = substitute(0x1_0000 + (unit - 0xd800) << 10 + (low - 0xdc00), &chance, &read) - 0x1_0000
        writeUnit(0xd800 + other >> 10, isUpper)
        writeUnit(0xdc00 + other & 0x3ff, isUpper)
        index += 12
        return
      }
      fallthrough
    case 0xdc00...0xdfff:
      for place in index..<(index + 6) { out.append(bytes[place]) }
    default:
      writeUnit(substitute(unit, &chance, &read), isUpper)
    }
    index += 6
  }

  private func number(_ bytes: Span<UInt8>, at index: Int, _ end: Int) -> UInt32? {
    guard index + 6 <= end, bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "u") else {
      return nil
    }
    var value: UInt32 = 0
    for place in (index + 2)..<(index + 6) {
      guard let digit = bytes[place].hexDigitValue else { return nil }
      value = value << 4 | UInt32(digit)
    }
    return value
  }

  private mutating func writeUnit(_ unit: UInt32, _ isUpper: Bool) {
    let digits = Array((isUpper ? "0123456789ABCDEF" : "0123456789abcdef").utf8)
    out += [UInt8(ascii: "\\"), UInt8(ascii: "u")]
    for shift: UInt32 in [12, 8, 4, 0] { out.append(digits[Int(unit >> shift & 15)]) }
  }

  /// A character of the same class.
  private func substitute(_ character: UInt32, _ chance: inout StandIns.Chance, _ read: inout [UInt8]) -> UInt32 {
    defer { if isKey { read += utf8(character) } }
    guard let letters = Self.classes.first(where: { $0.of.contains(character) }) else { return character }
    if isKey, letters.of == letters.into {
      let place = standIns.permutedIndex(
        of: Int(character - letters.of.lowerBound), among: letters.of.count, .key, read)
      return letters.into.lowerBound + UInt32(place)
    }
    return letters.into.lowerBound + UInt32(chance.below(letters.into.count))
  }

  /// Classes of letters, digits and symbols, and the ranges that their stand-ins come from. Punctuation and U+FFFD are
  /// kept. The letters that are frequent in UTF-8 misread as Latin-1 form small classes, so that such text is still
  /// recognised.
  private static let classes: [(of: ClosedRange<UInt32>, into: ClosedRange<UInt32>)] = [
    (0x30...0x39, 0x30...0x39), (0x41...0x5a, 0x41...0x5a), (0x61...0x7a, 0x61...0x7a),
    (0xc4...0xdf, 0xc4...0xdf), (0xe0...0xe1, 0xe0...0xe1), (0xe3...0xef, 0xe3...0xef), (0xf0...0xf4, 0xf0...0xf4),
    (0xf5...0xff, 0xf5...0xff),
    // Two bytes in UTF-8.
    (0x100...0x7ff, 0x400...0x44f),
    // Three bytes in UTF-8, one unit in UTF-16.
    (0x800...0x1fff, 0x4e00...0x9fff), (0x2c00...0xd7ff, 0x4e00...0x9fff), (0xe000...0xfefe, 0x4e00...0x9fff),
    (0xff00...0xfffc, 0x4e00...0x9fff),
    // Four bytes in UTF-8, two units in UTF-16.
    (0x1_0000...0x10_ffff, 0x1_f300...0x1_f5ff),
  ]

  private func utf8(_ character: UInt32) -> [UInt8] {
    Unicode.Scalar(character).map { Array(String($0).utf8) } ?? []
  }
}
