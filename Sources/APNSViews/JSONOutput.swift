import APNSPayload

extension Output {
  /// `text`, well-formed UTF-8, as a JSON string that is safe on a terminal: every control character, C1 and the marks
  /// that reorder or break lines included, is escaped, and reading gives the exact text back.
  mutating func jsonString(_ text: Span<UInt8>) {
    byte(UInt8(ascii: "\""))
    escaped(text) { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }
    byte(UInt8(ascii: "\""))
  }

  /// `text`, well-formed JSON without line ends, safe on a terminal: outside strings it holds nothing to escape.
  mutating func jsonText(_ text: Span<UInt8>) {
    escaped(text) { _ in false }
  }

  @inline(__always)
  private mutating func escaped(_ text: Span<UInt8>, _ isSpecial: (UInt8) -> Bool) {
    // Bytes that stand for themselves go out in runs.
    var runStart = 0
    var index = 0
    while index < text.count {
      let first = text[index]
      var count = 1
      if first < 0x80 {
        if first >= 0x20, first != 0x7f, !isSpecial(first) {
          index += 1
          continue
        }
      } else {
        count = max(text.lengthOfCharacter(at: index, end: text.count), 1)
        if !text.character(at: index, count: count).isUnsafeToPrint {
          index += count
          continue
        }
      }
      write(text.extracting(runStart..<index))
      escape(text.character(at: index, count: count))
      index += count
      runStart = index
    }
    write(text.extracting(runStart..<index))
  }

  mutating func jsonString(_ text: String) {
    let bytes = Array(text.utf8)
    jsonString(bytes.span)
  }

  private mutating func escape(_ scalar: Unicode.Scalar) {
    switch scalar {
    case "\"": return write("\\\"")
    case "\\": return write("\\\\")
    case "\n": return write("\\n")
    case "\r": return write("\\r")
    case "\t": return write("\\t")
    default: break
    }
    for unit in UTF16.encode(scalar) ?? UTF16.EncodedScalar() {
      write("\\u")
      hex(Int(unit), digits: 4)
    }
  }
}

extension Unicode.Scalar {
  /// Control characters, and format characters that hide or reorder what stands around them.
  var isUnsafeToPrint: Bool {
    if value < 0xa0 { return value < 0x20 || value >= 0x7f }
    // Most scripts hold no such character, and looking up a category is slow.
    if (0x2070..<0xfeff).contains(value) || (0xae..<0x600).contains(value) { return false }
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: return true
    // Joiners belong to emoji and to several scripts.
    case .format: return value != 0x200c && value != 0x200d
    default: return false
    }
  }
}
