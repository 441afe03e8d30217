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

  static func nsdata(_ bytes: [UInt8]) -> String { "<" + groups(bytes, 4) + ">" }

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
    return lines(of: bytes, 3).map { line in
      let bits = line.bytes.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - line.bytes.count))
      let characters = (0...line.bytes.count).map { alphabet[bits >> (18 - 6 * $0) & 63] }
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

  private static func padded(_ offset: Int) -> String {
    let digits = String(offset, radix: 16)
    return String(repeating: "0", count: max(0, 8 - digits.count)) + digits
  }
}

extension String {
  fileprivate func padding(to count: Int, with character: Character = " ") -> String {
    self + String(repeating: character, count: Swift.max(0, count - self.count))
  }
}
