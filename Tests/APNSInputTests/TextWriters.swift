import APNSInput

/// Small writers of each format, sharing no code with the readers.
enum TextWriter {
  static func plain(_ bytes: [UInt8], group: Int, lineLength: Int) -> String {
    lines(of: bytes, lineLength).map { groups($0.bytes, group) }.joined(separator: "\n")
  }

  static func c(_ bytes: [UInt8]) -> String {
    let values = lines(of: bytes, 12).map { line in
      "  " + line.bytes.map { "0x" + hex($0) }.joined(separator: ", ")
    }
    return "unsigned char x[] = {\n\(values.joined(separator: ",\n"))\n};\nunsigned int x_len = \(bytes.count);\n"
  }

  static func xxd(_ bytes: [UInt8], columns: Int, group: Int, from start: Int = 0, squeezed: Bool = false) -> String {
    let width = columns * 2 + (columns - 1) / group
    return dump(bytes, columns, squeezed) { line in
      padded(line.offset + start) + ": " + groups(line.bytes, group).padding(to: width) + "  " + shown(line.bytes)
        + "\n"
    }
  }

  static func hexdump(_ bytes: [UInt8], squeezed: Bool) -> String {
    guard !bytes.isEmpty else { return "" }
    let lines = dump(bytes, 16, squeezed) { line in
      let halves = [line.bytes.prefix(8), line.bytes.dropFirst(8)].map { groups(Array($0), 1) }
      return padded(line.offset) + "  " + (halves[0].padding(to: 23) + "  " + halves[1]).padding(to: 50)
        + "|" + shown(line.bytes) + "|\n"
    }
    return lines + padded(bytes.count) + "\n"
  }

  /// `xxd -e`: words turned round, a short one at the right.
  static func turnedXxd(_ bytes: [UInt8], columns: Int, group: Int) -> String {
    let width = columns * 2 + (columns + group - 1) / group
    return dump(bytes, columns, false) { line in
      let words = lines(of: line.bytes, group).map { String($0.bytes.reversed().map(hex).joined().reversed()) }
        .map { String($0.padding(to: group * 2).reversed()) }
      return padded(line.offset) + ": " + words.joined(separator: " ").padding(to: width) + "  " + shown(line.bytes)
        + "\n"
    }
  }

  /// `hexdump` (offsets in sixteens) and `od -x` (in eights).
  static func words(_ bytes: [UInt8], radix: Int) -> String {
    let lines = dump(bytes, 16, false) { line in
      let words = self.lines(of: line.bytes + (line.bytes.count % 2 == 1 ? [0] : []), 2).map { word in
        " " + hex(word.bytes[1]) + hex(word.bytes[0])
      }
      return padded(line.offset, radix: radix, to: 7) + words.joined() + "\n"
    }
    return lines + padded(bytes.count, radix: radix, to: 7) + "\n"
  }

  /// `od -c`.
  static func cells(_ bytes: [UInt8]) -> String {
    let names: [UInt8: String] = [
      0: "\\0", 7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r",
    ]
    let lines = dump(bytes, 16, false) { line in
      let cells = line.bytes.map { byte in
        let shown =
          names[byte] ?? ((0x20...0x7e).contains(byte) ? self.shown([byte]) : padded(Int(byte), radix: 8, to: 3))
        return String(repeating: " ", count: 4 - shown.count) + shown
      }
      return padded(line.offset, radix: 8, to: 7) + cells.joined() + "\n"
    }
    return lines + padded(bytes.count, radix: 8, to: 7) + "\n"
  }

  static func decimal(_ bytes: [UInt8], separator: String, signed: Bool) -> String {
    "[" + bytes.map { signed ? "\(Int8(bitPattern: $0))" : "\($0)" }.joined(separator: separator) + "]"
  }

  /// openssl's, without a header.
  static func hyphened(_ bytes: [UInt8]) -> String {
    dump(bytes, 16, false) { line in
      let halves = [line.bytes.prefix(8), line.bytes.dropFirst(8)].map { groups(Array($0), 1) }
      let digits = halves[0] + (line.bytes.count > 8 ? "-" : " ") + halves[1]
      return padded(line.offset, radix: 16, to: 4) + " - " + digits.padding(to: 49) + "  " + shown(line.bytes) + "\n"
    }
  }

  static func nsdata(_ bytes: [UInt8]) -> String { "<" + groups(bytes, 4) + ">" }

  static func percent(_ bytes: [UInt8]) -> String { bytes.map { "%" + hex($0) }.joined() }

  static func pairs(_ bytes: [UInt8], separator: String) -> String {
    bytes.map { hex($0) }.joined(separator: separator)
  }

  static func escapes(_ bytes: [UInt8], quote: Character) -> String {
    let characters = bytes.map { byte in
      let character = Character(Unicode.Scalar(byte))
      if character == quote || character == "\\" { return "\\\(character)" }
      return (0x20...0x7e).contains(byte) ? String(character) : "\\x" + hex(byte)
    }
    return "\(quote)\(characters.joined())\(quote)"
  }

  static func base64(_ bytes: [UInt8], padded: Bool) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    return lines(of: bytes, 3).map { line -> String in
      let missing = 3 - line.bytes.count
      let bits = line.bytes.reduce(0) { $0 << 8 | Int($1) } << (8 * missing)
      let characters = (0...line.bytes.count).map { digit in alphabet[bits >> (18 - 6 * digit) & 63] }
      return String(characters).padding(to: padded ? 4 : 0, with: "=")
    }.joined()
  }

  /// What a chat makes of a text.
  static func collapsed(_ text: String) -> String {
    text.split(separator: "\n").map { line in
      line.split(separator: " ").joined(separator: " ")
    }.joined(separator: "\n")
  }

  private typealias Line = (offset: Int, bytes: [UInt8])

  private static func lines(of bytes: [UInt8], _ length: Int) -> [Line] {
    stride(from: 0, to: bytes.count, by: length).map { ($0, Array(bytes[$0..<min($0 + length, bytes.count)])) }
  }

  private static func dump(_ bytes: [UInt8], _ columns: Int, _ squeezed: Bool, _ write: (Line) -> String) -> String {
    var text = ""
    var above: [UInt8]?
    var isInStar = false
    let lines = lines(of: bytes, columns)
    for (index, line) in lines.enumerated() {
      if squeezed && line.bytes == above && index + 1 < lines.count {
        if !isInStar { text += "*\n" }
        isInStar = true
        continue
      }
      isInStar = false
      above = line.bytes
      text += write(line)
    }
    return text
  }

  private static func groups(_ bytes: [UInt8], _ size: Int) -> String {
    lines(of: bytes, size).map { $0.bytes.map(hex).joined() }.joined(separator: " ")
  }

  private static func shown(_ bytes: [UInt8]) -> String {
    String(bytes.map { (0x20...0x7e).contains($0) ? Character(Unicode.Scalar($0)) : "." })
  }

  private static func hex(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }

  private static func padded(_ number: Int, radix: Int = 16, to count: Int = 8) -> String {
    let digits = String(number, radix: radix)
    return String(repeating: "0", count: max(0, count - digits.count)) + digits
  }
}

extension String {
  fileprivate func padding(to count: Int, with character: Character = " ") -> String {
    self + String(repeating: character, count: Swift.max(0, count - self.count))
  }
}
