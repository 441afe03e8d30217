import Octets

/// A way to write a number. Prices: little-endian is the most common mistake; another width, text or a float costs a
/// bit more.
enum NumberFormat: UInt8, Sendable, CaseIterable {
  case documented, wide, littleEndian, wideLittleEndian, twice, halvesExchanged, pairsSwapped
  case float, double, doubleLittleEndian, binaryCodedDecimal, dateText
  case digits, digitsInField, digitsAndSeparator, hexDigits, varint, ber, missing
  /// Bytes of the stream are lost: its zeros, or what U+FFFD took the place of.
  case withoutZeros, replaced

  /// Whether the bytes do not say what the number was.
  var losesBytes: Bool { self == .withoutZeros || self == .replaced }

  /// The widths in bytes that a number may have in it; 0 where the width follows from the documented one.
  var widths: [Int] {
    switch self {
    case .wide, .wideLittleEndian: [1, 2, 3, 4, 8]
    case .binaryCodedDecimal: [1, 2, 4]
    default: [0]
    }
  }

  /// Whether the bytes are only arranged in another way. Of a time there would be too many ways to an ordinary one.
  var isForLengthsOnly: Bool { self == .halvesExchanged || self == .pairsSwapped }

  var price: Int {
    switch self {
    case .documented: 0
    case .littleEndian: 7
    case .wide, .digits, .hexDigits: 8
    case .twice, .halvesExchanged, .pairsSwapped, .dateText, .digitsAndSeparator, .digitsInField, .varint, .ber,
      .replaced:
      9
    case .float, .double, .doubleLittleEndian, .binaryCodedDecimal, .missing, .withoutZeros: 10
    case .wideLittleEndian: 11
    }
  }
}

extension NumberFormat {
  /// Writes a number of documented `width` in this format, or in `other` bytes if the format has several widths.
  /// Returns nil if that does not say the number.
  func write(_ number: Int, width: Int, other: Int) -> [UInt8]? {
    func bytes(_ width: Int) -> [UInt8]? {
      number >= 0 && (width > 7 || number < 1 << (8 * width)) ? [UInt8](bigEndian: UInt64(number), width: width) : nil
    }
    switch self {
    case .documented, .replaced: return bytes(width)
    case .wide: return bytes(other)
    case .littleEndian: return bytes(width)?.reversed()
    case .wideLittleEndian: return bytes(other)?.reversed()
    case .twice: return bytes(width).map { $0 + $0 }
    case .halvesExchanged: return width == 4 ? bytes(4).map { Array($0[2...] + $0[..<2]) } : nil
    case .pairsSwapped: return width == 4 ? bytes(4).map { [$0[1], $0[0], $0[3], $0[2]] } : nil
    case .float: return width == 4 ? [UInt8](bigEndian: UInt64(Float(number).bitPattern), width: 4) : nil
    case .double: return [UInt8](bigEndian: Double(number).bitPattern, width: 8)
    case .doubleLittleEndian: return [UInt8](bigEndian: Double(number).bitPattern.byteSwapped, width: 8)
    case .binaryCodedDecimal:
      let digits = String(number).utf8.map { $0 & 15 }
      guard digits.count <= 2 * other else { return nil }
      let all = [UInt8](repeating: 0, count: 2 * other - digits.count) + digits
      return stride(from: 0, to: all.count, by: 2).map { all[$0] << 4 | all[$0 + 1] }
    case .dateText: return Evidence.dates.contains(number) ? Array(UTC.text(number, separator: "T").utf8) + [0x5a] : nil
    case .digits: return Array(String(number).utf8)
    case .digitsInField:
      let digits = Array(String(number).utf8)
      return digits.count <= width ? [UInt8](repeating: 0x30, count: width - digits.count) + digits : nil
    case .digitsAndSeparator: return Array("\(number)\n".utf8)
    case .hexDigits: return bytes(width).map { Array($0.hexDigits.utf8) }
    case .varint:
      var (rest, out): (Int, [UInt8]) = (number, [])
      while rest > 0x7f { (out, rest) = (out + [UInt8(rest & 0x7f) | 0x80], rest >> 7) }
      return number > 0x7f ? out + [UInt8(rest)] : nil
    case .ber: return number > 0xff ? bytes(2).map { [0x82] + $0 } : bytes(1).map { [0x81] + $0 }
    case .missing: return []
    case .withoutZeros: return bytes(width)?.filter { $0 != 0 }
    }
  }
}

