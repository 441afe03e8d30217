import Octets

/// An encoding that senders use by mistake, for a value or a complete frame, in place of the bytes themselves.
package struct Coding: Sendable {
  /// The name of the encoding: `hexadecimal text`.
  package let name: String
  /// The offset where an encoded value that begins at `start` ends; nil if none begins there.
  package let end: @Sendable (_ start: Int, _ bytes: Span<UInt8>) -> Int?
  /// Decodes a value. Returns nil if the bytes do not have this encoding, or do not encode the complete value.
  package let decode: @Sendable ([UInt8]) -> [UInt8]?
  package let encode: @Sendable ([UInt8]) -> [UInt8]
  /// Whether the encoding leaves bytes unchanged.
  package let isVerbatim: Bool
  /// Decodes one byte, for encodings of complete frames, whose ends only show when they are decoded. Returns the byte
  /// and the offset of the next one, or nil if none can begin at `at`. `start` is the frame's own offset.
  package private(set) var unit: Unit?

  /// Whether the encoding loses information about the original bytes.
  package private(set) var isLossy = false
  /// The number of bytes that are encoded together.
  package private(set) var block = 1

  package typealias Unit = @Sendable (_ start: Int, _ at: Int, _ bytes: Span<UInt8>) -> (byte: UInt8, end: Int)?

  package init(
    _ name: String, end: @escaping @Sendable (Int, Span<UInt8>) -> Int?,
    decode: @escaping @Sendable ([UInt8]) -> [UInt8]?, encode: @escaping @Sendable ([UInt8]) -> [UInt8]
  ) {
    (self.name, self.end, self.decode, self.encode) = (name, end, decode, encode)
    isVerbatim = false
  }

  private init() {
    name = "bytes"
    end = { _, _ in nil }
    decode = { $0 }
    encode = { $0 }
    isVerbatim = true
  }

  package static let verbatim = Coding()

  /// The end is not visible in the text; the preceding length gives it.
  private static let counted: @Sendable (Int, Span<UInt8>) -> Int? = { _, _ in nil }
}

extension Coding {
  /// Hexadecimal digits, with the characters that people write between and around them.
  package static let hexText = Coding("hexadecimal text", end: run { isHexText($0) }) { text in
    let digits = text.count { $0.hexDigitValue != nil }
    guard text.allSatisfy(isHexText), digits >= 16, digits.isMultiple(of: 2) else { return nil }
    return text.octetsOfHexDigits
  } encode: {
    Array($0.hexDigits.utf8)
  }

  /// `[12, 255, ...]` or `12 255 ...`.
  package static let decimalList = Coding(
    "a list of decimal numbers", end: run(isListed)
  ) { text in
    guard text.allSatisfy(isListed) else { return nil }
    let numbers = text.split { !isDigit($0) && $0 != UInt8(ascii: "-") }.map {
      Int(String(decoding: $0, as: UTF8.self))
    }
    guard numbers.count > 7, numbers.allSatisfy({ $0.map { -128...255 ~= $0 } ?? false }) else { return nil }
    return numbers.map { UInt8(truncatingIfNeeded: $0 ?? 0) }
  } encode: {
    Array(("[" + $0.map { String($0) }.joined(separator: ", ") + "]").utf8)
  }

  /// The result of decoding hexadecimal digits as base64: three bytes for four digits.
  package static let hexReadAsBase64 = Coding("hexadecimal digits, decoded as base64", end: counted) { bytes in
    guard bytes.count >= 12, bytes.count.isMultiple(of: 3) else { return nil }
    let text = base64(bytes)
    return text.allSatisfy { $0.hexDigitValue != nil } ? hexText.decode(text) : nil
  } encode: {
    unbase64(Array($0.hexDigits.utf8))
  }

  package static let base64Text = Coding("base64 text", end: run { isBase64($0) || $0 == UInt8(ascii: "=") }) { text in
    guard text.count >= 24, text.count.isMultiple(of: 4), text.dropLast(2).allSatisfy(isBase64),
      !text.allSatisfy({ $0.hexDigitValue != nil })
    else { return nil }
    return unbase64(Array(text.prefix { $0 != UInt8(ascii: "=") }))
  } encode: {
    base64($0)
  }

