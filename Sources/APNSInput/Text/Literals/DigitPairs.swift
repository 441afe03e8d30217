/// Decodes pairs of hex digits. The position of a byte is that of its first digit.
struct DigitPairs {
  /// The first digit of an incomplete pair.
  private var high: (digit: UInt8, position: TextPosition)?

  /// Adds a digit. Returns true if it completes a byte.
  mutating func add(_ digit: UInt8, at index: Int, of line: TextLine, to output: inout TextOutput) -> Bool {
    guard let first = high else {
      high = (digit, line.position(index))
      return false
    }
    output.append(first.digit << 4 | digit, at: first.position)
    high = nil
    return true
  }

  /// Drops a single zero, such as that of `0x`. Returns false if there is none.
  mutating func dropZero() -> Bool {
    guard high?.digit == 0 else { return false }
    high = nil
    return true
  }

  /// Throws if a pair is incomplete.
  func end() throws(ReadError) {
    if let high { throw .oddDigits(at: high.position) }
  }
}
