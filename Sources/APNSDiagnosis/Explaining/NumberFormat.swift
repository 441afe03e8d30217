import Octets

/// A way to write a number. Prices: little-endian is the most common mistake; another width, text or a float costs a
/// bit more.
enum NumberFormat: UInt8, Sendable, CaseIterable {
  case documented, wide, littleEndian, wideLittleEndian, beforeZeros, twice, againInFour, halvesExchanged, pairsSwapped
  case float, double, doubleLittleEndian, binaryCodedDecimal, dateText
  case digits, digitsInField, digitsAndSeparator, hexDigits, escapes, varint, ber, utf8, missing
  /// Bytes of the stream are lost: its zeros, or what U+FFFD took the place of.
  case withoutZeros, replaced

  /// Whether the bytes do not say what the number was.
  var losesBytes: Bool { self == .withoutZeros || self == .replaced }

  /// Whether the bytes are only arranged in another way. Of a time there would be too many ways to an ordinary one.
  var isForLengthsOnly: Bool { self == .halvesExchanged || self == .pairsSwapped }

  /// Whether it has the documented width, so that the same bytes are two numbers.
  var isOfOtherValue: Bool { self == .littleEndian || self == .binaryCodedDecimal }

  /// The format of a deviation; nil if it is about something else than a number.
  init?(_ deviation: Deviation) {
    guard deviation.dimension == .number else { return nil }
    self.init(rawValue: UInt8(deviation.detail >> 8))
  }

  /// The widths in bytes that a number may have; 0 where the width follows from the documented one.
  var widths: [Int] {
    switch self {
    case .wide, .wideLittleEndian: [1, 2, 3, 4, 8]
    case .binaryCodedDecimal: [1, 2, 4]
    default: [0]
    }
  }

  /// In its words, `%` is the width.
  var row: FaultRow<Number> { Self.rows[Int(rawValue)] }

  /// A number of documented `width`, which is written in `other` bytes if the format has several widths.
  struct Number {
    let value: Int
    let width: Int
    let other: Int

    func bytes(_ width: Int) -> [UInt8]? {
      value >= 0 && (width > 7 || value < 1 << (8 * width)) ? [UInt8](bigEndian: UInt64(value), width: width) : nil
    }
    var bytes: [UInt8]? { bytes(width) }
    var four: [UInt8]? { width == 4 ? bytes : nil }
    var digits: [UInt8] { Array(String(value).utf8) }
    var double: UInt64 { Double(value).bitPattern }
  }