  /// Each byte is read as a Latin-1 character and written in UTF-8: bytes from 0x80 on become two.
  package static let latin1InUTF8 = Coding("Latin-1 characters in UTF-8", size: 32) { _, at, bytes in
    let byte = bytes[at]
    if byte < 0x80 { return (byte, at + 1) }
    guard byte & 0xfe == 0xc2, at + 1 < bytes.count, bytes[at + 1] & 0xc0 == 0x80 else { return nil }
    return (byte << 6 | bytes[at + 1] & 0x3f, at + 2)
  } encode: { bytes in
    bytes.flatMap { $0 < 0x80 ? [$0] : [0xc0 | $0 >> 6, 0x80 | $0 & 0x3f] }
  }

  /// U+FFFD replaces each byte that is not UTF-8.
  package static let replaced = Coding("text with U+FFFD", size: 32, isLossy: true) { _, at, bytes in
    let isReplaced = at + 2 < bytes.count && bytes.number(at: at, width: 3) == 0xef_bfbd
    return isReplaced ? (0xff, at + 3) : (bytes[at], at + 1)
  } encode: { bytes in
    Array(String(decoding: bytes, as: UTF8.self).utf8)
  }

  /// Little-endian.
  package static let reversed = Coding("with the lowest byte first", end: counted) {
    $0.reversed()
  } encode: {
    $0.reversed()
  }

  /// A time in milliseconds instead of seconds.
  package static let milliseconds = Coding("in milliseconds", end: counted) { bytes in
    let seconds = bytes.reduce(0) { $0 << 8 | UInt64($1) } / 1000
    return UInt32(exactly: seconds).map { [UInt8](bigEndian: UInt64($0), width: 4) }
  } encode: { bytes in
    [UInt8](bigEndian: bytes.reduce(0) { $0 << 8 | UInt64($1) } * 1000, width: 8)
  }

  /// A number in decimal digits.
  package static let decimalText = Coding("decimal text", end: run(isDigit)) { text in
    guard !text.isEmpty, text.count <= 10, text.allSatisfy(isDigit),
      let number = UInt32(String(decoding: text, as: UTF8.self))
    else { return nil }
    return [UInt8](bigEndian: UInt64(number), width: 4)
  } encode: { bytes in
    Array(String(bytes.bigEndianNumber).utf8)
  }

  package static let percent = Coding("percent-encoded text", end: counted) { text in
    guard text.starts(with: "%7B".utf8) || text.starts(with: "%7b".utf8) else { return nil }
    var decoded: [UInt8] = []
    var index = 0
    while index < text.count {
      if text[index] == UInt8(ascii: "%") {
        guard index + 2 < text.count, let high = text[index + 1].hexDigitValue, let low = text[index + 2].hexDigitValue
        else { return nil }
        decoded.append(UInt8(high << 4 | low))
        index += 3
      } else {
        decoded.append(text[index] == UInt8(ascii: "+") ? 0x20 : text[index])
        index += 1
      }
    }
    return decoded
  } encode: { bytes in
    bytes.flatMap { byte -> [UInt8] in
      let isVerbatim = isDigit(byte) || 0x61...0x7a ~= byte | 0x20 || "-_.~".utf8.contains(byte)
      return isVerbatim ? [byte] : [UInt8(ascii: "%")] + Array([byte].hexDigits.uppercased().utf8)
    }
  }

  /// `b'{...}'`, as Python prints bytes.
  package static let pythonBytes = Coding("Python's text for bytes", end: counted) { text in
    guard text.count > 4, text[0] == UInt8(ascii: "b"), text[1] == text[text.count - 1],
      text[1] == UInt8(ascii: "'") || text[1] == UInt8(ascii: "\"")
    else { return nil }
    var decoded: [UInt8] = []
    var index = 2
    while index < text.count - 1 {
      let byte = text[index]
      index += 1
      guard byte == UInt8(ascii: "\\") else {
        decoded.append(byte)
        continue
      }
      guard index < text.count - 1 else { return nil }
      let escaped = text[index]
      index += 1
      switch escaped {
      case UInt8(ascii: "x"):
        guard index + 2 < text.count, let high = text[index].hexDigitValue, let low = text[index + 1].hexDigitValue
        else { return nil }
        decoded.append(UInt8(high << 4 | low))
        index += 2
      case UInt8(ascii: "n"): decoded.append(0x0a)
      case UInt8(ascii: "r"): decoded.append(0x0d)
      case UInt8(ascii: "t"): decoded.append(0x09)
      default: decoded.append(escaped)
      }
    }
    return decoded
  } encode: { bytes in
    Array("b'".utf8)
      + bytes.flatMap { byte -> [UInt8] in
        switch byte {
        case UInt8(ascii: "\\"), UInt8(ascii: "'"): [UInt8(ascii: "\\"), byte]
        case 0x20...0x7e: [byte]
        default: Array("\\x".utf8) + Array(byte.hexDigits.utf8)
        }
      } + Array("'".utf8)
  }

