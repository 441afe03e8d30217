import Octets

// Codings that write bytes as digits.
extension ByteCoding {
  /// Digits with or without separators, and with prefixes such as `0x`.
  static let hexDigits = units(rest: "\t-\r :>,;])}\"'-") { cursor, bytes in
    repeat { cursor.skip(hexSeparators) } while cursor.take("0x") || cursor.take("0X") || cursor.take("\\x")
    guard let byte = cursor.number(digits: 2) else { return false }
    bytes.append(UInt8(byte))
    return true
  }.written { Array($0.hexDigits.utf8) }

  /// Numbers from -128 to 255, as arrays are printed.
  static let decimalNumbers = units(rest: "\t-\r ])}>,;") { cursor, bytes in
    if bytes.isEmpty { _ = cursor.take("{\"type\":\"Buffer\",\"data\":") }
    cursor.skip(decimalSeparators)
    let isNegative = cursor.take("-")
    let count = cursor.prefix(4).prefix(while: ByteSet.digits.contains).count
    guard (1...3).contains(count), let value = cursor.number(digits: count, radix: 10) else { return false }
    bytes.append(UInt8(truncatingIfNeeded: isNegative ? 0 &- value : value))
    return value <= (isNegative ? 128 : 255)
  }.written { Array("[\($0.map { String($0) }.joined(separator: ", "))]".utf8) }
  private static let hexSeparators: ByteSet = "\t-\r :,;<>[]{}()\"'-"
  private static let decimalSeparators: ByteSet = "\t-\r [({<,;"

  static let binaryDigits = units(rest: .space) { cursor, bytes in
    cursor.number(digits: 8, radix: 2).map { bytes.append(UInt8($0)) } != nil
  }.written { $0.flatMap { byte in (0..<8).map { 0x30 + byte >> (7 - $0) & 1 } } }

  /// Groups of `width` digits for `size` bytes. A sender writes digits of the first alphabet, and `padding` to complete
  /// the last group. One character may stand for a group of zeros.
  static func groups(
    of size: Int, in width: Int, _ alphabets: String..., padding: UInt8? = nil, rest: ByteSet = .space,
    zeros: UInt8? = nil
  ) -> ByteCoding {
    let digits = alphabets.map(ByteSet.members)
    let values = Dictionary(digits.flatMap { zip($0, 0...) }) { first, _ in first }
    let (alphabet, radix) = (digits[0], UInt64(digits[0].count))
    let valueOf = (UInt8.min...UInt8.max).map { UInt64(values[$0] ?? .max) }
    @Sendable func digitCount(_ count: Int) -> Int { (count * width + size - 1) / size }
    return units(rest: rest) { cursor, bytes in
      if let zeros, cursor[0] == zeros {
        bytes += [UInt8](repeating: 0, count: size)
        return cursor.next() != nil
      }
      var (value, count): (UInt64, Int) = (0, 0)
      while count < width, let digit = cursor[0].map({ valueOf[Int($0)] }), digit < radix {
        (value, count) = (value * radix + digit, count + 1)
        cursor.advance()
      }
      // The bytes that the digits of an incomplete group determine.
      let known = count * size / width
      for _ in count..<width { value = value * radix + radix - 1 }
      guard digitCount(known) == count, value >> UInt64(8 * size) == 0 else { return false }
      bytes.append(bigEndian: value >> UInt64(8 * (size - known)), width: known)
      while count < width, let padding, cursor[0] == padding { (cursor.offset, count) = (cursor.offset + 1, count + 1) }
      // Blanks between short groups separate digits of another kind.
      cursor.isAtLastUnit = count < width && cursor[0] == 0x20
      return true
    }.written { bytes in
      stride(from: 0, to: bytes.count, by: size).flatMap { start in
        let group = bytes[start...].prefix(size)
        var (value, text) = (group.bigEndianNumber << UInt64(8 * (size - group.count)), [UInt8]())
        for _ in 0..<width {
          text.insert(alphabet[Int(value % radix)], at: 0)
          value /= radix
        }
        let count = digitCount(group.count)
        return text.prefix(count) + (padding.map { [UInt8](repeating: $0, count: width - count) } ?? [])
      }
    }
  }

