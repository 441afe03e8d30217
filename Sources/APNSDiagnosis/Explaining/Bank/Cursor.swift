import Octets

/// A set of byte values. A literal lists characters and ranges, such as `"0-9a-f"`; a hyphen at its end is a member.
struct ByteSet: Sendable, ExpressibleByStringLiteral {
  static let (all, none): (ByteSet, ByteSet) = ("\0-\u{ff}", "")
  static let (blank, space, printable): (ByteSet, ByteSet, ByteSet) = (" ", "\t-\r ", " -~")
  static let (digits, hex, name): (ByteSet, ByteSet, ByteSet) = ("0-9", "0-9A-Fa-f", "0-9A-Za-z_.")

  private var words = SIMD4<UInt64>()
  private let onlyMember: UInt8?

  init(stringLiteral text: String) {
    let members = Self.members(text)
    onlyMember = members.count == 1 ? members[0] : nil
    for byte in members { words[Int(byte >> 6)] |= 1 << UInt64(byte & 63) }
  }

  /// The members of a set in the order in which its literal lists them.
  static func members(_ text: String) -> [UInt8] {
    let bytes = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    var (members, index): ([UInt8], Int) = ([], 0)
    while index < bytes.count {
      let isRange = index + 2 < bytes.count && bytes[index + 1] == 0x2d
      members += bytes[index]...bytes[isRange ? index + 2 : index]
      index += isRange ? 3 : 1
    }
    return members
  }

  /// The offset of the first member in a range; the end of the range if there is none.
  func firstMember(of source: [UInt8], in range: Range<Int>) -> Int {
    if let onlyMember { return source.span.first(onlyMember, in: range) ?? range.upperBound }
    return range.first { contains(source[$0]) } ?? range.upperBound
  }

  func contains(_ byte: UInt8) -> Bool { words[Int(byte >> 6)] >> UInt64(byte & 63) & 1 != 0 }
}

/// A position in bytes. Nothing at or after `end` is read.
struct Cursor {
  let source: [UInt8]
  var offset: Int
  let end: Int
  /// Whether the unit that was read is the last one.
  var isAtLastUnit = false

  /// A cursor that can read `count` bytes, or fewer if the source ends before that.
  init(_ source: [UInt8], at offset: Int, count: Int) {
    (self.source, self.offset) = (source, offset)
    end = offset + min(count, source.count - offset)
  }

  /// The byte at this distance from the position; nil if it cannot be read.
  subscript(distance: Int) -> UInt8? {
    let index = offset + distance
    return index < end ? source[index] : nil
  }

  /// The bytes from the position on, at most `count`.
  func prefix(_ count: Int) -> ArraySlice<UInt8> { source[offset..<end].prefix(count) }

  mutating func advance(_ count: Int = 1) { offset = min(offset + count, end) }
  mutating func next() -> UInt8? {
    defer { advance() }
    return self[0]
  }

  /// Reads this text, if it follows.
  mutating func take(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    for index in 0..<count where self[index] != (unsafe text.utf8Start[index]) { return false }
    offset += count
    return true
  }

  /// Skips members of a set. Returns how many there were.
  @discardableResult mutating func skip(_ set: ByteSet, atMost most: Int = .max) -> Int {
    let start = offset
    while offset - start < most, offset < end, set.contains(source[offset]) { offset += 1 }
    return offset - start
  }

  /// Reads exactly `count` digits as a number.
  mutating func number(digits count: Int, radix: UInt32 = 16) -> UInt32? {
    var value: UInt32 = 0
    for distance in 0..<count {
      guard let digit = self[distance]?.hexDigitValue, digit < radix else { return nil }
      value = value &* radix &+ UInt32(digit)
    }
    offset += count
    return value
  }

  /// Decodes one unit after another until `limit` bytes have been decoded. Skips members of `rest` before a unit that
  /// needs it, and after the last one.
  func decodeUnits(limit: Int, rest: ByteSet = .none, _ read: (inout Cursor, inout [UInt8]) -> Bool) -> Decoded {
    var (cursor, decoded) = (self, Decoded(at: offset))
    decoded.bytes.reserveCapacity(min(limit, end - offset) + 8)
    decoded.ends.reserveCapacity(min(limit, end - offset) + 9)
    while decoded.bytes.count < limit, !cursor.isAtLastUnit {
      let (start, count) = (cursor.offset, decoded.bytes.count)
      if !read(&cursor, &decoded.bytes) || cursor.offset == start {
        decoded.bytes.removeLast(decoded.bytes.count - count)
        cursor.offset = start
        if cursor.skip(rest) == 0 { break }
      }
      decoded.endUnit(at: cursor.offset)
    }
    return decoded
  }
}
