import Octets

extension TextFormat {
  /// Hexadecimal digits, in groups or not, as `xxd -p` prints them.
  package static let plain = TextFormat(
    "plain", "plain hex digits, in groups or not (xxd -p, 02:00:4e)",
    layouts: { [DigitText(.plain, joinsLines: DigitText.areLinesOdd($0))] })

  /// Pairs of hexadecimal digits with separators between them: `[08, d2]`.
  package static let pairs = TextFormat(
    "pairs", "pairs of hex digits with anything between them ([08, d2], \"08\",\"d2\", 08.d2, 08|d2)",
    layouts: { _ in [DigitText(.pairs)] })

  /// Binary digits, eight for each byte.
  package static let bits = TextFormat(
    "bits", "binary digits, eight a byte (00000010 00000000, 0b0000_0010)",
    layouts: { _ in [DigitText(.bits)] })
}

/// Digits that are all of the text, except what separates their groups.
///
///     0808 0000 04D2          0x0808000004d2          08:08:00:00:04:d2               plain
///     [08, d2, 00]            "0x08", "0xd2"          08.d2.00     08|d2|00           pairs
///     00001000 00001000       0000 1000 0000 1000     0b00001000, 0b0000_1000, 0b1    bits
///
/// A group of hex digits has complete bytes: joining an odd digit to the next group would shift every following byte.
/// Plain digits may begin with `0x` or use one kind of separator directly after the bytes, but not both; otherwise the
/// offsets of a dump could be mistaken for bytes. Pairs have the same punctuation everywhere, so that none is an offset
/// or part of a comment. Binary groups have complete or half bytes; after `0b`, up to eight digits are one byte.
struct DigitText: TextDecoder {
  enum Form {
    case plain
    /// The same with the headings of Wireshark's Follow, and a tab before the server's lines.
    case follow
    case pairs
    case bits
  }

  private let form: Form
  /// Whether line breaks may split a byte.
  private let joinsLines: Bool
  private var octets: DigitBits
  /// What separates two groups; empty until that is known.
  private var separator: [UInt8] = []
  /// The number of digits in each group that has a separator; 0 until that is known.
  private var separatedSize = 0
  /// The number of digits in the preceding group; 0 at the start of a line.
  private var last = 0
  /// Whether nothing has been read, so that a prefix may follow.
  private var isUntouched = true
  private var isPrefixed = false
  private var evidence = Evidence()
  /// Whether an editor has changed a character among the digits.
  private(set) var isSure = false

  /// What distinguishes the forms from each other and from other text.
  private struct Evidence {
    var groups = 0
    var longest = 0
    /// The number of digits of all groups; 0 if they differ.
    var size: Int?
    var prefixed = 0
    var isSplit = false
    /// The values of the digits, one bit each.
    var digits: UInt16 = 0
    /// Whether a line begins with what may be a time of day or its number.
    var hasLead = false
    var hasHeading = false
    var isDump = false
  }

  init(_ form: Form, joinsLines: Bool = false) {
    self.form = form
    self.joinsLines = joinsLines
    octets = DigitBits(width: form == .bits ? 1 : 4)
  }

  mutating func decode(_ line: TextLine, into output: inout TextOutput) throws(ReadError) {
    let text = line.text
    if form == .follow {
      if line.isFollowHeading {
        evidence.hasHeading = true
        evidence.isDump = evidence.isDump || text.holds(",hex")
        return output.explain(line)
      }
      output.switchSide(to: text.first == UInt8(ascii: "\t") ? 1 : 0)
    }
    evidence.hasLead = evidence.hasLead || text[line.first...].beginsWithTime
    if form == .pairs, let dots = text.indices.dropLast().first(where: { text[$0] == 0x2e && text[$0 + 1] == 0x2e }) {
      throw .leftOut(at: line.position(dots))
    }
    last = 0
    var index = line.first
    while index < text.count {
      let start = index
      while index < text.count, isBetween(text[index]) { index += 1 }
      if index > start { try accept(start..<index, of: line) }
      if index < text.count { try readGroup(at: &index, of: line, into: &output) }
    }
    if separatedSize > 0, last > separatedSize { evidence.hasLead = true }
  }

  mutating func finish(at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    if octets.count > 0 { throw incomplete }
  }