  private static let rows: [FaultRow<Number>] = allCases.map { format in
    switch format {
    case .documented: FaultRow(0, "as documented") { $0.bytes }
    case .wide: FaultRow(8, "in %") { $0.bytes($0.other) }
    case .littleEndian: FaultRow(7, "with the lowest byte first") { $0.bytes?.reversed() }
    case .wideLittleEndian: FaultRow(11, "in %, the lowest first") { $0.bytes($0.other)?.reversed() }
    case .beforeZeros: FaultRow(9, "before four zero bytes") { number in number.four.map { $0 + [0, 0, 0, 0] } }
    case .twice: FaultRow(9, "written twice") { number in number.bytes.map { $0 + $0 } }
    case .againInFour:
      FaultRow(9, "written twice, the second time in 4 bytes") { number in
        number.width == 2 ? number.bytes.map { $0 + [0, 0] + $0 } : nil
      }
    case .halvesExchanged: FaultRow(9, "with its halves exchanged") { $0.four.map { [$0[2], $0[3], $0[0], $0[1]] } }
    case .pairsSwapped:
      FaultRow(9, "with the bytes of each pair swapped") { $0.four.map { [$0[1], $0[0], $0[3], $0[2]] } }
    case .float:
      FaultRow(10, "as a float") {
        $0.width == 4 ? [UInt8](bigEndian: UInt64(Float($0.value).bitPattern), width: 4) : nil
      }
    case .double: FaultRow(10, "as a double") { [UInt8](bigEndian: $0.double, width: 8) }
    case .doubleLittleEndian:
      FaultRow(10, "as a double, the lowest byte first") { [UInt8](bigEndian: $0.double.byteSwapped, width: 8) }
    case .binaryCodedDecimal:
      FaultRow(10, "in binary-coded decimal") { number in
        let zeros = 2 * number.other - number.digits.count
        guard zeros >= 0 else { return nil }
        let all = [UInt8](repeating: 0, count: zeros) + number.digits.map { $0 & 15 }
        return stride(from: 0, to: all.count, by: 2).map { all[$0] << 4 | all[$0 + 1] }
      }
    case .dateText:
      FaultRow(9, "as a date in text") {
        Evidence.dates.contains($0.value) ? Array(UTC.text($0.value, separator: "T").utf8) + [0x5a] : nil
      }
    case .digits: FaultRow(8, "as decimal digits") { $0.digits }
    case .digitsInField:
      FaultRow(9, "as decimal digits") { number in
        let zeros = number.width - number.digits.count
        return zeros >= 0 ? [UInt8](repeating: 0x30, count: zeros) + number.digits : nil
      }
    case .digitsAndSeparator: FaultRow(9, "as decimal digits and a separator") { $0.digits + [10] }
    case .hexDigits: FaultRow(8, "as hexadecimal digits") { $0.bytes.map { Array($0.hexDigits.utf8) } }
    case .escapes:
      FaultRow(9, "as escapes in text") { $0.bytes.map { $0.flatMap { Array("\\x\($0.hexDigits)".utf8) } } }
    case .varint: FaultRow(9, "as a varint") { $0.value > 0x7f ? varintBytes($0.value) : nil }
    case .ber:
      FaultRow(9, "as a length of ASN.1") { number in
        number.value > 0xff ? number.bytes(2).map { [0x82] + $0 } : number.bytes(1).map { [0x81] + $0 }
      }
    case .utf8:
      FaultRow(9, "as characters in UTF-8") { number in
        let text = number.bytes?.flatMap { String(UnicodeScalar($0)).utf8 }
        return text?.count == number.width ? nil : text
      }
    case .missing: FaultRow(10, "left out") { _ in [] }
    case .withoutZeros: FaultRow(10, "without zero bytes") { $0.bytes?.filter { $0 != 0 } }
    case .replaced: FaultRow(9, "with U+FFFD in place of what was no UTF-8") { $0.bytes }
    }
  }

  /// Writes a number of documented `width` in this format, or in `other` bytes if the format has several widths.
  /// Returns nil if that does not say the number.
  func write(_ number: Int, width: Int, other: Int) -> [UInt8]? {
    row.write(Number(value: number, width: width, other: other))
  }
}

/// A number as it could be written at an offset.
struct NumberReading: Sendable {
  /// Nil if the number is missing.
  let number: Int?
  let start, end: Int
  var format = NumberFormat.documented
  /// The width in bytes that is part of the writing; 0 where it is not.
  var width = 0

  var size: Int { end - start }

  func deviation(_ subject: Deviation.Subject) -> Deviation? {
    format == .documented ? nil : .number(subject, format, width: width)
  }
}

