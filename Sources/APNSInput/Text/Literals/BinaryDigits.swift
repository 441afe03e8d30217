extension TextFormat {
  /// Binary digits, eight for each byte.
  public static let bits = TextFormat(
    "bits", "binary digits, eight a byte (00000010 00000000, 0b0000_0010)",
    layouts: { _ in [BinaryDigits()] })
}

/// Eight binary digits per byte, most significant bit first, in groups of complete or half bytes.
///
///     00001000 00001000      0000 1000 0000 1000      0000100000001000
///     0b00001000, 0b0000_1000, 0b1000
///
/// After `0b`, up to eight digits are one byte.
struct BinaryDigits: TextDecoder {
  /// The bits of the byte so far.
  private var value: UInt8 = 0
  private var count = 0
  private var start: TextPosition?
  /// Digits since the last blank or comma.
  private var length = 0
  private var isPrefixed = false
  // What distinguishes bits from hex.
  private var prefixed = 0
  private var isSplit = false
  private var hasOne = false
  private var groups = 0
  private var longest = 0
  /// The number of digits of all groups; 0 if they differ.
  private var groupSize: Int?

  var longestLine: Int { LineSplitter.limit }

  mutating func decode(_ line: TextLine, into output: inout TextOutput) throws(ReadError) {
    for index in line.first..<line.text.count {
      try decode(at: index, of: line, into: &output)
    }
    try endGroup(at: line.position(line.text.count), into: &output)
  }

  mutating func finish(at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    if count > 0 { throw incomplete(at: position) }
  }

  private mutating func decode(at index: Int, of line: TextLine, into output: inout TextOutput) throws(ReadError) {
    let byte = line.text[index]
    switch byte {
    case UInt8(ascii: "0"), UInt8(ascii: "1"):
      if count == 0 { start = line.position(index) }
      value = value << 1 | (byte & 1)
      hasOne = hasOne || byte == UInt8(ascii: "1")
      count += 1
      length += 1
      if count == 8 { put(into: &output) }
    case _ where byte | 0x20 == UInt8(ascii: "b") && !isPrefixed && length == 1 && count == 1 && value == 0:
      isPrefixed = true
      prefixed += 1
      (value, count, length) = (0, 0, 0)
    case UInt8(ascii: "_") where isPrefixed || count % 4 == 0: isSplit = true
    case _ where byte.isWhite || PlainHex.isSeparator(byte):
      try endGroup(at: line.position(index), into: &output)
    default: throw .notHex(byte, at: line.position(index), Self.explanation)
    }
  }

  private mutating func endGroup(at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    if isPrefixed, length > 0, length < 8 {
      put(into: &output)
    } else if count % 4 != 0 || (isPrefixed && (count > 0 || length == 0)) {
      throw incomplete(at: position)
    }
    if length > 0 {
      groups += 1
      longest = max(longest, length)
      groupSize = groupSize ?? length == length ? length : 0
    }
    (isPrefixed, length) = (false, 0)
  }

  private mutating func put(into output: inout TextOutput) {
    if let start { output.append(value, at: start) }
    (value, count) = (0, 0)
  }

  private func incomplete(at position: TextPosition) -> ReadError {
    ReadError(.oddDigits, "eight binary digits make a byte; the last one has \(count)", position: start ?? position)
  }

  private static let explanation = "is not a binary digit; correct it, or choose another format with --from"
}

// MARK: - Evidence
extension BinaryDigits {
  /// Groups after `0b`, groups with `_`, or digits that are not all 0: real frames in hex have other digits than 0 and
  /// 1.
  var isPlausible: Bool {
    let isRun = groups == 1 && longest >= 16 || groups > 1 && groupSize == 8 || groups >= 12 && groupSize == 4
    return prefixed > 0 || isSplit || hasOne && isRun
  }

  var doubt: String? {
    let areBytes = groups > 1 && groupSize == 8 && prefixed == 0
    let isSure = prefixed > 1 || isSplit || prefixed == 1 && longest >= 8 || areBytes
    guard !isSure else { return nil }
    return
      "these digits are all 0 or 1, so they may be bits (eight per byte) or hex (two per byte); use --from bits, or "
      + "--from plain for hex"
  }
}
