extension TextFormat {
  /// Binary digits, eight for each byte.
  public static let bits = TextFormat(
    "bits", "binary digits, eight a byte (00000010 00000000, 0b0000_0010)",
    recognises: { BinaryDigits.recognises($0) }, ambiguity: { BinaryDigits.ambiguity($0) },
    decoder: { _ in BinaryDigits() })
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

  var longestLine: Int? { nil }

  mutating func decode(_ line: TextLine, into output: inout TextOutput) throws(ReadError) {
    for index in line.first..<line.text.count {
      try decode(at: index, of: line, into: &output)
    }
    if line.isEnd { try endGroup(at: line.position(line.text.count), into: &output) }
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
      count += 1
      length += 1
      if count == 8 { put(into: &output) }
    case _ where byte | 0x20 == UInt8(ascii: "b") && !isPrefixed && length == 1 && count == 1 && value == 0:
      isPrefixed = true
      (value, count, length) = (0, 0, 0)
    case UInt8(ascii: "_") where isPrefixed || count % 4 == 0: break
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

// MARK: - Recognition
extension BinaryDigits {
  /// At least two groups of eight digits, or groups after `0b`. Real frames in hex have other digits than 0 and 1.
  static func recognises(_ head: TextHead) -> Bool {
    guard let groups = groups(of: head) else { return false }
    if groups.allSatisfy(\.isPrefixed) { return groups.count > 1 || groups[0].isSplit || groups[0].count >= 8 }
    return groups.count > 1 && groups.allSatisfy { !$0.isPrefixed && $0.count == 8 && !$0.isSplit } && !areZero(head)
      || groups.contains { $0.isSplit }
  }

  static func ambiguity(_ head: TextHead) -> String? {
    guard let groups = groups(of: head), !recognises(head) else { return nil }
    let isShort = groups.allSatisfy { $0.isPrefixed }
    let isRun = groups.count == 1 && groups[0].count >= 16 && groups[0].count % 8 == 0 && !areZero(head)
    let areBytes = groups.count > 1 && groups.allSatisfy { $0.count == 8 }
    let areHalves = groups.count >= 12 && groups.count % 2 == 0 && groups.allSatisfy { $0.count == 4 } && !areZero(head)
    guard isShort || isRun || areBytes || areHalves else { return nil }
    return
      "these digits are all 0 or 1, so they may be bits (eight per byte) or hex (two per byte); use --from bits, or "
      + "--from plain for hex"
  }

  private struct Group {
    let count: Int
    /// Whether the group begins with `0b`.
    let isPrefixed: Bool
    /// Whether the group contains a `_`, which hex never does.
    let isSplit: Bool
  }

  /// All groups in the head; nil if it contains anything but binary digits.
  private static func groups(of head: TextHead) -> [Group]? {
    // A colon before a blank follows the offset of a dump.
    guard !head.lines.contains(where: { $0.holds(": ") }) else { return nil }
    var words = head.lines.flatMap { $0.split { $0.isWhite || PlainHex.isSeparator($0) } }
    // The end of the head may cut the last word.
    if !head.isWhole { words = words.dropLast() }
    var groups: [Group] = []
    for word in words {
      let isPrefixed = word.count > 2 && (word.starts(with: "0b".utf8) || word.starts(with: "0B".utf8))
      let digits = word.dropFirst(isPrefixed ? 2 : 0)
      guard digits.allSatisfy({ $0 & 0xfe == UInt8(ascii: "0") || $0 == UInt8(ascii: "_") }) else { return nil }
      groups.append(
        Group(
          count: digits.count { $0 != UInt8(ascii: "_") }, isPrefixed: isPrefixed,
          isSplit: digits.contains(UInt8(ascii: "_"))))
    }
    return groups.isEmpty ? nil : groups
  }

  private static func areZero(_ head: TextHead) -> Bool {
    !head.lines.contains { $0.contains(UInt8(ascii: "1")) }
  }
}
