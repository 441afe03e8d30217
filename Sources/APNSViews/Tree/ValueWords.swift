import APNSWire

/// Values in words: the raw reading first, then what it says. Made once for some fields, as tables of plain numbers and
/// places in a text, so that nothing is looked up or counted when a value is written.
struct ValueWords: Sendable {
  /// All pieces; the tables below hold their places in it.
  private var text: [UInt8] = []
  private var rows: [Row] = []
  private var codes: [Code] = []

  /// How the values of a field read.
  private struct Row: Sendable {
    let reading: Reading
    /// In bytes.
    var size = 0
    /// Of a code, in `codes`; of a time, what 0 says.
    var words = 0..<0
  }

  private enum Reading: Sendable { case number, code, time, identifier, octets, text }

  private struct Code: Sendable {
    let value: UInt64
    let name: Range<Int>
  }

  init(_ fields: [Field]) {
    for field in fields { rows.append(row(of: field)) }
  }

  /// Of one value.
  static func of(_ field: Field, _ data: Span<UInt8>) -> [String] {
    var words = WordText()
    ValueWords([field]).add(data, of: 0, to: &words)
    return words.strings
  }

  /// - Parameter field: its index among those that this was made for.
  func add(_ data: Span<UInt8>, of field: Int, to words: inout WordText) {
    let row = rows[field]
    switch row.reading {
    case .octets:
      words.add { $0.digits(data) }
    case .text:
      words.add { out in
        if data.isEmpty { out.write("(empty)") }
        out.printable(data, 0..<data.count)
      }
    case .number, .code, .time, .identifier:
      add(data.number, row, to: &words)
    }
  }

  private func add(_ value: UInt64, _ row: Row, to words: inout WordText) {
    words.add { $0.decimal(value) }
    switch row.reading {
    case .number, .octets, .text:
      break
    case .code:
      words.add { out in
        for index in row.words where codes[index].value == value { return out.write(text, codes[index].name) }
        out.write("not documented")
      }
    case .time:
      words.add { value == 0 ? $0.write(text, row.words) : $0.date(value) }
    case .identifier:
      words.add { out in
        out.write("0x")
        out.hex(Int(truncatingIfNeeded: value), digits: row.size * 2)
      }
      let swapped = value.byteSwapped >> UInt64(64 - row.size * 8)
      // Apple's own listing does not convert the identifier, so the small reading is likely the sender's number.
      guard value >> UInt64(row.size * 8 - 8) != 0, swapped <= 0xffff else { return }
      words.add { out in
        out.write("byte-swapped ")
        out.decimal(swapped)
      }
    }
  }

  private mutating func row(of field: Field) -> Row {
    switch field.content {
    case .octets, .items: return Row(reading: .octets)
    case .text, .json: return Row(reading: .text)
    case .integer(let size, let meaning):
      switch meaning {
      case .number: return Row(reading: .number, size: size)
      case .identifier: return Row(reading: .identifier, size: size)
      case .unixSeconds(let zero): return Row(reading: .time, size: size, words: add(zero))
      case .code(let names, _):
        let first = codes.count
        for (value, name) in names.sorted(by: { $0.key < $1.key }) { codes.append(Code(value: value, name: add(name))) }
        return Row(reading: .code, size: size, words: first..<codes.count)
      }
    }
  }

  private mutating func add(_ piece: String) -> Range<Int> {
    let start = text.count
    text += piece.utf8
    return start..<text.count
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
    guard seconds < 1 << 40 else { return write("too large for a date") }
    second(Int(seconds), separator: UInt8(ascii: " "))
    write(" UTC")
  }
}
