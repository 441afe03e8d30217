import APNSWire

/// A value in words: its raw reading first, then what it says.
enum ValueWords {
  static func of(_ field: Field, _ data: Span<UInt8>) -> [String] {
    var words = WordText()
    add(field, data, to: &words)
    return words.strings
  }

  static func add(_ field: Field, _ data: Span<UInt8>, to words: inout WordText) {
    switch field.content {
    case .integer(let size, let meaning):
      add(data.number, size: size, meaning, to: &words)
    case .octets, .items:
      words.add { $0.digits(data) }
    case .json:
      words.add { out in
        if data.isEmpty { out.write("(empty)") }
        out.printable(data, 0..<data.count)
      }
    }
  }

  private static func add(_ value: UInt64, size: Int, _ meaning: Field.Meaning, to words: inout WordText) {
    words.add { $0.decimal(value) }
    switch meaning {
    case .number:
      break
    case .code(let names, _):
      words.add { $0.write(names[value] ?? "not documented") }
    case .unixSeconds(let zero):
      words.add { if value == 0 { $0.write(zero) } else { $0.date(value) } }
    case .identifier:
      words.add { out in
        out.write("0x")
        out.hex(Int(truncatingIfNeeded: value), digits: size * 2)
      }
      let swapped = value.byteSwapped >> UInt64(64 - size * 8)
      // Apple's own listing does not convert the identifier, so the small reading is likely the sender's number.
      guard value >> UInt64(size * 8 - 8) != 0, swapped <= 0xffff else { return }
      words.add { out in
        out.write("byte-swapped ")
        out.decimal(swapped)
      }
    }
  }

  static func date(_ seconds: UInt64) -> String {
    var out = Output()
    out.date(seconds)
    return String(decoding: out.bytes, as: UTF8.self)
  }

  static func digits(_ data: Span<UInt8>) -> String {
    var out = Output()
    out.hex(data)
    return String(decoding: out.bytes, as: UTF8.self)
  }
}

extension Output {
  /// Hexadecimal, or that there is nothing.
  mutating func digits(_ data: Span<UInt8>) {
    if data.isEmpty { write("(empty)") }
    hex(data)
  }

  fileprivate mutating func date(_ seconds: UInt64) {
    guard seconds < 1 << 40 else { return write("beyond any date") }
    UTC.forEachCharacter(of: Int(seconds), separator: UInt8(ascii: " ")) { byte($0) }
    write(" UTC")
  }
}
