import Octets

extension StandIns {
  /// A stand-in for text, with the same number of bytes and of characters, the same UTF-8 and UTF-16 sizes, and escapes
  /// in the same positions, so that lengths and counts are preserved. Everything that rules look for is kept: damaged
  /// and double-encoded characters, quotes and other punctuation, and lone surrogates.
  /// - Parameters:
  ///   - range: The text in `bytes`; for a string, without its quotes.
  ///   - kind: Different texts of the kind `key` have different stand-ins, however short they are.
  func text(_ bytes: Span<UInt8>, _ range: Range<Int>, _ kind: Kind = .text) -> [UInt8] {
    var shifts = shifts(kind, kind == .key ? [] : range.map { bytes[$0] })
    var out: [UInt8] = []
    var index = range.lowerBound
    while index < range.upperBound {
      let byte = bytes[index]
      let size = bytes.lengthOfCharacter(at: index, end: range.upperBound)
      var part = UInt32(byte)
      if byte == UInt8(ascii: "\\") {
        if let unit = bytes.escapedUnit(at: index, range.upperBound) {
          part = unit
          out += bytes.escape(at: index, shifts.substitute(unit))
        } else {
          for place in index..<min(index + 2, range.upperBound) { out.append(bytes[place]) }
        }
      } else if size == 0 {
        out.append(shifts.other(than: byte, in: Self.invalidBytes))
      } else {
        part = bytes.character(at: index, count: size).value
        out += Unicode.Scalar(shifts.substitute(part)).flatMap { Unicode.UTF8.encode($0) } ?? .init()
      }
      if kind == .key { shifts.depend(on: part) }
      index = range.lowerBound + out.count
    }
    return out
  }

  /// Bytes that are not UTF-8 become others that are not. Four of them have rules of their own for the next byte.
  private static let invalidBytes: [ClosedRange<UInt32>] = [
    0x80...0xbf, 0xc0...0xc1, 0xc2...0xdf, 0xe1...0xec, 0xee...0xef, 0xf1...0xf3, 0xf5...0xff,
  ]
}

extension StandIns.Shifts {
  /// Another character of the same class; punctuation and U+FFFD are in none.
  fileprivate mutating func substitute(_ character: UInt32) -> UInt32 {
    guard let (from, into) = Self.classes.first(where: { $0.from.contains(character) }) else { return character }
    let place = (other(than: character, in: from) - from.lowerBound) % UInt32(into.count)
    let isSame = into.lowerBound + place == character
    return into.lowerBound + (isSame ? (place + 1) % UInt32(into.count) : place)
  }

  /// Classes of letters, digits, symbols and surrogates, and the ranges that their stand-ins come from. The letters
  /// that are frequent in UTF-8 misread as Latin-1 form small classes, so that such text is still recognised.
  private static let classes: [(from: ClosedRange<UInt32>, into: ClosedRange<UInt32>)] = [
    (0x30...0x39, 0x30...0x39), (0x41...0x5a, 0x41...0x5a), (0x61...0x7a, 0x61...0x7a), (0x80...0x9f, 0x80...0x9f),
    (0xa1...0xac, 0xa1...0xac), (0xae...0xbf, 0xae...0xbf), (0xc0...0xc3, 0xc2...0xc3), (0xc4...0xdf, 0xc4...0xdf),
    (0xe0...0xe2, 0xe1...0xec), (0xe3...0xec, 0xe3...0xec), (0xed...0xef, 0xee...0xef), (0xf0...0xf4, 0xf1...0xf3),
    (0xf5...0xff, 0xf5...0xff),
    // Two bytes in UTF-8.
    (0x100...0x7ff, 0x400...0x44f),
    // Three bytes in UTF-8, one unit in UTF-16.
    (0x800...0x1fff, 0x4e00...0x9fff), (0x2c00...0xd7ff, 0x4e00...0x9fff), (0xd800...0xdbff, 0xd800...0xdbff),
    (0xdc00...0xdfff, 0xdc00...0xdfff), (0xe000...0xfefe, 0x4e00...0x9fff), (0xff00...0xfffc, 0x4e00...0x9fff),
    // Four bytes in UTF-8, two units in UTF-16.
    (0x1_0000...0x10_ffff, 0x1_f300...0x1_f5ff),
  ]
}

extension Span<UInt8> {
  /// The unit of an escape such as `\u00fc`; nil for another escape.
  fileprivate func escapedUnit(at index: Int, _ end: Int) -> UInt32? {
    index + 6 <= end && self[index + 1] == UInt8(ascii: "u") ? hexNumber(at: index + 2) : nil
  }

  /// The escape of a unit, in the letters of the one at `index`.
  fileprivate func escape(at index: Int, _ unit: UInt32) -> [UInt8] {
    let isUpper = (index + 2..<index + 6).contains { (0x41...0x46).contains(self[$0]) }
    let digits = [UInt8](bigEndian: UInt64(unit), width: 2).hexDigits
    return [self[index], self[index + 1]] + (isUpper ? digits.uppercased() : digits).utf8
  }
}
