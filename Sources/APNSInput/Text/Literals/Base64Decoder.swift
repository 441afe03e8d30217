import Octets

extension TextFormat {
  /// Base64 (RFC 4648) in either alphabet.
  public static let base64 = TextFormat(
    "base64", "base64, either alphabet",
    layouts: { [Base64Decoder(of: $0.commands)] })
}

/// Base64 (RFC 4648) in either alphabet, with line breaks anywhere and with or without padding.
///
///     CAjerb7v
///
/// The position of a byte is that of the first character that carries some of its bits.
struct Base64Decoder: TextDecoder {
  /// Whether the last group must be complete, with its padding.
  let isPadded: Bool
  /// Bits of the byte that is not complete yet.
  private var bits = 0
  private var bitCount = 0
  /// The position of the first of these bits.
  private var start = TextPosition(line: 1, column: 1)
  private var characters = 0
  private var padding = 0
  /// Whether the alphabet uses `-_` instead of `+/`; the first such character decides.
  private var isURLSafe: Bool?
  // What distinguishes base64 from words and from hex.
  private var hexDigits = 0
  private var hasSign = false
  private var hasLetter = false
  private var hasCapitalAfterSmall = false
  private var hasBlank = false
  private var last: UInt8 = 0
  /// The first bytes.
  private(set) var beginning: [UInt8] = []

  /// The first bytes of frames.
  private let commands: Set<UInt8>

  init(isPadded: Bool = false, of commands: Set<UInt8> = []) { (self.isPadded, self.commands) = (isPadded, commands) }

  var leads: LineLead.Kind { .marks }
  var longestLine: Int { LineSplitter.limit }

  mutating func decode(_ line: TextLine, into output: inout TextOutput) throws(ReadError) {
    hasBlank = hasBlank || line.text[line.first...].contains(where: \.isWhite)
    try decode(line, line.first..<line.text.count, into: &output)
  }

  /// Decodes a part of a line.
  mutating func decode(_ line: TextLine, _ range: Range<Int>, into output: inout TextOutput) throws(ReadError) {
    for index in range where !line.text[index].isWhite {
      try decode(line.text[index], at: line.position(index), into: &output)
    }
  }

  private mutating func decode(
    _ byte: UInt8, at position: TextPosition, into output: inout TextOutput
  ) throws(ReadError) {
    if byte == UInt8(ascii: "=") {
      padding += 1
      guard characters % 4 >= 2 && characters % 4 + padding <= 4 else {
        throw .notHex(byte, at: position, "is not allowed here; padding only completes the last four characters")
      }
      return
    }
    guard let value = Self.value(of: byte), padding == 0 else { throw .notHex(byte, at: position, Self.explanation) }
    if value >= 62 {
      let isSafe = byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
      guard isURLSafe ?? isSafe == isSafe else {
        throw .notHex(byte, at: position, "belongs to a different base64 alphabet than the preceding text")
      }
      isURLSafe = isSafe
    }
    if bitCount == 0 { start = position }
    characters += 1
    if byte.hexDigitValue != nil { hexDigits += 1 }
    if byte.isLetter { hasLetter = true } else { hasSign = true }
    if byte.isLetter, byte & 0x20 == 0, last.isLetter, last & 0x20 != 0 { hasCapitalAfterSmall = true }
    last = byte
    bits = bits << 6 | Int(value)
    bitCount += 6
    guard bitCount >= 8 else { return }
    bitCount -= 8
    let octet = UInt8(truncatingIfNeeded: bits >> bitCount)
    output.append(octet, at: start)
    if beginning.count < Self.beginningSize { beginning.append(octet) }
    bits &= 1 << bitCount - 1
    start = position
  }

  mutating func finish(at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    guard characters % 4 != 1 else {
      throw ReadError(
        .oddDigits, "this last character does not complete a byte; paste all of the base64", position: start)
    }
    guard isPadded else { return }
    if bits != 0 {
      throw ReadError(
        .notHex, "the last character has bits left over; the base64 is damaged, so copy it again", position: start)
    }
    if characters % 4 + padding != 4 && characters % 4 + padding != 0 {
      throw ReadError(.cutText, "the base64 ends without its padding; paste all of it", position: position)
    }
  }

  static func value(of byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "-"): 62
    case UInt8(ascii: "_"): 63
    default: Base64.value(of: byte)
    }
  }

  private static let beginningSize = 48
  private static let explanation = "is not a base64 character; correct it, or choose another format with --from"
}

extension Base64Decoder {
  /// Complete groups of four characters, in one run per line, that do not look like a word: with digits or symbols, or
  /// with capitals and small letters. Digits alone are hex. Without padding, the bytes must begin a frame.
  var isPlausible: Bool {
    guard characters >= 8, !hasBlank, hexDigits < characters else { return false }
    guard hexDigits * 4 < characters * 3 && (characters + padding) % 4 == 0 || beginsFrame else { return false }
    return hasSign && hasLetter || hasCapitalAfterSmall
  }

  private var beginsFrame: Bool {
    guard let first = beginning.first else { return false }
    let isOwnType = commands.contains(first) && !FramePrice.commands.contains(first)
    return isOwnType ? bits == 0 : FramePrice.beginsFrame(beginning)
  }
}
