import APNSPayload
import Octets

extension Output {
  /// Appends a well-formed JSON string with its escapes resolved. `range` includes the quotes.
  ///
  /// - Returns: false if an escape is half of a surrogate pair.
  @inline(__always)
  mutating func unescape(_ text: [UInt8], _ range: Range<Int>) -> Bool {
    var isWhole = true
    // An escape is at least as long as its character; the last store may overwrite eight bytes past the end.
    fill(atMost: range.count + 8) { buffer, end in
      isWhole = buffer.storeUnescaped(text.span, (range.lowerBound + 1)..<(range.upperBound - 1), at: &end)
    }
    return isWhole
  }

  /// Appends the bytes of pairs of hexadecimal digits. Returns false for other text.
  @inline(__always)
  mutating func octets(ofHexDigits text: Span<UInt8>) -> Bool {
    guard text.count.isMultiple(of: 2) else { return false }
    var index = 0
    fill(atMost: text.count / 2) { buffer, end in
      while text.count - index >= 8, let octets = text.word(at: index).hexOctets {
        buffer.storeBytes(of: octets.littleEndian, toByteOffset: end, as: UInt32.self)
        index += 8
        end += 4
      }
      while index < text.count, let high = text[index].hexDigitValue, let low = text[index + 1].hexDigitValue {
        buffer.store(high << 4 | low, at: &end)
        index += 2
      }
    }
    return index == text.count
  }
}

extension MutableRawSpan {
  @inline(__always)
  fileprivate mutating func storeUnescaped(_ text: Span<UInt8>, _ range: Range<Int>, at end: inout Int) -> Bool {
    var index = range.lowerBound
    while true {
      index = storeRun(text, index..<range.upperBound, at: &end) { $0.matches(of: UInt8(ascii: "\\")) }
      guard index < range.upperBound else { return true }
      let escape = text[index + 1]
      // Most escapes are those of quotes in JSON.
      if escape == UInt8(ascii: "\"") || escape == UInt8(ascii: "\\") {
        store(escape, at: &end)
        index += 2
      } else {
        let character = text.escapedCharacter(at: &index, end: range.upperBound)
        guard let scalar = Unicode.Scalar(character) else { return false }
        for byte in UTF8.encode(scalar) ?? UTF8.EncodedScalar() { store(byte, at: &end) }
      }
    }
  }
}