extension [UInt8] {
  /// Every way in which a number of documented `width` could be written at `start`.
  func numbers(at start: Int, width: Int) -> [NumberReading] {
    var found: [NumberReading] = []
    func add(_ number: Int?, _ end: Int, _ format: NumberFormat, _ width: Int = 0) {
      found.append(NumberReading(number: number, start: start, end: end, format: format, width: width))
    }
    for size in [width] + NumberFormat.wide.widths.filter({ $0 != width }) where start + size <= count {
      let bytes = self[start..<(start + size)]
      let (big, little) = (bytes.bigEndian, bytes.reversed().bigEndian)
      let end = start + size
      if size == width {
        add(big, end, .documented)
        if little != big { add(little, end, .littleEndian) }
        if size > 1, number(end, size) == big { add(big, end + size, .twice) }
        if size == 2, number(end, 4) == big { add(big, end + 4, .againInFour) }
      } else {
        add(big, end, .wide, size)
        if little != big { add(little, end, .wideLittleEndian, size) }
      }
      if size == 4, width == 4 {
        add((big & 0xffff) << 16 | big >> 16, end, .halvesExchanged)
        add((big & 0xff00ff) << 8 | big >> 8 & 0xff00ff, end, .pairsSwapped)
        let float = Float(bitPattern: UInt32(big))
        if float >= 1, float < 4e9, let number = Int(exactly: float) { add(number, end, .float) }
      }
      if size == 8 {
        let pattern = bytes.bigEndianNumber
        for (pattern, format) in [(pattern, NumberFormat.double), (pattern.byteSwapped, .doubleLittleEndian)] {
          let number = Double(bitPattern: pattern)
          // Only times have fractions.
          let isWhole = number == number.rounded()
          if number >= 1, number < 4e12, isWhole || number > 1e8 { add(Int(number), end, format) }
        }
      }
      if size == 8, width == 4, big > 0, big & 0xffff_ffff == 0 { add(big >> 32, end, .beforeZeros, 0) }
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
    if let (number, end) = inUTF8(start, width) { add(number, end, .utf8) }
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

  /// A number whose bytes became text in UTF-8; nil if that changed none.
  private func inUTF8(_ start: Int, _ width: Int) -> (Int, Int)? {
    guard self[start...].prefix(width).contains(where: { $0 & 0xfe == 0xc2 }) else { return nil }
    let text = ByteCoding.latin1AsUTF8.decode(Cursor(self, at: start, count: 2 * width), width)
    return text.bytes.count == width ? (text.bytes.bigEndian, Int(text.ends[width])) : nil
  }

  /// Numbers as text, and such that say how many bytes they have.
  private func texts(_ start: Int, _ width: Int, _ add: (Int?, Int, NumberFormat, Int) -> Void) {
    guard start < count else { return }
    if self[start] & 0x80 != 0 { varints(start, add) }
    if self[start] == 0x5c, let number = inEscapes(start, width) { add(number, start + 4 * width, .escapes, 0) }
    guard self[start] == 0x20 || ByteSet.hex.contains(self[start]) else { return }
    if start + 19 <= count, let (date, end) = date(at: start) { add(date, end, .dateText, 0) }
    let spaces = self[start...].prefix(9).prefix { $0 == 0x20 }.count
    let digits = self[(start + spaces)...].prefix(13).prefix { 0x30...0x39 ~= $0 }
    if !digits.isEmpty {
      let number = digits.reduce(0) { $0 * 10 + Int($1 & 15) }
      let fraction = self[digits.endIndex...].prefix(8)
      let places = fraction.dropFirst().prefix { 0x30...0x39 ~= $0 }
      let end = fraction.first == 0x2e && !places.isEmpty ? places.endIndex : digits.endIndex
      if let separator = separator(at: end) { add(number, separator, .digitsAndSeparator, 0) }
      add(number, end, .digits, 0)
      for fieldEnd in [start + 2, start + 4] where fieldEnd < digits.endIndex && fieldEnd > digits.startIndex {
        add(self[digits.startIndex..<fieldEnd].reduce(0) { $0 * 10 + Int($1 & 15) }, fieldEnd, .digitsInField, 0)
      }
    }
    let hex = self[start...].prefix(2 * width)
    if hex.count == 2 * width, hex.allSatisfy(ByteSet.hex.contains) {
      add(hex.reduce(0) { $0 << 4 | Int($1.hexDigitValue ?? 0) }, start + 2 * width, .hexDigits, 0)
    }
  }

  /// A number whose bytes are each written as `\x` and two hexadecimal digits.
  private func inEscapes(_ start: Int, _ width: Int) -> Int? {
    var cursor = Cursor(self, at: start, count: 4 * width)
    let bytes = (0..<width).compactMap { _ in cursor.take("\\x") ? cursor.number(digits: 2) : nil }
    return bytes.count == width ? bytes.reduce(0) { $0 << 8 | Int($1) } : nil
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
    var rest = self[(start + 19)...]
    guard let time = UTC.parse((Array(self[start..<rest.startIndex]) + [0x5a]).span) else { return nil }
    if rest.first == 0x2e { rest = rest.dropFirst().drop { 0x30...0x39 ~= $0 } }
    let zone = ["Z", "+00:00", "+0000", " +0000", " UTC"].first { rest.starts(with: $0.utf8) } ?? ""
    return (time.seconds, rest.startIndex + zone.utf8.count)
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
  fileprivate var bigEndian: Int { Int(clamping: bigEndianNumber) }
}

/// A number as protocol buffers write it.
func varintBytes(_ number: Int) -> [UInt8] {
  number < 0x80 ? [UInt8(number)] : [UInt8(truncatingIfNeeded: number) | 0x80] + varintBytes(number >> 7)
}