  // In these alphabets, `---` is a hyphen.
  static let base64 = groups(of: 3, in: 4, "A-Za-z0-9+/", "A-Za-z0-9---_", padding: 0x3d, rest: "\t-\r =")
  /// As a web server reads it from a form.
  static let base64InForm = groups(of: 3, in: 4, "A-Za-z0-9 /", padding: 0x3d)
  static let base32 = groups(of: 5, in: 8, "A-Z2-7", "a-z2-7", padding: 0x3d, rest: "\t-\r =")
  static let base85 = groups(of: 4, in: 5, "0-9A-Za-z!#$%&()*+-+---;<=>?@^_`{|}~")
  static let ascii85 = groups(of: 4, in: 5, "!-u", zeros: 0x7a)
  static let nibbles = groups(of: 1, in: 2, "\0-\u{f}", rest: .none)
  private static let uuGroups = groups(of: 3, in: 4, " -_", "`!-_", rest: .none)

  /// Hexadecimal digits that were decoded as Base64.
  static let hexReadAsBase64 = units { cursor, bytes in
    let group = cursor.prefix(3)
    let digits = [18, 12, 6, 0].compactMap { hexDigitOfBase64[Int(group.bigEndianNumber >> $0) & 63] }
    guard group.count == 3, digits.count == 4 else { return false }
    bytes += [digits[0] << 4 | digits[1], digits[2] << 4 | digits[3]]
    cursor.advance(3)
    return true
  }.written { base64.decode(Cursor(Array($0.hexDigits.utf8), at: 0, count: .max), .max).bytes }
  private static let hexDigitOfBase64 = ByteSet.members("A-Za-z0-9+/").map(\.hexDigitValue)

  /// Lines of up to 45 bytes, each after its number of bytes.
  static let uuencoded = units { cursor, bytes in
    guard let size = cursor.next(), (0x20...0x60).contains(size) else { return false }
    let count = Int(size - 0x20) & 63
    let line = uuGroups.decode(cursor, count)
    bytes += line.bytes.prefix(count)
    cursor.offset = Int(line.ends.last ?? 0)
    return line.bytes.count >= count && (cursor.take("\n") || cursor.take("\r\n"))
  }.written { bytes in
    stride(from: 0, to: bytes.count, by: 45).flatMap { start in
      let line = bytes[start...].prefix(45)
      let missing = (3 - line.count % 3) % 3
      let groups = uuGroups.write(line + [UInt8](repeating: 0, count: missing)) ?? []
      return [UInt8(line.count + 32)] + groups + [10]
    }
  }

  /// Lines of an offset, up to 16 bytes in hexadecimal, and often the characters.
  static let hexDump = units { cursor, bytes in
    let count = bytes.count
    guard cursor.skip(.hex, atMost: 8) >= 4, cursor.take(":") || [0x20, 10].contains(cursor[0]) else { return false }
    var ahead = cursor
    while bytes.count < count + 16, ahead.skip(.blank, atMost: 3) < 3, let byte = ahead.number(digits: 2) {
      bytes.append(UInt8(byte))
      cursor = ahead
    }
    if cursor.skip(.blank) > 1 { cursor.skip(.printable) }
    return cursor.take("\n") || cursor.take("\r\n") || bytes.count > count
  }.written { bytes in
    stride(from: 0, to: bytes.count, by: 16).flatMap { offset in
      let line = bytes[offset...].prefix(16).map(\.hexDigits).joined(separator: " ")
      return Array("\([UInt8](bigEndian: UInt64(offset), width: 4).hexDigits)  \(line)\n".utf8)
    }
  }
}
