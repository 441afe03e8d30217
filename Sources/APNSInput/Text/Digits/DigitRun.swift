import Octets

/// Digits of one alphabet in groups, collected into bytes. The position of a byte is that of the first digit that has
/// some of its bits.
///
/// A group of hex digits has complete bytes: joining an odd digit to the next group would shift every following byte.
/// Binary groups have complete or half bytes; after `0b`, up to eight digits are one byte. Base64 (RFC 4648) may be
/// in either alphabet, with blanks anywhere and with or without padding.
struct DigitRun: Sendable {
  /// What may separate two groups, except white space.
  enum Separators {
    case nothing
    /// One kind of `:`, `-` or `,` directly after the bytes; then all groups have the same size, and none a prefix.
    case oneMark
    /// Punctuation, which is the same between all groups.
    case same
    case anything
  }

  /// The number of bits in a digit: 1 for binary digits, 4 for hex, 6 for base64.
  let width: Int
  private let separators: Separators
  private var bits = 0
  /// The number of bits of the byte that is not complete yet.
  private var pending = 0
  /// The position of the first of these bits.
  private var start = TextPosition(line: 1, column: 1)
  /// What separates two groups; empty until that is known.
  private var separator: [UInt8] = []
  /// The number of digits in each group that has a separator; 0 until that is known.
  private var separatedSize = 0
  /// The number of digits in the preceding group; 0 at the start of a line.
  private var last = 0
  /// In the current line, the number of digits in the first group, and of groups of two digits that follow it.
  private var firstSize = 0
  private var pairs = 0
  private var isPrefixed = false
  private var padding = 0
  private(set) var digits = 0
  /// Whether base64 uses `-_` instead of `+/`; the first such character decides.
  private var isURLSafe: Bool?
  /// The bytes, until the decoder passes them on.
  var bytes = PlacedBytes()
  /// The number of all bytes, and the first of them.
  private(set) var count = 0
  private(set) var beginning: [UInt8] = []
  private(set) var evidence = Evidence()
  /// Whether there was a character among the digits that no program prints there: an editor has changed it.
  private(set) var hasForeignCharacter = false

  /// What distinguishes digits from other text.
  struct Evidence: Sendable {
    var groups = 0
    var longest = 0
    /// The number of digits of all groups; 0 if they differ.
    var size: Int?
    var prefixed = 0
    /// Whether binary digits have `_` between them.
    var isSplit = false
    /// The values of the digits, one bit each.
    var values: UInt64 = 0
    /// Whether a line begins with a group that is longer than the others, as an offset is.
    var hasLead = false
    /// Of base64, how many digits may be hex, and whether a blank is among them.
    var hexDigits = 0
    var hasBlank = false

    /// Whether there are letters of base64, and other digits; and not only A to Z and 2 to 7, as in base32.
    var isMixed: Bool { values & (1 << 52 - 1) != 0 && values >> 52 != 0 && values & ~Self.base32 != 0 }
    private static let base32: UInt64 = 1 << 26 - 1 | 0b111111 << 54
  }

  init(width: Int = 4, _ separators: Separators = .nothing) { (self.width, self.separators) = (width, separators) }

  mutating func read(_ line: TextLine, _ range: Range<Int>) throws(ReadError) {
    (last, firstSize, pairs) = (0, 0, 0)
    var index = range.lowerBound
    while index < range.upperBound {
      let start = index
      while index < range.upperBound, isBetween(line.text[index]) { index += 1 }
      if index > start { try accept(start..<index, of: line, isEnd: index == range.upperBound) }
      if index < range.upperBound { try readGroup(at: &index, range.upperBound, of: line) }
    }
    let hasOffset = firstSize > 3 && pairs > 2
    if hasOffset || separatedSize > 0 && last > separatedSize { evidence.hasLead = true }
  }

  func finish() throws(ReadError) {
    if width == 6 ? digits % 4 == 1 : pending > 0 { throw incomplete(at: start) }
  }

  /// Whether the digits, with their padding, are complete groups of four.
  var isComplete: Bool { (digits + padding) % 4 == 0 }

  // MARK: Groups

  /// Whether the character may separate two groups.
  private func isBetween(_ byte: UInt8) -> Bool {
    if byte.isWhite { return true }
    switch separators {
    case .nothing: return false
    case .oneMark: return byte.isSeparator
    case .same, .anything: return byte.isPrintable && !byte.isLetter && !byte.isDecimalDigit
    }
  }

  /// Checks what precedes a group, or ends the line.
  private mutating func accept(_ gap: Range<Int>, of line: TextLine, isEnd: Bool) throws(ReadError) {
    guard width == 4, separators != .anything else { return }
    let text = line.text
    let first = text[gap.lowerBound]
    var rest = gap
    if separators == .same {
      guard last > 0, !isEnd else { return }
      if separator.isEmpty { separator = Array(text[gap]) }
      guard text[gap].elementsEqual(separator) else {
        throw line.notHex(at: gap.lowerBound, "does not separate these bytes as it separates the ones before")
      }
      return
    } else if !first.isWhite {
      if separator.isEmpty { (separator, separatedSize) = ([first], last) }
      let isMark = last > 0 && !isPrefixed && separator[0] == first && separatedSize == last
      rest = (gap.lowerBound + (isMark ? 1 : 0))..<gap.upperBound
    } else if separatedSize > 0, last > 0, last != separatedSize {
      // Groups are as long as the first one with a separator; the last one of a line may be shorter.
      throw line.notHex(at: gap.lowerBound, "ends a group that is not as long as the ones before it")
    }
    for index in rest where !text[index].isWhite {
      throw line.notHex(at: index, explanation)
    }
  }

