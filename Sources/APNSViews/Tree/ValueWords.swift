import APNSWire

/// A value in words: its raw reading first, then what it says.
enum ValueWords {
  static func of(_ field: Field, _ data: Span<UInt8>) -> [String] {
    switch field.content {
    case .integer(let size, let meaning):
      return number(data.number, size: size, meaning)
    case .octets, .items:
      return [data.isEmpty ? "(empty)" : digits(data)]
    case .json:
      return [data.isEmpty ? "(empty)" : printable(data, 0..<data.count)]
    }
  }

  private static func number(_ value: UInt64, size: Int, _ meaning: Field.Meaning) -> [String] {
    switch meaning {
    case .number:
      return [String(value)]
    case .code(let names, _):
      return [String(value), names[value] ?? "not documented"]
    case .unixSeconds(let zero):
      return [String(value), value == 0 ? zero : date(value)]
    case .identifier:
      let swapped = byteSwapped(value, size: size)
      // Apple's own listing does not convert the identifier, so the small reading is likely the sender's number.
      let hint = value >> UInt64(size * 8 - 8) != 0 && swapped <= 0xffff ? ["byte-swapped \(swapped)"] : []
      return [String(value), "0x" + padded(value, size: size)] + hint
    }
  }

  static func date(_ seconds: UInt64) -> String {
    guard seconds < 1 << 40 else { return "beyond any date" }
    return UTC.text(Int(seconds)) + " UTC"
  }

  static func digits(_ data: Span<UInt8>) -> String {
    var out = Output()
    out.hex(data)
    return String(decoding: out.bytes, as: UTF8.self)
  }

  private static func padded(_ value: UInt64, size: Int) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: max(0, size * 2 - text.count)) + text
  }

  private static func byteSwapped(_ value: UInt64, size: Int) -> UInt64 {
    value.byteSwapped >> UInt64(64 - size * 8)
  }
}
