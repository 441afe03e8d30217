import Octets

// The columns that text has on a terminal. All text is well-formed UTF-8.

extension StringProtocol {
  var columns: Int { unicodeScalars.reduce(0) { $0 + $1.columns } }

  /// Makes the text safe on a terminal, and splits it into pieces of at most `width` columns: at the last space in the
  /// second half of a piece, if there is one.
  public func wrapped(to width: Int) -> [String] {
    let text = printable(String(self))
    let bytes = text.utf8.span
    var lines: [String] = []
    bytes.wrap(0..<bytes.count, to: width) { lines.append(String(copying: bytes.extracting($0))) }
    return lines
  }
}

extension Span<UInt8> {
  func columns(_ range: Range<Int>) -> Int {
    var columns = 0
    var index = range.lowerBound
    while index < range.upperBound { columns += takeCharacter(at: &index, end: range.upperBound).columns }
    return columns
  }

  func isHex(_ range: Range<Int>) -> Bool { range.allSatisfy { self[$0].hexDigitValue != nil } }

  /// Visits the ranges of pieces of at most `width` columns: split at the space that follows, or at the last one in the
  /// second half of a piece, if there is one.
  func wrap(_ range: Range<Int>, to width: Int, _ visit: (Range<Int>) -> Void) {
    var start = range.lowerBound
    repeat {
      var (end, used) = (start, 0)
      var lastSpace: (index: Int, used: Int)?
      while end < range.upperBound {
        var next = end
        let character = takeCharacter(at: &next, end: range.upperBound)
        let columns = character.columns
        if character == " " { lastSpace = (end, used) }
        if used + columns > width, end > start { break }
        (end, used) = (next, used + columns)
      }
      if end < range.upperBound, let space = lastSpace, space.used * 2 > width { end = space.index }
      visit(start..<end)
      start = end < range.upperBound && self[end] == UInt8(ascii: " ") ? end + 1 : end
    } while start < range.upperBound
  }

  @inline(__always)
  private func takeCharacter(at index: inout Int, end: Int) -> Unicode.Scalar {
    let first = self[index]
    let count = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
    let character = character(at: index, count: Swift.min(count, end - index))
    index += count
    return character
  }
}

extension Unicode.Scalar {
  /// The columns that a terminal gives the character: 0 for combining marks, 2 for wide East Asian characters and
  /// emoji.
  @inline(__always)
  var columns: Int {
    // Latin, Greek, Cyrillic, Chinese, Japanese and Korean text needs no slow lookup of the category.
    if value < 0x300 || (0x370..<0x483).contains(value) { return 1 }
    if (0x30a0..<0xa490).contains(value) || (0xac00..<0xd7a4).contains(value) { return 2 }
    return columnsByCategory
  }

  @inline(never)
  private var columnsByCategory: Int {
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    switch value {
    case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f,
      0xff00...0xff60, 0xffe0...0xffe6, 0x20000...0x3fffd:
      return 2
    default:
      return properties.isEmojiPresentation ? 2 : 1
    }
  }
}