/// A number as it could be written at an offset.
struct NumberReading: Sendable {
  /// Nil if the number is missing.
  let number: Int?
  let end: Int
  let format: NumberFormat
  /// The width in bytes that is part of the writing; 0 where it is not.
  let width: Int

  /// The deviation; nil for the documented format.
  func deviation(_ subject: Deviation.Subject) -> Deviation? {
    format == .documented ? nil : .number(subject, format, width: width)
  }
}

extension [UInt8] {
  /// Every way in which a number of documented `width` could be written at `start`.
  func numbers(at start: Int, width: Int) -> [NumberReading] {
    var found: [NumberReading] = []
    func add(_ number: Int?, _ end: Int, _ format: NumberFormat, _ width: Int = 0) {
      found.append(NumberReading(number: number, end: end, format: format, width: width))
    }
    for size in [width] + NumberFormat.wide.widths.filter({ $0 != width }) where start + size <= count {
      let bytes = self[start..<(start + size)]
      let (big, little) = (bytes.bigEndian, bytes.reversed().bigEndian)
      let end = start + size
      if size == width {
        add(big, end, .documented)
        if little != big { add(little, end, .littleEndian) }
        if size > 1, end + size <= count, bytes.elementsEqual(self[end..<(end + size)]) { add(big, end + size, .twice) }
      } else {
        add(big, end, .wide, size)
        if little != big { add(little, end, .wideLittleEndian, size) }
      }
      if size == 4, width == 4 { rearranged(big, end, add) }
      if size == 8 { doubles(bytes, end, add) }
      if NumberFormat.binaryCodedDecimal.widths.contains(size), big > 9,
        bytes.allSatisfy({ $0 & 15 < 10 && $0 >> 4 < 10 })
      {
        add(bytes.reduce(0) { $0 * 100 + Int($1 >> 4) * 10 + Int($1 & 15) }, end, .binaryCodedDecimal, size)
      }
    }
    for size in 1..<Swift.max(width, 1) where start + size <= count && !self[start..<(start + size)].contains(0) {
      add(self[start..<(start + size)].bigEndian, start + size, .withoutZeros)
    }
    if let end = endOfReplaced(start, width) { add(nil, end, .replaced) }
    texts(start, width, add)
    add(nil, start, .missing)
    return found
  }

  /// The end of a number in which bytes became U+FFFD; nil if none did.
  private func endOfReplaced(_ start: Int, _ width: Int) -> Int? {
    var end = start
    for _ in 0..<width { end += isReplacement(at: end) ? 3 : 1 }
    return end > start + width && end <= count ? end : nil
  }

  private func rearranged(_ number: Int, _ end: Int, _ add: (Int?, Int, NumberFormat, Int) -> Void) {
    add((number & 0xffff) << 16 | number >> 16, end, .halvesExchanged, 0)
    add((number & 0xff00ff) << 8 | number >> 8 & 0xff00ff, end, .pairsSwapped, 0)
    let float = Float(bitPattern: UInt32(number))
    if float >= 1, float < 4e9, let number = Int(exactly: float) { add(number, end, .float, 0) }
  }

  private func doubles(_ bytes: ArraySlice<UInt8>, _ end: Int, _ add: (Int?, Int, NumberFormat, Int) -> Void) {
    let pattern = bytes.bigEndianNumber
    for (pattern, format) in [(pattern, NumberFormat.double), (pattern.byteSwapped, .doubleLittleEndian)] {
      let number = Double(bitPattern: pattern)
      // Only times have fractions.
      let isWhole = number == number.rounded()
      if number >= 1, number < 4e12, isWhole || number > 1e8 { add(Int(number), end, format, 0) }
    }
  }

