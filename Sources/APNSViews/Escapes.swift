import Octets

/// How text is made safe on a terminal. Each way escapes control characters (C0 and C1) and characters that reorder or
/// break lines. THE escape routine is below; markup, URIs and workflow commands have their own characters.
enum Escaping {
  /// `\u{1b}`, and `\xff` for bytes that are not UTF-8. Text that is safe stays as it is.
  case terminal
  /// As for a terminal; backslashes, tabs and line ends are escaped, too, so that the escapes can be undone.
  case column
  /// The text of JSON without line ends: `\u001b`.
  case json
  /// A JSON string, with its quotes.
  case string

  /// Marks the bytes of a word that may need an escape. Only the lowest bit that is set is reliable.
  @inline(__always)
  fileprivate func special(_ word: UInt64) -> UInt64 {
    switch self {
    case .terminal, .json: word.notPrintable
    case .column: word.notPrintable | word.matches(of: UInt8(ascii: "\\"))
    case .string: word.specialBytes | word.matches(of: 0x7f)
    }
  }

  /// The escape of a character, or of a byte that is no character.
  @inline(never)
  fileprivate func escape(_ scalar: Unicode.Scalar, isCharacter: Bool) -> String {
    switch (self, scalar) {
    case (.terminal, _): break
    case (_, "\\"): return "\\\\"
    case (_, "\n"): return "\\n"
    case (_, "\r"): return "\\r"
    case (_, "\t"): return "\\t"
    // Two escapes if UTF-16 needs a surrogate pair.
    case (.json, _), (.string, _):
      return String(scalar).utf16.map { "\\u" + [UInt8](bigEndian: UInt64($0), width: 2).hexDigits }.joined()
    case (.column, _): break
    }
    let digits = String(scalar.value, radix: 16)
    return isCharacter ? "\\u{\(digits)}" : "\\x\(digits)"
  }
}

extension UInt64 {
  /// Sets the high bit of each byte that is not printable ASCII. Only the lowest set bit is reliable.
  @inline(__always)
  fileprivate var notPrintable: UInt64 { (self | (self &- .all(0x20))) & .all(0x80) | matches(of: 0x7f) }
}

extension Output {
  /// Writes `text` as a JSON string that is safe on a terminal.
  ///
  /// - Returns: false, with nothing written, if `text` is not well-formed UTF-8.
  @discardableResult
  mutating func jsonString(_ text: Span<UInt8>) -> Bool { escape(text, .string) }

  package mutating func jsonString(_ text: String) { jsonString(text.utf8.span) }

  /// Writes well-formed JSON, with characters that are unsafe on a terminal escaped. `text` has no line ends.
  mutating func jsonText(_ text: Span<UInt8>) { escape(text, .json) }

  mutating func printable(_ text: String) { write(APNSViews.printable(text)) }

  mutating func printable(_ bytes: Span<UInt8>, _ range: Range<Int>) { escape(bytes.extracting(range), .terminal) }

  mutating func columnText(_ bytes: Span<UInt8>, _ range: Range<Int>) { escape(bytes.extracting(range), .column) }

  /// - Returns: false, with nothing written, if JSON would not be well-formed UTF-8.
  @discardableResult @inline(__always)
  private mutating func escape(_ text: Span<UInt8>, _ style: Escaping) -> Bool {
    var isText = true
    // A byte becomes an escape of at most six characters; eight more bytes may be stored past the end.
    fill(atMost: text.count * 6 + 10) { buffer, end in
      let start = end
      var index = 0
      if style == .string { buffer.store(UInt8(ascii: "\""), at: &end) }
      while true {
        index = buffer.storePlain(text, from: index, style, at: &end)
        guard index < text.count else { break }
        if style == .string, text[index] == UInt8(ascii: "\"") {
          // By far the most frequent: a backslash and a quote.
          buffer.storeBytes(of: UInt16(0x225c).littleEndian, toByteOffset: end, as: UInt16.self)
          (index, end) = (index + 1, end + 2)
          continue
        }
        let count = text.lengthOfCharacter(at: index, end: text.count)
        if count == 0, style == .json || style == .string {
          (isText, end) = (false, start)
          return
        }
        let scalar = count == 0 ? Unicode.Scalar(text[index]) : text.character(at: index, count: count)
        if count > 1, !scalar.isUnsafeToPrint {
          for offset in 0..<count { buffer.store(text[index + offset], at: &end) }
        } else {
          for byte in style.escape(scalar, isCharacter: count > 0).utf8 { buffer.store(byte, at: &end) }
        }
        index += max(count, 1)
      }
      if style == .string { buffer.store(UInt8(ascii: "\""), at: &end) }
    }
    return isText
  }
}

extension MutableRawSpan {
  /// Copies ASCII and most other characters up to the first that may need an escape, and returns its index. It may
  /// overwrite up to eight bytes past the new `end`.
  @inline(__always)
  fileprivate mutating func storePlain(
    _ text: Span<UInt8>, from start: Int, _ style: Escaping, at end: inout Int
  ) -> Int {
    var index = start
    while index < text.count {
      let word = text.paddedWord(at: index)
      storeBytes(of: word.littleEndian, toByteOffset: end, as: UInt64.self)
      // The zeros after the text are special.
      let found = style.special(word)
      let count = found == 0 ? 8 : min(found.trailingZeroBitCount / 8, text.count - index)
      index += count
      end += count
      if found == 0 { continue }
      guard text.count - index >= 4, text[index] >= 0x80 else { return index }
      let four = text.uint32(at: index)
      let length = four.lengthOfCharacter
      guard length > 0, !text.character(at: index, count: length).isUnsafeToPrint else { return index }
      storeBytes(of: four.bigEndian, toByteOffset: end, as: UInt32.self)
      index += length
      end += length
    }
    return index
  }
}

extension Unicode.Scalar {
  /// Whether it is a control character, or a format character that hides or reorders text.
  @inline(__always)
  var isUnsafeToPrint: Bool {
    if value < 0xa0 { return value < 0x20 || value >= 0x7f }
    // Most scripts and the emoji have no such character, and looking up a category is slow.
    if (0x2070..<0xfeff).contains(value) || (0xae..<0x600).contains(value) || (0x1e000..<0xe0000).contains(value) {
      return false
    }
    return isUnsafeByCategory
  }

  @inline(never)
  private var isUnsafeByCategory: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    // Emoji and several scripts use the zero-width joiner and non-joiner.
    case .format: value != 0x200c && value != 0x200d
    default: false
    }
  }
}

extension Output {
  /// Appends the bytes of pairs of hexadecimal digits. Returns false for other text.
  @inline(__always)
  mutating func octets(ofHexDigits text: Span<UInt8>) -> Bool {
    guard text.count.isMultiple(of: 2) else { return false }
    var index = 0
    fill(atMost: text.count / 2) { buffer, end in
      while text.count - index >= 8, let octets = text.word(at: index).hexOctets {
        buffer.storeBytes(of: octets.littleEndian, toByteOffset: end, as: UInt32.self)
        index += 8
        end += 4
      }
      while index < text.count, let high = text[index].hexDigitValue, let low = text[index + 1].hexDigitValue {
        buffer.store(high << 4 | low, at: &end)
        index += 2
      }
    }
    return index == text.count
  }
}