  private mutating func readGroup(at index: inout Int, _ end: Int, of line: TextLine) throws(ReadError) {
    let text = line.text
    let first = index
    if mayHavePrefix, text[index] == UInt8(ascii: "0"), index + 1 < end,
      text[index + 1] | 0x20 == UInt8(ascii: width == 1 ? "b" : "x")
    {
      index += 2
      isPrefixed = true
      evidence.prefixed += 1
    } else if width == 1 {
      isPrefixed = false
    }
    last = 0
    while index < end {
      let byte = text[index]
      if let digit = value(of: byte), padding == 0 {
        try add(digit, at: index, of: line)
        last += 1
      } else if width != 6, isBetween(byte) {
        break
      } else if width == 1, byte == UInt8(ascii: "_"), isPrefixed || pending % 4 == 0 {
        evidence.isSplit = true
      } else if width == 6, byte == UInt8(ascii: "=") {
        padding += 1
        guard digits % 4 >= 2, digits % 4 + padding <= 4 else {
          throw line.notHex(at: index, "is not allowed here; padding only completes the last four characters")
        }
      } else if width == 6, byte.isWhite {
        evidence.hasBlank = true
      } else {
        if separators != .same, text[index..<end].starts(with: "..".utf8) { throw .leftOut(at: line.position(index)) }
        hasForeignCharacter = byte >= 0x80 && count > 0
        throw line.notHex(at: index, explanation)
      }
      index += 1
    }
    try endGroup(at: line.position(first))
  }

  private var mayHavePrefix: Bool {
    switch (width, separators) {
    case (1, _): pending == 0
    case (4, .oneMark): count == 0 && !isPrefixed
    case (4, .same): true
    default: false
    }
  }

  private mutating func endGroup(at position: TextPosition) throws(ReadError) {
    if width == 4 {
      if pending > 0 { throw incomplete(at: start) }
    } else if width == 1, isPrefixed, 1..<8 ~= last {
      append(UInt8(truncatingIfNeeded: bits))
      (bits, pending) = (0, 0)
    } else if width == 1, isPrefixed ? pending > 0 || last == 0 : pending % 4 != 0 {
      throw incomplete(at: last == 0 ? position : start)
    }
    guard last > 0 else { return }
    pairs = firstSize > 0 && last == 2 && pairs >= 0 ? pairs + 1 : firstSize > 0 ? -1 : 0
    if firstSize == 0 { firstSize = last }
    evidence.groups += 1
    evidence.longest = max(evidence.longest, last)
    evidence.size = evidence.size ?? last == last ? last : 0
  }

  // MARK: Digits

  private func value(of byte: UInt8) -> UInt8? {
    if width == 6 { return Self.base64Value(of: byte) }
    return byte.hexDigitValue.flatMap { width == 4 || $0 < 2 ? $0 : nil }
  }

  static func base64Value(of byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "-"): 62
    case UInt8(ascii: "_"): 63
    default: Base64.value(of: byte)
    }
  }

  private mutating func add(_ digit: UInt8, at index: Int, of line: TextLine) throws(ReadError) {
    if digit >= 62 {
      let isSafe = "-_".utf8.contains(line.text[index])
      guard isURLSafe ?? isSafe == isSafe else {
        throw line.notHex(at: index, "belongs to a different base64 alphabet than the preceding text")
      }
      isURLSafe = isSafe
    }
    if width == 6, line.text[index].hexDigitValue != nil { evidence.hexDigits += 1 }
    if pending == 0 { start = line.position(index) }
    bits = bits &<< width | Int(digit)
    pending += width
    digits += 1
    evidence.values |= 1 &<< UInt64(digit)
    guard pending >= 8 else { return }
    pending -= 8
    append(UInt8(truncatingIfNeeded: bits &>> pending))
    bits &= 1 &<< pending - 1
    if pending > 0 { start = line.position(index) }
  }

  private mutating func append(_ byte: UInt8) {
    bytes.append(byte, at: start)
    count += 1
    if beginning.count < Self.beginningSize { beginning.append(byte) }
  }

  // MARK: Errors

  private func incomplete(at position: TextPosition) -> ReadError {
    if width == 4 { return .oddDigits(at: position) }
    let reason =
      width == 1
      ? "eight binary digits make a byte; the last one has \(pending)"
      : "this last character does not complete a byte; paste all of the base64"
    return ReadError(.oddDigits, reason, position: position)
  }

  private var explanation: String {
    switch (width, separators) {
    case (1, _): "is not a binary digit; correct it, or choose another format with --from"
    case (6, _): "is not a base64 character; correct it, or choose another format with --from"
    case (_, .oneMark): "is not a hex digit; correct it, or read the bytes unchanged with --from raw"
    default: "is not a hex digit; write each byte as two of them"
    }
  }

  /// As many bytes as show whether a frame begins.
  private static let beginningSize = 48
}

extension UInt8 {
  /// Whether the character often separates the bytes of hex digits.
  var isSeparator: Bool { self == UInt8(ascii: ":") || self == UInt8(ascii: "-") || self == UInt8(ascii: ",") }
}
