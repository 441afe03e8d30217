import Octets

/// Converts typographic characters that editors, chats and shells substitute back to ASCII, before the text is parsed.
///
///     no-break and other blanks -> a blank   “ ” „ -> "   ‘ ’ ‚ -> '   … -> ...   zero width -> nothing
///
/// Each replacement is unambiguous. All other characters are unchanged; the format rejects or skips them. UTF-16 is
/// read if it begins with a byte order mark, as PowerShell writes it.
struct ASCIINormalizer: Sendable {
  private enum Encoding: Equatable {
    case unknown
    case utf8
    case utf16(isBigEndian: Bool)
  }

  private var encoding = Encoding.unknown
  /// The bytes of a character that is not complete yet.
  private var held: [UInt8] = []

  /// The normalized text; nil if `chunk` needs no change.
  mutating func normalize(_ chunk: Span<UInt8>) -> [UInt8]? {
    guard !isPlain(chunk) else { return nil }
    var plain: [UInt8] = []
    plain.reserveCapacity(chunk.count)
    for index in chunk.indices { normalize(chunk[index], into: &plain) }
    return plain
  }

  /// Returns the rest of a character that the end of the text cut off.
  mutating func finish() -> [UInt8] {
    defer { held = [] }
    return held
  }

  private mutating func isPlain(_ chunk: Span<UInt8>) -> Bool {
    guard held.isEmpty, !chunk.isEmpty else { return chunk.isEmpty }
    if encoding == .unknown {
      guard chunk[0] < 0xfe else { return false }
      encoding = .utf8
    }
    guard encoding == .utf8 else { return false }
    var bits: UInt8 = 0
    for index in chunk.indices { bits |= chunk[index] }
    return bits < 0x80
  }

  private mutating func normalize(_ byte: UInt8, into plain: inout [UInt8]) {
    held.append(byte)
    switch encoding {
    case .unknown:
      if held.count == 1, byte >= 0xfe { return }
      guard held.count == 2, held[0] ^ held[1] == 1, held[1] >= 0xfe else {
        encoding = .utf8
        plain += finish()
        return
      }
      encoding = .utf16(isBigEndian: held[0] == 0xfe)
      held = []
    case .utf8: normalizeUTF8(byte, into: &plain)
    case .utf16(let isBigEndian):
      guard held.count == 2 else { return }
      let unit = UInt32(held[isBigEndian ? 0 : 1]) << 8 | UInt32(held[isBigEndian ? 1 : 0])
      held = []
      // An unpaired surrogate becomes a character that no format accepts.
      Self.append(Unicode.Scalar(unit) ?? "\u{fffd}", to: &plain)
    }
  }

  private mutating func normalizeUTF8(_ byte: UInt8, into plain: inout [UInt8]) {
    let count = held.span.lengthOfCharacter(at: 0, end: held.count)
    if count > 1 {
      Self.append(held.span.character(at: 0, count: count), to: &plain)
      held = []
    } else if count == 1 || held.count == 1, held.span.sizeOfCutCharacter(at: 0, end: 1) == 0 {
      plain += finish()
    } else if held.span.sizeOfCutCharacter(at: 0, end: held.count) == 0 {
      // Not UTF-8: the bytes are kept unchanged, and this byte may begin a character.
      plain += held.dropLast()
      held = []
      normalize(byte, into: &plain)
    }
  }

  private static func append(_ scalar: Unicode.Scalar, to plain: inout [UInt8]) {
    switch scalar.value {
    case 0xa0, 0x2000...0x200a, 0x202f, 0x205f, 0x3000: plain.append(UInt8(ascii: " "))
    case 0xad, 0x200b...0x200f, 0x202a...0x202e, 0x2060, 0xfeff: break
    case 0x85, 0x2028, 0x2029: plain.append(UInt8(ascii: "\n"))
    case 0x201c...0x201f: plain.append(UInt8(ascii: "\""))
    case 0x2018...0x201b: plain.append(UInt8(ascii: "'"))
    case 0x2026: plain += Array("...".utf8)
    default: plain += Array(String(Character(scalar)).utf8)
    }
  }
}

extension TextReader {
  /// Whether input that begins with `head` is text, that is printable characters and white space. Bytes above ASCII are
  /// accepted if they are UTF-8, or few of them among much ASCII, as in an 8-bit encoding. Every frame begins with a
  /// control character.
  package static func isText(_ head: Span<UInt8>) -> Bool {
    var bytes: [UInt8] = []
    for index in head.indices { bytes.append(head[index]) }
    if bytes.count >= 4, [[0xff, 0xfe], [0xfe, 0xff]].contains(Array(bytes.prefix(2))) {
      // Pasted text is mostly ASCII, so in UTF-16 every other byte is zero.
      let zero = bytes[0] == 0xff ? 1 : 0
      var characters = ASCIINormalizer()
      let plain = characters.normalize(bytes.span) ?? bytes
      let zeros = stride(from: 2 + zero, to: bytes.count, by: 2).count { bytes[$0] == 0 }
      return zeros * 4 >= (bytes.count - 3) / 2 * 3 && plain.allSatisfy { $0.isPrintable || $0.isWhite || $0 >= 0x80 }
    }
    guard bytes.allSatisfy({ $0.isPrintable || $0.isWhite || $0 >= 0x80 }) else { return false }
    let others = bytes.count { $0 >= 0x80 }
    guard others > 0 else { return true }
    // The end of `head` may cut the last character.
    let tail = min(bytes.suffix(3).reversed().prefix { $0 >= 0x80 }.count, 2)
    let isUTF8 = (0...tail).contains { head.isUTF8(0..<(head.count - $0)) }
    return others < bytes.count && (isUTF8 || others * 10 <= bytes.count)
  }
}
