import APNSPayload
import Octets

extension Output {
  /// Writes `text` as a JSON string that is safe on a terminal: control characters (C0 and C1) and characters that
  /// reorder or break lines are escaped.
  ///
  /// - Returns: false, with nothing written, if `text` is not well-formed UTF-8.
  @discardableResult
  mutating func jsonString(_ text: Span<UInt8>) -> Bool {
    escaped(text, quote: UInt8(ascii: "\""))
  }

  /// Writes a JSON string that is safe on a terminal.
  package mutating func jsonString(_ text: String) {
    var text = text
    text.withUTF8 { buffer in
      _ = unsafe jsonString(Span(_unsafeElements: buffer))  // lives as long as the call
    }
  }

  /// Writes well-formed JSON, with characters that are unsafe on a terminal escaped. `text` has no line ends.
  mutating func jsonText(_ text: Span<UInt8>) {
    escaped(text, quote: nil)
  }

  /// - Parameter quote: written around the text. If nil, quotes and backslashes are not escaped.
  @discardableResult @inline(__always)
  private mutating func escaped(_ text: Span<UInt8>, quote: UInt8?) -> Bool {
    var isText = true
    // A byte becomes an escape of at most six characters; eight more bytes may be stored past the end.
    fill(atMost: text.count * 6 + 10) { buffer, start in
      var end = start
      var index = 0
      if let quote { buffer.store(quote, at: &end) }
      while true {
        index = buffer.storePlain(text, from: index, at: &end)
        guard index < text.count else { break }
        if text[index] < 0x80 {
          let byte = text[index]
          index += 1
          let isSpelt = quote == nil && (byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\"))
          if isSpelt {
            buffer.store(byte, at: &end)
          } else if byte == UInt8(ascii: "\"") {
            // By far the most frequent: a backslash and a quote.
            buffer.storeBytes(of: UInt16(0x225c).littleEndian, toByteOffset: end, as: UInt16.self)
            end += 2
          } else {
            buffer.storeEscape(byte, at: &end)
          }
        } else {
          let count = buffer.storeCharacter(text, from: index, at: &end)
          if count == 0 {
            isText = false
            return start
          }
          index += count
        }
      }
      if let quote { buffer.store(quote, at: &end) }
      return end
    }
    return isText
  }
}

// Objects and arrays. A comma is written before every member or element unless a bracket precedes it; so an empty
// output continues an object.
extension Output {
  /// Writes a member; nothing if the value is nil.
  public mutating func member(_ name: StaticString, _ value: String?) {
    guard let value else { return }
    key(name)
    jsonString(value)
  }

  /// Writes a member; nothing if the value is nil.
  public mutating func member(_ name: StaticString, _ value: Int?) {
    guard let value else { return }
    key(name)
    decimal(value)
  }

  /// Writes a member; nothing if the value is nil.
  package mutating func member(_ name: StaticString, _ value: UInt64?) {
    guard let value else { return }
    key(name)
    decimal(value)
  }

  /// Writes a member whose value is a string of hexadecimal digits.
  package mutating func member(_ name: StaticString, hex bytes: Span<UInt8>) {
    key(name)
    jsonString(hex: bytes)
  }

  /// Writes a string of hexadecimal digits.
  mutating func jsonString(hex bytes: Span<UInt8>) { enclose("\"", { $0.hex(bytes) }, "\"") }

  /// Writes a member whose value is the string that `text` writes. It has nothing to escape.
  package mutating func quoted(_ name: StaticString, _ text: (inout Output) -> Void) {
    key(name)
    enclose("\"", text, "\"")
  }

  package mutating func member(_ name: StaticString, _ texts: [String]) {
    array(name) { out in
      for text in texts {
        out.comma()
        out.jsonString(text)
      }
    }
  }

  package mutating func object(_ name: StaticString, _ members: (inout Output) -> Void) {
    key(name)
    enclose("{", members, "}")
  }

  /// Writes a member whose value is an array of what `elements` writes.
  public mutating func array(_ name: StaticString, _ elements: (inout Output) -> Void) {
    key(name)
    enclose("[", elements, "]")
  }

