import APNSWire
import Octets

extension TextFormat {
  /// Base64 (RFC 4648) in either alphabet.
  public static let base64 = TextFormat(
    "base64", "base64, either alphabet", recognises: { Base64Decoder.recognises($0) },
    decoder: { _ in Base64Decoder() })
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

  init(isPadded: Bool = false) { self.isPadded = isPadded }

  var leads: LineLead.Kind { .marks }
  var longestLine: Int? { nil }

  mutating func decode(_ line: TextLine, into output: inout TextOutput) throws(ReadError) {
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
    bits = bits << 6 | Int(value)
    bitCount += 6
    guard bitCount >= 8 else { return }
    bitCount -= 8
    output.append(UInt8(truncatingIfNeeded: bits >> bitCount), at: start)
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

  private static let explanation = "is not a base64 character; correct it, or choose another format with --from"
}

// MARK: - Recognition
extension Base64Decoder {
  /// Complete groups of four characters, in one run per line, that do not look like a word: with digits or symbols, or
  /// with a capital after a small letter. Text of hex digits alone is hex.
  static func recognises(_ head: TextHead) -> Bool {
    guard head.lines.allSatisfy({ $0.split(whereSeparator: \.isWhite).count == 1 }) else { return false }
    let text = head.lines.joined().filter { !$0.isWhite }
    let body = text.prefix { value(of: $0) != nil }
    let padding = text[body.endIndex...]
    guard body.count >= 8, padding.count <= 2, padding.allSatisfy({ $0 == UInt8(ascii: "=") }) else { return false }
    guard !head.isWhole || text.count % 4 == 0 || isFrame(body, head.catalog) && padding.isEmpty, !text.isHex else {
      return false
    }
    let hasSign = text.contains { !$0.isLetter }
    let isMixed = zip(body, body.dropFirst()).contains { one, next in
      one >= UInt8(ascii: "a") && one <= UInt8(ascii: "z") && next >= UInt8(ascii: "A") && next <= UInt8(ascii: "Z")
    }
    return hasSign && text.contains(where: \.isLetter) || isMixed
  }

  /// Without padding, only text that decodes to the beginning of a frame or feedback tuple is accepted.
  private static func isFrame(_ body: ArraySlice<UInt8>, _ catalog: Catalog) -> Bool {
    guard body.count >= 10, body.count % 4 > 1 else { return false }
    let bits = body.prefix(8).reduce(0) { $0 << 6 | Int(value(of: $1) ?? 0) }
    let spare = Int(value(of: body.last ?? 0) ?? 0) & (body.count % 4 == 2 ? 15 : 3)
    let first = (0..<6).map { UInt8(truncatingIfNeeded: bits >> (40 - 8 * $0)) }
    return spare == 0 && first.beginsFrame(in: catalog)
  }
}

extension [UInt8] {
  /// Whether these bytes begin with a command of the catalog, or like a feedback tuple.
  func beginsFrame(in catalog: Catalog) -> Bool {
    guard count >= 6 else { return false }
    return catalog.schemas.contains { $0.command?.rawValue == self[0] }
      || Int(self[4]) << 8 | Int(self[5]) == Field.deviceToken.usual
  }
}
