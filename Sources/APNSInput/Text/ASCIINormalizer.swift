import Octets

/// Converts typographic characters that editors, chats and shells substitute back to ASCII, before the text is parsed.
///
///     no-break and other blanks -> a blank   “ ” „ -> "   ‘ ’ ‚ -> '   … -> ...   zero width -> nothing
///
/// Each replacement is unambiguous. All other characters are unchanged; the format rejects or skips them. UTF-16 is
/// read if it begins with a byte order mark, as PowerShell writes it.
struct ASCIINormalizer: Sendable {
  /// The size in bytes of a character of UTF-16 is fixed, that of UTF-8 is not; nil until the first two bytes are read.
  fileprivate enum Encoding {
    case utf8
    case utf16(isBigEndian: Bool)
  }

  fileprivate var encoding: Encoding?
  /// The bytes of a character that is not complete yet.
  private var held: [UInt8] = []

  /// The normalized text; nil if `chunk` needs no change.
  mutating func normalize(_ chunk: Span<UInt8>) -> [UInt8]? {
    guard !isPlain(chunk) else { return nil }
    held.append(contentsOf: chunk)
    return normalizeHeld(isEnd: false)
  }

  /// Returns the rest of a character that the end of the text cut off.
  mutating func finish() -> [UInt8] { normalizeHeld(isEnd: true) }

  private mutating func isPlain(_ chunk: Span<UInt8>) -> Bool {
    guard held.isEmpty, !chunk.isEmpty else { return chunk.isEmpty }
    if encoding == nil, chunk[0] < 0xfe { encoding = .utf8 }
    guard case .utf8 = encoding else { return false }
    var bits: UInt8 = 0
    for index in chunk.indices { bits |= chunk[index] }
    return bits < 0x80
  }

  private mutating func normalizeHeld(isEnd: Bool) -> [UInt8] {
    var plain: [UInt8] = []
    plain.reserveCapacity(held.count)
    var index = 0
    if encoding == nil {
      guard isEnd || held.count > 1 || held.first ?? 0 < 0xfe else { return [] }
      let isMarked = held.count > 1 && held[0] ^ held[1] == 1 && held[1] >= 0xfe
      encoding = isMarked ? .utf16(isBigEndian: held[0] == 0xfe) : .utf8
    }
    while index < held.count {
      let left = held.count - index
      if case .utf16(let isBigEndian) = encoding {
        guard left > 1 else { break }
        let (high, low) = isBigEndian ? (held[index], held[index + 1]) : (held[index + 1], held[index])
        // An unpaired surrogate becomes a character that no format accepts.
        Self.append(Unicode.Scalar(UInt16(high) << 8 | UInt16(low)) ?? "\u{fffd}", to: &plain)
        index += 2
        continue
      }
      let count = held.span.lengthOfCharacter(at: index, end: held.count)
      if count > 1 {
        Self.append(held.span.character(at: index, count: count), to: &plain)
      } else if count == 0, left < 4, !isEnd, held.span.sizeOfCutCharacter(at: index, end: held.count) > 0 {
        break
      } else {
        // Bytes that are not UTF-8 are kept unchanged.
        plain.append(held[index])
      }
      index += max(count, 1)
    }
    held.removeFirst(index)
    if isEnd { plain += held }
    return plain
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
    let bytes = [UInt8](copying: head)
    var characters = ASCIINormalizer()
    let plain = characters.normalize(head) ?? bytes
    guard plain.allSatisfy({ $0.isPrintable || $0.isWhite || $0 >= 0x80 }) else { return false }
    // Pasted text is mostly ASCII, so each byte of its UTF-16 has one that is zero.
    if case .utf16 = characters.encoding { return !plain.isEmpty && plain.count { $0 >= 0x80 } * 4 <= plain.count }
    let others = bytes.count { $0 >= 0x80 }
    guard others > 0 else { return true }
    // The end of `head` may cut the last character.
    let tail = min(bytes.suffix(3).reversed().prefix { $0 >= 0x80 }.count, 2)
    let isUTF8 = (0...tail).contains { head.isUTF8(0..<(head.count - $0)) }
    return others < bytes.count && (isUTF8 || others * 10 <= bytes.count)
  }
}