  /// Writes an object as an element of an array. `onLine`: on a new line.
  public mutating func object(onLine: Bool = false, _ members: (inout Output) -> Void) {
    comma()
    enclose(onLine ? "\n{" : "{", members, "}")
  }

  /// Writes an object and a line end.
  public mutating func line(_ members: (inout Output) -> Void) { enclose("{", members, "}\n") }

  private mutating func enclose(_ start: StaticString, _ body: (inout Output) -> Void, _ end: StaticString) {
    write(start)
    body(&self)
    write(end)
  }

  /// Writes the name of a member and a colon.
  package mutating func key(_ name: StaticString) {
    comma()
    byte(UInt8(ascii: "\""))
    write(name)
    write("\":")
  }

  /// Writes a name that may have to be escaped, and a colon.
  @_disfavoredOverload
  package mutating func key(_ name: String) {
    comma()
    jsonString(name)
    byte(UInt8(ascii: ":"))
  }

  @inline(__always)
  package mutating func comma() {
    if last != UInt8(ascii: "{"), last != UInt8(ascii: "[") { byte(UInt8(ascii: ",")) }
  }
}

extension MutableRawSpan {
  /// Copies characters up to the first that may need an escape, and returns its index.
  @inline(__always)
  fileprivate mutating func storePlain(_ text: Span<UInt8>, from start: Int, at end: inout Int) -> Int {
    var index = start
    while text.count - index >= 8 {
      let word = text.word(at: index)
      storeBytes(of: word.littleEndian, toByteOffset: end, as: UInt64.self)
      // In each mask only the lowest bit that is set is reliable; so it is in the union, too.
      let special = word.specialBytes | word.matches(of: 0x7f)
      let count = special == 0 ? 8 : special.trailingZeroBitCount / 8
      index += count
      end += count
      if special != 0 { return index }
    }
    while index < text.count, text[index] != 0x7f, UInt64(text[index]).specialBytes & 0x80 == 0 {
      store(text[index], at: &end)
      index += 1
    }
    return index
  }

  /// Copies or escapes one character that is not ASCII.
  ///
  /// - Returns: its bytes in `text`; 0 if it is not well-formed.
  @inline(__always)
  fileprivate mutating func storeCharacter(_ text: Span<UInt8>, from start: Int, at end: inout Int) -> Int {
    let rest = text.count - start
    guard rest >= 4 else {
      let count = text.lengthOfCharacter(at: start, end: text.count)
      guard count > 0 else { return 0 }
      let scalar = text.character(at: start, count: count)
      if scalar.isUnsafeToPrint {
        storeEscape(scalar, at: &end)
      } else {
        for index in start..<(start + count) { store(text[index], at: &end) }
      }
      return count
    }
    let bytes = text.fourBytes(at: start)
    let count = bytes.lengthOfLongCharacter
    guard count > 0 else { return 0 }
    let scalar = text.character(at: start, count: count)
    if scalar.isUnsafeToPrint {
      storeEscape(scalar, at: &end)
    } else {
      storeBytes(of: bytes.littleEndian, toByteOffset: end, as: UInt32.self)
      end += count
    }
    return count
  }

  @inline(__always)
  fileprivate mutating func storeEscape(_ byte: UInt8, at end: inout Int) {
    let letter: UInt8
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): letter = byte
    case UInt8(ascii: "\n"): letter = UInt8(ascii: "n")
    case UInt8(ascii: "\r"): letter = UInt8(ascii: "r")
    case UInt8(ascii: "\t"): letter = UInt8(ascii: "t")
    default: return storeEscape(Unicode.Scalar(byte), at: &end)
    }
    store(UInt8(ascii: "\\"), at: &end)
    store(letter, at: &end)
  }

  /// Stores `\u001b`, or two escapes if UTF-16 needs a surrogate pair.
  @inline(never)
  fileprivate mutating func storeEscape(_ scalar: Unicode.Scalar, at end: inout Int) {
    for unit in UTF16.encode(scalar) ?? UTF16.EncodedScalar() {
      var digits = Output()
      digits.write("\\u")
      digits.hex(Int(unit), digits: 4)
      for byte in digits.bytes { store(byte, at: &end) }
    }
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
