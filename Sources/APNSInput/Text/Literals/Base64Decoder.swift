import APNSWire
import Octets

extension TextFormat {
  /// Base64 (RFC 4648) in either alphabet.
  package static let base64 = TextFormat(
    "base64", "base64, either alphabet",
    layouts: { [Base64Decoder($0.catalog)] })
}

/// Base64 (RFC 4648) in either alphabet, with line breaks anywhere and with or without padding.
///
///     CAjerb7v
///
/// The position of a byte is that of the first character that carries some of its bits.
struct Base64Decoder: TextDecoder {
  /// Whether the last group must be complete, with its padding.
  let isPadded: Bool
  private var octets = DigitBits(width: 6)
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

  private let catalog: Catalog

  init(_ catalog: Catalog = .standard, isPadded: Bool = false) { (self.catalog, self.isPadded) = (catalog, isPadded) }

  var leads: LineLead.Kind { .marks }

  mutating func decode(_ line: TextLine, into output: inout TextOutput) throws(ReadError) {
    hasBlank = hasBlank || line.text[line.first...].contains(where: \.isWhite)
    try decode(line, line.first..<line.text.count, into: &output)
  }

  /// Decodes a part of a line.
  mutating func decode(_ line: TextLine, _ range: Range<Int>, into output: inout TextOutput) throws(ReadError) {
    for index in range where !line.text[index].isWhite {
      try decode(line.text[index], at: index, of: line, into: &output)
    }
  }

  private mutating func decode(
    _ byte: UInt8, at index: Int, of line: TextLine, into output: inout TextOutput
  ) throws(ReadError) {
    if byte == UInt8(ascii: "=") {
      padding += 1
      guard characters % 4 >= 2 && characters % 4 + padding <= 4 else {
        throw .notHex(
          byte, at: line.position(index), "is not allowed here; padding only completes the last four characters")
      }
      return
    }
    guard let value = Self.value(of: byte), padding == 0 else {
      throw .notHex(byte, at: line.position(index), Self.explanation)
    }
    if value >= 62 {
      let isSafe = byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
      guard isURLSafe ?? isSafe == isSafe else {
        throw .notHex(
          byte, at: line.position(index), "belongs to a different base64 alphabet than the preceding text")
      }
      isURLSafe = isSafe
    }
    characters += 1
    if byte.hexDigitValue != nil { hexDigits += 1 }
    if byte.isLetter { hasLetter = true } else { hasSign = true }
    if byte.isLetter, byte & 0x20 == 0, last.isLetter, last & 0x20 != 0 { hasCapitalAfterSmall = true }
    last = byte
    let octet = octets.add(value, at: index, of: line, to: &output)
    if let octet, beginning.count < Self.beginningSize { beginning.append(octet) }
  }

  mutating func finish(at position: TextPosition, into output: inout TextOutput) throws(ReadError) {
    guard characters % 4 != 1 else {
      throw ReadError(
        .oddDigits, "this last character does not complete a byte; paste all of the base64", position: octets.start)
    }
    guard isPadded else { return }
    if octets.bits != 0 {
      throw ReadError(
        .notHex, "the last character has bits left over; the base64 is damaged, so copy it again",
        position: octets.start)
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
    guard
      hexDigits * 4 < characters * 3 && (characters + padding) % 4 == 0
        || FramePrice.beginsFrame(beginning, catalog)
    else { return false }
    return hasSign && hasLetter || hasCapitalAfterSmall
  }
}