  /// Whether the character may separate two groups.
  private func isBetween(_ byte: UInt8) -> Bool {
    if byte.isWhite { return true }
    return form == .pairs ? byte.isPrintable && !byte.isLetter && !byte.isDecimalDigit : byte.isSeparator
  }

  /// Checks what precedes a group, or ends the line.
  private mutating func accept(_ gap: Range<Int>, of line: TextLine) throws(ReadError) {
    if form == .bits { return }
    if octets.count > 0 { throw incomplete }
    let text = line.text
    let first = text[gap.lowerBound]
    var rest = gap
    if form == .pairs {
      guard last > 0, gap.upperBound < text.count else { return }
      if separator.isEmpty { separator = Array(text[gap]) }
      guard text[gap].elementsEqual(separator) else {
        let reason = "does not separate these bytes as it separates the ones before"
        throw .notHex(first, at: line.position(gap.lowerBound), reason)
      }
      return
    } else if !first.isWhite {
      if separator.isEmpty { (separator, separatedSize) = ([first], last) }
      guard last > 0, !isPrefixed, separator[0] == first, separatedSize == last else {
        throw .notHex(first, at: line.position(gap.lowerBound), explanation)
      }
      rest = (gap.lowerBound + 1)..<gap.upperBound
    } else if separatedSize > 0, last > 0, last != separatedSize {
      // Groups are as long as the first one with a separator; the last one of a line may be shorter.
      let reason = "ends a group that is not as long as the ones before it"
      throw .notHex(first, at: line.position(gap.lowerBound), reason)
    }
    for index in rest where !text[index].isWhite {
      throw .notHex(text[index], at: line.position(index), explanation)
    }
  }

  private mutating func readGroup(
    at index: inout Int, of line: TextLine, into output: inout TextOutput
  ) throws(ReadError) {
    let text = line.text
    let start = index
    let letter = text[index] == UInt8(ascii: "0") && index + 1 < text.count ? text[index + 1] | 0x20 : 0
    let mayHavePrefix = form == .bits ? octets.count == 0 : form == .pairs || isUntouched
    if mayHavePrefix, letter == (form == .bits ? UInt8(ascii: "b") : UInt8(ascii: "x")) {
      index += 2
      (isPrefixed, isUntouched) = (true, false)
      evidence.prefixed += 1
    } else if form == .bits {
      isPrefixed = false
    }
    var count = 0
    while index < text.count {
      let byte = text[index]
      if let digit = byte.hexDigitValue, form != .bits || digit < 2 {
        if octets.add(digit, at: index, of: line, to: &output) != nil { isUntouched = false }
        evidence.digits |= 1 &<< UInt16(digit)
        count += 1
      } else if isBetween(byte) {
        break
      } else if form == .bits, byte == UInt8(ascii: "_"), isPrefixed || octets.count % 4 == 0 {
        evidence.isSplit = true
      } else {
        isSure = byte >= 0x80 && !isUntouched
        throw .notHex(byte, at: line.position(index), explanation)
      }
      index += 1
    }
    last = count
    try endGroup(of: count, isLineEnd: index == text.count, at: line.position(start), into: &output)
  }

  private mutating func endGroup(
    of count: Int, isLineEnd: Bool, at position: TextPosition, into output: inout TextOutput
  ) throws(ReadError) {
    if form != .bits {
      if octets.count > 0, !(joinsLines && isLineEnd) { throw incomplete }
    } else if isPrefixed, 1..<8 ~= count {
      octets.close(into: &output)
    } else if isPrefixed ? octets.count > 0 || count == 0 : octets.count % 4 != 0 {
      throw count == 0 ? incomplete(at: position) : incomplete
    }
    guard count > 0 else { return }
    evidence.groups += 1
    evidence.longest = max(evidence.longest, count)
    evidence.size = evidence.size ?? count == count ? count : 0
  }

  private var incomplete: ReadError { incomplete(at: octets.start) }

  private func incomplete(at position: TextPosition) -> ReadError {
    guard form == .bits else { return .oddDigits(at: position) }
    return ReadError(
      .oddDigits, "eight binary digits make a byte; the last one has \(octets.count)", position: position)
  }

  private var explanation: String {
    switch form {
    case .plain, .follow: "is not a hex digit; correct it, or read the bytes unchanged with --from raw"
    case .pairs: "is not a hex digit; write each byte as two of them"
    case .bits: "is not a binary digit; correct it, or choose another format with --from"
    }
  }
}

