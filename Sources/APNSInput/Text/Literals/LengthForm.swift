/// What NSData prints of itself since iOS 13, read from behind `{length`:
///
///     {length = 6, bytes = 0x08080000 0007}
///     {length = 32, bytes = 0xb4bce12f 9d341100 ... 28f10282 14af515f }     lossy
struct LengthForm: Sendable {
  private var words: [UInt8] = []
  private var isInBytes = false
  private var high: (digit: UInt8, position: TextPosition)?
  private var count = 0
  private var length: Int?

  /// True once the form is over.
  mutating func take(
    _ byte: UInt8, at position: TextPosition, into output: inout TextOutput
  ) throws(ReadError) -> Bool {
    guard isInBytes else {
      words.append(byte)
      guard words.count <= Self.limit, byte != UInt8(ascii: "\n") else {
        throw .notHex(byte, at: position, "is not part of {length = 6, bytes = 0x...}")
      }
      guard words.ends(with: "bytes = 0x") else { return false }
      let digits = words.drop { !$0.isDecimalDigit }.prefix { $0.isDecimalDigit }
      length = digits.number(radix: 10)
      isInBytes = true
      return false
    }
    if let digit = byte.hexDigit {
      if let first = high {
        output.append(first.digit << 4 | digit, at: first.position)
        count += 1
        high = nil
      } else {
        high = (digit, position)
      }
      return false
    }
    if let high { throw .oddDigits(at: high.position) }
    if byte.isWhite { return false }
    if byte == UInt8(ascii: ".") {
      throw ReadError(
        .lossyText, "the text leaves out bytes at the ...; print every byte as hex instead",
        position: position)
    }
    guard byte == UInt8(ascii: "}") else {
      throw .notHex(byte, at: position, "is not a hex digit; write pairs of hex digits between 0x and }")
    }
    guard let length, length == count else {
      let reason = "the description has \(count) bytes, but says \(length ?? 0); paste all of it"
      throw ReadError(.contradictingOffset, reason, position: position)
    }
    return true
  }

  private static let limit = 64
}

extension [UInt8] {
  fileprivate func ends(with words: String) -> Bool { suffix(words.utf8.count).elementsEqual(words.utf8) }
}
