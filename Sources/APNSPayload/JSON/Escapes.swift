import Octets

extension Span<UInt8> {
  /// Writes the characters of a well-formed string into `out` as UTF-8 with escapes resolved. `range` includes the
  /// quotes.
  ///
  /// - Returns: false if an escape is half of a surrogate pair. Its three bytes in generalized UTF-8 are written then,
  ///   so that different strings stay different.
  @discardableResult
  package func resolve(_ range: Range<Int>, into out: inout [UInt8]) -> Bool {
    out.removeAll(keepingCapacity: true)
    let end = range.upperBound - 1
    var index = range.lowerBound + 1
    var isText = true
    while index < end {
      let escape = first(UInt8(ascii: "\\"), in: index..<end) ?? end
      out.append(contentsOf: extracting(index..<escape))
      index = escape
      guard index < end else { break }
      let value = escapedCharacter(at: &index, end: end)
      if let character = Unicode.Scalar(value).flatMap({ UTF8.encode($0) }) {
        out += character
      } else {
        isText = false
        out += [0xe0 | UInt8(value >> 12), 0x80 | UInt8(value >> 6 & 0x3f), 0x80 | UInt8(value & 0x3f)]
      }
    }
    return isText
  }

  /// The character that the escape at `index` encodes in a well-formed string. Moves `index` after the escape. Half of
  /// a surrogate pair is returned as its own number.
  @inline(__always)
  func escapedCharacter(at index: inout Int, end: Int) -> UInt32 {
    let escape = self[index + 1]
    guard escape == UInt8(ascii: "u") else {
      index += 2
      return switch escape {
      case UInt8(ascii: "n"): 0x0a
      case UInt8(ascii: "t"): 0x09
      case UInt8(ascii: "r"): 0x0d
      case UInt8(ascii: "b"): 0x08
      case UInt8(ascii: "f"): 0x0c
      default: UInt32(escape)
      }
    }
    let first = hexNumber(at: index + 2) ?? 0xfffd
    index += 6
    guard 0xd800...0xdbff ~= first, index + 6 <= end, self[index] == UInt8(ascii: "\\"),
      self[index + 1] == UInt8(ascii: "u")
    else { return first }
    guard let second = hexNumber(at: index + 2), 0xdc00...0xdfff ~= second else { return first }
    index += 6
    return 0x10000 + (first - 0xd800) << 10 + (second - 0xdc00)
  }
}