  /// Latin-1 text instead of UTF-8.
  package static let latin1 = Coding("Latin-1 text", end: counted) { bytes in
    let isASCII = bytes.allSatisfy { $0 < 0x80 }
    return isASCII || bytes.span.isUTF8(0..<bytes.count) ? nil : latin1InUTF8.encode(bytes)
  } encode: { bytes in
    latin1InUTF8.decode(bytes) ?? bytes
  }
}

// Encodings of complete frames.
extension Coding {
  package static let pairsSwapped = Coding("pairs of bytes swapped", block: 2) { start, at, bytes in
    let other = start + ((at - start) ^ 1)
    return (bytes[other < bytes.count ? other : at], at + 1)
  } encode: { bytes in
    var swapped = bytes
    for index in stride(from: 0, to: bytes.count - 1, by: 2) { swapped.swapAt(index, index + 1) }
    return swapped
  }

  /// Line feeds as Windows writes them to files in text mode.
  package static let crlf = Coding("LF written as CR LF") { _, at, bytes in
    switch bytes[at] {
    case 0x0d where at + 1 < bytes.count && bytes[at + 1] == 0x0a: (0x0a, at + 2)
    case 0x0a: nil
    default: (bytes[at], at + 1)
    }
  } encode: { bytes in
    bytes.flatMap { $0 == 0x0a ? [0x0d, 0x0a] : [$0] }
  }

  /// - Parameter size: the size of a decoded value in bytes; 0 for complete frames.
  private init(
    _ name: String, size: Int = 0, block: Int = 1, isLossy: Bool = false, unit: @escaping Unit,
    encode: @escaping @Sendable ([UInt8]) -> [UInt8]
  ) {
    self.init(
      name,
      end: { start, bytes in
        var at = start
        for _ in 0..<size {
          guard at < bytes.count, let next = unit(start, at, bytes) else { return nil }
          at = next.end
        }
        return size > 0 ? at : nil
      },
      decode: { bytes in
        var decoded: [UInt8] = []
        var at = 0
        while at < bytes.count {
          guard let next = unit(0, at, bytes.span) else { return nil }
          decoded.append(next.byte)
          at = next.end
        }
        return decoded == bytes ? nil : decoded
      }, encode: encode)
    (self.unit, self.block, self.isLossy) = (unit, block, isLossy)
  }
}

extension Coding {
  /// The end of a run of bytes that can be part of the encoding.
  private static func run(_ isPart: @escaping @Sendable (UInt8) -> Bool) -> @Sendable (Int, Span<UInt8>) -> Int? {
    { start, bytes in
      var end = start
      while end < bytes.count, isPart(bytes[end]) { end += 1 }
      return end > start ? end : nil
    }
  }

  private static func isHexText(_ byte: UInt8) -> Bool {
    byte.hexDigitValue != nil || " <>:-\r\n\0".utf8.contains(byte)
  }

  private static func isListed(_ byte: UInt8) -> Bool { isDigit(byte) || " ,[]-\n".utf8.contains(byte) }

  private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

  private static func isBase64(_ byte: UInt8) -> Bool { Base64.value(of: byte) != nil }

  private static func base64(_ bytes: [UInt8]) -> [UInt8] {
    stride(from: 0, to: bytes.count, by: 3).flatMap { Base64.characters(of: bytes[$0..<min($0 + 3, bytes.count)]) }
  }

  private static func unbase64(_ text: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    for start in stride(from: 0, to: text.count, by: 4) {
      let group = text[start..<min(start + 4, text.count)]
      let bits = group.reduce(0) { $0 << 6 | Int(Base64.value(of: $1) ?? 0) } << (6 * (4 - group.count))
      for index in 0..<(group.count - 1) { bytes.append(UInt8(truncatingIfNeeded: bits >> (16 - 8 * index))) }
    }
    return bytes
  }
}