// MARK: - Evidence
extension DigitText {
  var isPlausible: Bool {
    switch form {
    case .plain: return true
    case .follow: return evidence.hasHeading && !evidence.isDump
    // At least six bytes (an error response), one of them with a letter.
    case .pairs: return evidence.groups >= 6 && evidence.digits >> 10 != 0 && evidence.longest <= 2
    case .bits:
      // Groups after `0b`, groups with `_`, or digits that are not all 0: real frames in hex have other digits than 0
      // and 1.
      let isRun =
        evidence.groups == 1 && evidence.longest >= 16 || evidence.groups > 1 && evidence.size == 8
        || evidence.groups >= 12 && evidence.size == 4
      return evidence.prefixed > 0 || evidence.isSplit || evidence.digits & 2 != 0 && isRun
    }
  }

  var doubt: String? {
    guard form == .bits else {
      return evidence.hasLead && form != .pairs
        ? "a line may begin with a time or a number, or with bytes; remove it, or use --from plain if they are bytes"
        : nil
    }
    let areBytes = evidence.groups > 1 && evidence.size == 8 && evidence.prefixed == 0
    let isSure =
      evidence.prefixed > 1 || evidence.isSplit || evidence.prefixed == 1 && evidence.longest >= 8 || areBytes
    guard !isSure else { return nil }
    return
      "these digits are all 0 or 1, so they may be bits (eight per byte) or hex (two per byte); use --from bits, or "
      + "--from plain for hex"
  }

  /// Whether all lines have only digits, and all but the last have the same odd number: the text was wrapped without
  /// regard to pairs.
  fileprivate static func areLinesOdd(_ head: TextHead) -> Bool {
    let full = head.lines.dropLast()
    guard let first = full.first, first.count % 2 == 1, first.count > 8 else { return false }
    return full.allSatisfy { $0.count == first.count && $0.isHex } && head.lines.last?.count ?? 0 <= first.count
  }
}

/// Collects the bits of digits into bytes. The position of a byte is that of the first digit that has some of its bits.
struct DigitBits: Sendable {
  /// The number of bits in a digit: 1 for binary digits, 4 for hex, 6 for base64.
  let width: Int
  private(set) var bits = 0
  /// The number of bits of the byte that is not complete yet.
  private(set) var count = 0
  /// The position of the first of these bits.
  private(set) var start = TextPosition(line: 1, column: 1)

  init(width: Int) { self.width = width }

  /// Adds a digit. Returns the byte that it completes.
  mutating func add(_ digit: UInt8, at index: Int, of line: TextLine, to output: inout TextOutput) -> UInt8? {
    if count == 0 { start = line.position(index) }
    bits = bits &<< width | Int(digit)
    count += width
    guard count >= 8 else { return nil }
    count -= 8
    let byte = UInt8(truncatingIfNeeded: bits &>> count)
    output.append(byte, at: start)
    bits &= 1 &<< count - 1
    if count > 0 { start = line.position(index) }
    return byte
  }

  /// Appends the byte that is not complete, whose upper bits are 0.
  mutating func close(into output: inout TextOutput) {
    output.append(UInt8(truncatingIfNeeded: bits), at: start)
    (bits, count) = (0, 0)
  }

  /// Throws if a pair of hex digits is not complete.
  func end() throws(ReadError) {
    if count > 0 { throw .oddDigits(at: start) }
  }
}

extension UInt8 {
  /// Whether the character often separates the bytes of hex digits.
  var isSeparator: Bool { self == UInt8(ascii: ":") || self == UInt8(ascii: "-") || self == UInt8(ascii: ",") }
}

extension ArraySlice<UInt8> {
  /// Whether the first of several words is a time of day: `12:00:01`.
  fileprivate var beginsWithTime: Bool {
    let word = prefix(9)
    guard word.count == 9, word.last?.isWhite == true,
      word.dropLast().map({ $0.isDecimalDigit ? UInt8(ascii: "9") : $0 }).isText("99:99:99")
    else { return false }
    let numbers = word.dropLast().split(separator: UInt8(ascii: ":")).compactMap { $0.number(radix: 10) }
    return numbers[0] < 24 && numbers[1] < 60 && numbers[2] <= 60
  }
}