  /// Numbers as text, and such that say how many bytes they have.
  private func texts(_ start: Int, _ width: Int, _ add: (Int?, Int, NumberFormat, Int) -> Void) {
    guard start < count else { return }
    if self[start] & 0x80 != 0 { varints(start, add) }
    guard self[start] == 0x20 || isxdigit(self[start]) else { return }
    if start + 19 <= count, let (date, end) = date(at: start) { add(date, end, .dateText, 0) }
    let spaces = self[start...].prefix(9).prefix { $0 == 0x20 }.count
    let digits = self[(start + spaces)...].prefix(13).prefix { 0x30...0x39 ~= $0 }
    if !digits.isEmpty {
      let number = digits.reduce(0) { $0 * 10 + Int($1 & 15) }
      let end = digits.endIndex
      if let separator = separator(at: end) { add(number, separator, .digitsAndSeparator, 0) }
      add(number, end, .digits, 0)
      for fieldEnd in [start + 2, start + 4] where fieldEnd < end && fieldEnd > digits.startIndex {
        add(self[digits.startIndex..<fieldEnd].reduce(0) { $0 * 10 + Int($1 & 15) }, fieldEnd, .digitsInField, 0)
      }
    }
    let hex = self[start...].prefix(2 * width)
    if hex.count == 2 * width, hex.allSatisfy(isxdigit) {
      add(hex.reduce(0) { $0 << 4 | Int($1.hexDigitValue ?? 0) }, start + 2 * width, .hexDigits, 0)
    }
  }

  private func varints(_ start: Int, _ add: (Int?, Int, NumberFormat, Int) -> Void) {
    var number = 0
    for (index, byte) in self[start...].prefix(5).enumerated() {
      number |= Int(byte & 0x7f) << (7 * index)
      guard byte & 0x80 == 0 else { continue }
      add(number, start + index + 1, .varint, 0)
      break
    }
    let size = Int(self[start]) - 0x80
    if 1...2 ~= size, let number = self.number(start + 1, size) { add(number, start + 1 + size, .ber, 0) }
  }

  private func separator(at index: Int) -> Int? {
    guard index < count else { return nil }
    if self[index] == 0x0d, index + 1 < count, self[index + 1] == 0x0a { return index + 2 }
    return Evidence.isSpace(self[index]) || [0, 0x3a, 0x3b, 0x2c].contains(self[index]) ? index + 1 : nil
  }

  /// A date as ISO 8601 writes it, in UTC.
  private func date(at start: Int) -> (seconds: Int, end: Int)? {
    guard self[start + 4] == 0x2d, self[start + 7] == 0x2d, self[start + 10] == 0x54 || self[start + 10] == 0x20
    else { return nil }
    let end = start + 19
    let rest = self[end...]
    let zones: [[UInt8]] = [[0x5a], Array("+00:00".utf8), Array("+0000".utf8)]
    let zone = zones.first { rest.starts(with: $0) } ?? []
    guard let time = UTC.parse((Array(self[start..<end]) + [0x5a]).span) else { return nil }
    return (time.seconds, end + zone.count)
  }
}

extension [UInt8] {
  /// Whether U+FFFD in UTF-8 begins here, as text has it in place of bytes that are no UTF-8.
  func isReplacement(at place: Int) -> Bool {
    place + 2 < count && self[place] == 0xef && self[place + 1] == 0xbf && self[place + 2] == 0xbd
  }
}

extension Collection<UInt8> {
  /// The number that up to eight bytes are; at most `Int.max`.
  fileprivate var bigEndian: Int { Int(clamping: reduce(UInt64(0)) { $0 << 8 | UInt64($1) }) }
}

private func isxdigit(_ byte: UInt8) -> Bool { byte.hexDigitValue != nil }
