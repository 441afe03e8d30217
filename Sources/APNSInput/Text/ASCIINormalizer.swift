import Octets

/// Converts what editors, chats, shells and terminals substitute or add back to ASCII, before the text is parsed.
///
///     no-break and other blanks -> a blank   “ ” „ -> "   ‘ ’ ‚ -> '   – − -> -   … -> ...
///     zero width, colours and titles of terminals -> nothing   a carriage return alone -> a line feed
///
/// Each replacement is unambiguous. All other characters are unchanged; the format rejects or skips them. UTF-16 is
/// read if it begins with a byte order mark, as PowerShell writes it, or with two characters of ASCII.
struct ASCIINormalizer: Sendable {
  fileprivate enum Encoding {
    case utf8
    case utf16(isBigEndian: Bool)
  }

  /// Nil until the bytes that show it are read.
  fileprivate var encoding: Encoding?
  /// The bytes of a character or of a terminal's sequence that is not complete yet.
  private var held: [UInt8] = []

  /// The normalized text; nil if `chunk` needs no change.
  mutating func normalize(_ chunk: Span<UInt8>) -> [UInt8]? {
    guard !isPlain(chunk) else { return nil }
    held.append(contentsOf: chunk)
    return normalizeHeld(isEnd: false)
  }

  /// Returns the rest of a character that the end of the text cut off.
  mutating func finish() -> [UInt8] { normalizeHeld(isEnd: true) }

  private func isPlain(_ chunk: Span<UInt8>) -> Bool {
    guard held.isEmpty, case .utf8 = encoding else { return chunk.isEmpty }
    var (bits, isPlain, last): (UInt8, Bool, UInt8) = (0, true, 0)
    for index in chunk.indices {
      let byte = chunk[index]
      bits |= byte
      isPlain = isPlain && byte != Self.escape && (last != Self.carriageReturn || byte == UInt8(ascii: "\n"))
      last = byte
    }
    return bits < 0x80 && isPlain && last != Self.carriageReturn
  }

  /// The encoding of a text that begins with these bytes. Pasted text is mostly ASCII.
  private static func encoding(of bytes: [UInt8]) -> Encoding {
    if bytes.starts(with: [0xfe, 0xff]) { return .utf16(isBigEndian: true) }
    if bytes.starts(with: [0xff, 0xfe]) { return .utf16(isBigEndian: false) }
    let areZero = bytes.prefix(mark).map { $0 == 0 }
    if areZero == [true, false, true, false] { return .utf16(isBigEndian: true) }
    return areZero == [false, true, false, true] ? .utf16(isBigEndian: false) : .utf8
  }

  /// How many bytes show the encoding.
  private static let mark = 4
  private static let escape: UInt8 = 0x1b
  private static let carriageReturn = UInt8(ascii: "\r")

  private mutating func normalizeHeld(isEnd: Bool) -> [UInt8] {
    var plain: [UInt8] = []
    plain.reserveCapacity(held.count)
    var index = 0
    if encoding == nil {
      guard isEnd || held.count >= Self.mark else { return [] }
      encoding = Self.encoding(of: held)
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
      if held[index] == Self.escape || held[index] == Self.carriageReturn {
        guard let count = control(at: index, isEnd: isEnd, to: &plain) else { break }
        index += count
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

  /// Reads a carriage return, or what controls a terminal. Returns the number of bytes; nil if more are needed.
  private func control(at index: Int, isEnd: Bool, to plain: inout [UInt8]) -> Int? {
    let rest = held[(index + 1)...]
    guard let next = rest.first else {
      if isEnd { plain.append(held[index]) }
      return isEnd ? 1 : nil
    }
    if held[index] == Self.carriageReturn {
      plain.append(next == UInt8(ascii: "\n") ? Self.carriageReturn : UInt8(ascii: "\n"))
      return 1
    }
    var end: Int?
    switch next {
    // A parameter is a digit or a mark.
    case UInt8(ascii: "["): end = rest.dropFirst().prefix(Self.longestSequence).firstIndex { !(0x20...0x3f ~= $0) }
    case UInt8(ascii: "]"):
      end = rest.dropFirst().prefix(Self.longestSequence).firstIndex { $0 == 7 || $0 == Self.escape }
    case UInt8(ascii: "("), UInt8(ascii: ")"): end = rest.dropFirst().indices.first
    case UInt8(ascii: "="), UInt8(ascii: ">"), UInt8(ascii: "\\"): end = rest.startIndex
    default: break
    }
    if end == nil, !isEnd, "[]()".utf8.contains(next), rest.count <= Self.longestSequence { return nil }
    if next == UInt8(ascii: "["), let last = end, !(0x40...0x7e ~= held[last]) { end = nil }
    guard let end else {
      plain.append(Self.escape)
      return 1
    }
    // An escape and a backslash end a title, too.
    return end + (held[end] == Self.escape ? 0 : 1) - index
  }

  private static let longestSequence = 256

  private static func append(_ scalar: Unicode.Scalar, to plain: inout [UInt8]) {
    switch scalar.value {
    case 0xa0, 0x2000...0x200a, 0x202f, 0x205f, 0x3000: plain.append(UInt8(ascii: " "))
    case 0xad, 0x200b...0x200f, 0x202a...0x202e, 0x2060, 0xfeff: break
    case 0x85, 0x2028, 0x2029: plain.append(UInt8(ascii: "\n"))
    case 0x201c...0x201f: plain.append(UInt8(ascii: "\""))
    case 0x2018...0x201b: plain.append(UInt8(ascii: "'"))
    case 0x2010...0x2013, 0x2212: plain.append(UInt8(ascii: "-"))
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
    let plain = head.count > 3 ? characters.normalize(head) ?? bytes : bytes
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
