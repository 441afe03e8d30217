import Octets

/// Turns what editors, chats and shells make of ASCII into ASCII again, before the text is read.
///
///     no-break and other blanks -> a blank     “ ” „ -> "     ‘ ’ ‚ -> '     … -> ...     zero width -> nothing
///
/// Each of these stands for one thing only. Any other character goes on as it is, and the format that it stands in
/// refuses it or passes over it. UTF-16 is read where a byte order mark begins it, as PowerShell writes it.
struct PlainCharacters: Sendable {
  private enum Encoding: Equatable {
    case unknown
    case utf8
    case utf16(isBigEndian: Bool)
  }

  private var encoding = Encoding.unknown
  /// Of a character whose end has not come.
  private var held: [UInt8] = []

  /// The same text in ASCII as far as it goes; nil where `chunk` needs no change.
  mutating func take(_ chunk: Span<UInt8>) -> [UInt8]? {
    guard !isPlain(chunk) else { return nil }
    var plain: [UInt8] = []
    plain.reserveCapacity(chunk.count)
    for index in chunk.indices { take(chunk[index], into: &plain) }
    return plain
  }

  /// What is left of a character that the end of the text cut off.
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

  private mutating func take(_ byte: UInt8, into plain: inout [UInt8]) {
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
    case .utf8: takeUTF8(byte, into: &plain)
    case .utf16(let isBigEndian):
      guard held.count == 2 else { return }
      let unit = UInt32(held[isBigEndian ? 0 : 1]) << 8 | UInt32(held[isBigEndian ? 1 : 0])
      held = []
      // Half of a pair stands for a character that no format has.
      Self.append(Unicode.Scalar(unit) ?? "\u{fffd}", to: &plain)
    }
  }

  private mutating func takeUTF8(_ byte: UInt8, into plain: inout [UInt8]) {
    let lead = held[0]
    let count = lead < 0xc2 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 1
    guard held.count == 1 || byte & 0xc0 == 0x80 else {
      // No character: its bytes go on as they are, and another one may begin here.
      plain += held.dropLast()
      held = []
      return take(byte, into: &plain)
    }
    guard held.count == count else { return }
    let whole = finish()
    guard count > 1, let text = String(validating: whole, as: UTF8.self), let scalar = text.unicodeScalars.first else {
      plain += whole
      return
    }
    Self.append(scalar, to: &plain)
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
  /// Whether input that begins like this is text: printable characters and white space. Bytes above ASCII may be among
  /// them where they make characters, or few of them stand in much ASCII, as an old encoding has them; no frame begins
  /// without a control character.
  public static func isText(_ head: Span<UInt8>) -> Bool {
    var bytes: [UInt8] = []
    for index in head.indices { bytes.append(head[index]) }
    if bytes.count >= 4, [[0xff, 0xfe], [0xfe, 0xff]].contains(Array(bytes.prefix(2))) {
      // Nearly all that anyone pastes is ASCII, of which every other byte is a zero.
      let zero = bytes[0] == 0xff ? 1 : 0
      var characters = PlainCharacters()
      let plain = characters.take(bytes.span) ?? bytes
      let zeros = stride(from: 2 + zero, to: bytes.count, by: 2).count { bytes[$0] == 0 }
      return zeros * 4 >= (bytes.count - 3) / 2 * 3 && plain.allSatisfy { $0.isPrintable || $0.isWhite || $0 >= 0x80 }
    }
    guard bytes.allSatisfy({ $0.isPrintable || $0.isWhite || $0 >= 0x80 }) else { return false }
    let others = bytes.count { $0 >= 0x80 }
    guard others > 0 else { return true }
    // The last character may be cut off.
    let tail = bytes.suffix(3).reversed().prefix { $0 >= 0x80 }.count
    let isWhole = tail < 3 && String(validating: bytes.dropLast(tail), as: UTF8.self) != nil
    let isUTF8 = isWhole || String(validating: bytes, as: UTF8.self) != nil
    return others < bytes.count && (isUTF8 || others * 10 <= bytes.count)
  }
}
