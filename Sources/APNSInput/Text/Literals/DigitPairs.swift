/// Pairs of hex digits: each pair is a byte at the position of its first digit.
struct DigitPairs {
  /// The first digit of a pair, until the second follows.
  private var high: (digit: UInt8, position: TextPosition)?

  /// Adds a digit; true if it completes a byte.
  mutating func add(_ digit: UInt8, at index: Int, of line: TextLine, to output: inout TextOutput) -> Bool {
    guard let first = high else {
      high = (digit, line.position(index))
      return false
    }
    output.append(first.digit << 4 | digit, at: first.position)
    high = nil
    return true
  }

  /// Forgets a single zero, as that of `0x`; false if there is none.
  mutating func dropZero() -> Bool {
    guard high?.digit == 0 else { return false }
    high = nil
    return true
  }

  /// No digit may be left over.
  func end() throws(ReadError) {
    if let high { throw .oddDigits(at: high.position) }
  }
}
