import APNSPayload
import Octets

extension Output {
  /// `text` as a JSON string that is safe on a terminal: every control character, C1 and the marks that reorder or break
  /// lines included, is escaped, and reading gives the exact text back. False, and nothing is written, where it is not
  /// well-formed UTF-8.
  @discardableResult
  mutating func jsonString(_ text: Span<UInt8>) -> Bool {
    escaped(text, quote: UInt8(ascii: "\""))
  }

  mutating func jsonString(_ text: String) {
    var text = text
    text.withUTF8 { buffer in
      _ = unsafe jsonString(Span(_unsafeElements: buffer))  // lives as long as the call
    }
  }

  /// `text`, well-formed JSON without line ends, safe on a terminal: outside strings it holds nothing to escape.
  mutating func jsonText(_ text: Span<UInt8>) {
    escaped(text, quote: nil)
  }

  /// - Parameter quote: around the text; where there is none, quotes and backslashes stay as they are.
  @discardableResult @inline(__always)
  private mutating func escaped(_ text: Span<UInt8>, quote: UInt8?) -> Bool {
    var isText = true
    // At most, a byte becomes an escape of six characters; what is stored eight bytes at a time reaches behind the end.
    fill(atMost: text.count * 6 + 10) { room, start in
      var end = start
      var index = 0
      if let quote { room.store(quote, at: &end) }
      while true {
        index = room.storePlain(text, from: index, at: &end)
        guard index < text.count else { break }
        if text[index] < 0x80 {
          let byte = text[index]
          index += 1
          let isSpelt = quote == nil && (byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\"))
          if isSpelt {
            room.store(byte, at: &end)
          } else if byte == UInt8(ascii: "\"") {
            // The one that JSON is full of, behind a backslash.
            room.storeBytes(of: UInt16(0x225c).littleEndian, toByteOffset: end, as: UInt16.self)
            end += 2
          } else {
            room.storeEscape(byte, at: &end)
          }
        } else {
          let count = room.storeCharacter(text, from: index, at: &end)
          if count == 0 {
            isText = false
            return start
          }
          index += count
        }
      }
      if let quote { room.store(quote, at: &end) }
      return end
    }
    return isText
  }
}

// Objects and arrays. A comma goes before all that is not first in its object or array; what begins an output goes on
// with one that was written before, and is not first.
extension Output {
  package mutating func member(_ name: StaticString, _ value: String?) {
    guard let value else { return }
    key(name)
    jsonString(value)
  }

  package mutating func member(_ name: StaticString, _ value: Int?) {
    guard let value else { return }
    key(name)
    decimal(value)
  }

  package mutating func member(_ name: StaticString, _ value: UInt64?) {
    guard let value else { return }
    key(name)
    decimal(value)
  }

  /// The bytes as a string of digits.
  package mutating func member(_ name: StaticString, hex bytes: Span<UInt8>) {
    quoted(name) { $0.hex(bytes) }
  }

  /// `text` has nothing to escape.
  mutating func quoted(_ name: StaticString, _ text: (inout Output) -> Void) {
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

  mutating func object(_ name: StaticString, _ members: (inout Output) -> Void) {
    key(name)
    enclose("{", members, "}")
  }

  mutating func array(_ name: StaticString, _ elements: (inout Output) -> Void) {
    key(name)
    enclose("[", elements, "]")
  }

  /// An element of an array; `onLine`: at the start of a line.
  mutating func object(onLine: Bool = false, _ members: (inout Output) -> Void) {
    comma()
    enclose(onLine ? "\n{" : "{", members, "}")
  }

  /// An object that is a line.
  package mutating func line(_ members: (inout Output) -> Void) { enclose("{", members, "}\n") }

  private mutating func enclose(_ start: StaticString, _ body: (inout Output) -> Void, _ end: StaticString) {
    write(start)
    body(&self)
    write(end)
  }

  /// What a value follows.
  mutating func key(_ name: StaticString) {
    comma()
    byte(UInt8(ascii: "\""))
    write(name)
    write("\":")
  }

  /// A name that is not known before.
  @_disfavoredOverload
  mutating func key(_ name: String) {
    comma()
    jsonString(name)
    byte(UInt8(ascii: ":"))
  }

  @inline(__always)
  mutating func comma() {
    if last != UInt8(ascii: "{"), last != UInt8(ascii: "[") { byte(UInt8(ascii: ",")) }
  }
}

extension MutableRawSpan {
  /// Copies what needs no escape; where that ends.
  @inline(__always)
  fileprivate mutating func storePlain(_ text: Span<UInt8>, from start: Int, at end: inout Int) -> Int {
    var index = start
    while text.count - index >= 8 {
      let word = text.word(at: index)
      storeBytes(of: word.littleEndian, toByteOffset: end, as: UInt64.self)
      // Of each mask only the lowest bit is to be trusted, which makes that of both lowest of all, too.
      let special = word.notPlain | word.places(of: 0x7f)
      let count = special == 0 ? 8 : special.trailingZeroBitCount / 8
      index += count
      end += count
      if special != 0 { return index }
    }
    while index < text.count, text[index] != 0x7f, UInt64(text[index]).notPlain & 0x80 == 0 {
      store(text[index], at: &end)
      index += 1
    }
    return index
  }

  /// Copies or escapes one character beyond ASCII: how many bytes it has; 0 where none stands there.
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

  /// `\u001b`, or two of them for a character that takes a surrogate pair.
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
  /// Control characters, and format characters that hide or reorder what stands around them.
  @inline(__always)
  var isUnsafeToPrint: Bool {
    if value < 0xa0 { return value < 0x20 || value >= 0x7f }
    // Most scripts and the emoji hold no such character, and looking up a category is slow.
    if (0x2070..<0xfeff).contains(value) || (0xae..<0x600).contains(value) || (0x1e000..<0xe0000).contains(value) {
      return false
    }
    return isUnsafeByCategory
  }

  @inline(never)
  private var isUnsafeByCategory: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    // Joiners belong to emoji and to several scripts.
    case .format: value != 0x200c && value != 0x200d
    default: false
    }
  }
}
