import Octets

/// The requirement of a form for one of its values.
enum FormValue: Sendable, Hashable, BitwiseCopyable {
  /// A string with at least one character, in which no text is damaged.
  case string
  case number
  /// A whole number, 0 or more.
  case count
  /// A string that the key at this index in ``PayloadKey/all`` allows.
  case stringOfKey(UInt8)
  /// No value: more text, or the end of the payload.
  case nothing
  case end

  /// Returns nil for a value that is the same in every payload of the form.
  init?(_ kind: JSONScanner.Kind, ofKey key: Int?) {
    let allowed = key.map { PayloadKey.all[$0].allowed } ?? .any
    switch (kind, allowed) {
    case (.string, .soundFile): self = .stringOfKey(UInt8(key ?? 0))
    case (.string, _): self = .string
    case (.number, .count): self = .count
    case (.number, .numbers): return nil
    case (.number, _): self = .number
    default: return nil
    }
  }
}

extension PayloadForms {
  /// The end of the value at `start`, which for a string is its first character. Returns 0 if another kind of value is
  /// there.
  @inline(__always)
  mutating func end(of value: FormValue, _ bytes: Span<UInt8>, from start: Int, end: Int) -> Int {
    switch value {
    case .string:
      let after = endOfString(bytes, from: start, end: end)
      return after > start + 1 ? after : 0
    case .number: return endOfNumber(bytes, from: start, end: end, mustBeCount: false)
    case .count: return endOfNumber(bytes, from: start, end: end, mustBeCount: true)
    case .stringOfKey(let key):
      let after = endOfString(bytes, from: start, end: end)
      return after > start + 1 && isValid((start - 1)..<after, key, bytes) ? after : 0
    case .nothing, .end: return 0
    }
  }

  @inline(never)
  private func isValid(_ string: Range<Int>, _ key: UInt8, _ bytes: Span<UInt8>) -> Bool {
    PayloadKey.all[Int(key)].fault(in: PayloadOutline.Value(kind: .string, range: string), bytes) == nil
  }

  /// The end of the string whose first character is at `start`. Returns 0 if there is no string or if it may contain
  /// damaged text.
  @inline(__always)
  private mutating func endOfString(_ bytes: Span<UInt8>, from start: Int, end: Int) -> Int {
    var index = start
    var all: UInt64 = 0
    var hasNumbers = false
    while index < end {
      let count = TextBlock(bytes, at: index).unescapedCount(&all)
      index += count
      if count == TextBlock.size { continue }
      guard index < end else { return 0 }
      switch bytes[index] {
      case UInt8(ascii: "\""):
        if TextBlock.hasLong(all), hasNumbers || !TextBlock.isUnmangled(start..<index, in: bytes) { return 0 }
        return index + 1
      case UInt8(ascii: "\\"):
        let escape = bytes[index + 1]
        if escape == UInt8(ascii: "u") {
          index = endOfNumberedCharacter(bytes, at: index)
          if index == 0 { return 0 }
          hasNumbers = true
        } else if escape.isShortEscape {
          index += 2
        } else {
          return 0
        }
      default:
        return 0
      }
    }
    return 0
  }

  /// The offset after a `\uXXXX` escape. Returns 0 if it may be half a character or part of mangled text.
  @inline(__always)
  private mutating func endOfNumberedCharacter(_ bytes: Span<UInt8>, at start: Int) -> Int {
    guard bytes.isHexNumber(at: start + 2) else { return 0 }
    let number = bytes.hexNumber(at: start + 2)
    switch number {
    case ..<0x80:
      return start + 6
    case 0x80...0xbf, 0x20ac, 0xdc00...0xdfff, 0xfffd:
      return 0
    case 0xd800...0xdbff:
      guard bytes.fourBytes(at: start + 6) & 0xffff == 0x755c, bytes.isHexNumber(at: start + 8),
        0xdc00...0xdfff ~= bytes.hexNumber(at: start + 8)
      else { return 0 }
      hasEscapes = true
      return start + 12
    default:
      hasEscapes = true
      return start + 6
    }
  }

  /// The end of the number at `start`. Returns 0 if there is none, or if it is not the required count.
  @inline(__always)
  private func endOfNumber(_ bytes: Span<UInt8>, from start: Int, end: Int, mustBeCount: Bool) -> Int {
    let first = bytes[start] == UInt8(ascii: "-") ? start + 1 : start
    var index = bytes.endOfDigits(from: first, end: end)
    guard index > first, bytes[first] != UInt8(ascii: "0") || index == first + 1 else { return 0 }
    if bytes[index] == UInt8(ascii: ".") {
      let fraction = index + 1
      index = bytes.endOfDigits(from: fraction, end: end)
      if index == fraction { return 0 }
    }
    if bytes[index] | 0x20 == UInt8(ascii: "e") {
      let sign = bytes[index + 1]
      let exponent = index + (sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") ? 2 : 1)
      index = bytes.endOfDigits(from: exponent, end: end)
      if index <= exponent { return 0 }
    }
    if mustBeCount {
      guard index - start <= 15 else { return 0 }
      for place in start..<index where !bytes[place].isDigit { return 0 }
    }
    return index
  }
}

extension Span<UInt8> {
  @inline(__always)
  fileprivate func endOfDigits(from start: Int, end: Int) -> Int {
    var index = start
    while index < end, self[index].isDigit { index += 1 }
    return index
  }
}

extension UInt8 {
  fileprivate var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }

  /// Whether this byte, after a backslash, makes an escape of two bytes.
  fileprivate var isShortEscape: Bool {
    switch self {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      true
    default: false
    }
  }
}
