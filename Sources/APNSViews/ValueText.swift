import APNSWire

/// Values as text, two spaces between them, in memory that is reused for the next ones.
struct ValueText: Sendable {
  private(set) var text = Output()
  /// The range of each value in `text`.
  private(set) var ranges: [Range<Int>] = []

  mutating func removeAll() {
    text.cut(to: 0)
    ranges.removeAll(keepingCapacity: true)
  }

  /// Adds a value: what `write` appends.
  @inline(__always)
  mutating func add(_ write: (inout Output) -> Void) {
    if !ranges.isEmpty { text.write("  ") }
    let start = text.count
    write(&text)
    ranges.append(start..<text.count)
  }

  /// Appends to the last value.
  @inline(__always)
  mutating func extend(_ write: (inout Output) -> Void) {
    write(&text)
    ranges[ranges.count - 1] = ranges[ranges.count - 1].lowerBound..<text.count
  }

  /// Keeps 8 values and 256 characters of each.
  mutating func shorten() {
    let kept = strings.prefix(8).map { $0.count > 256 ? $0.prefix(256) + "..." : $0 }
    removeAll()
    for value in kept { add { $0.write(value) } }
  }

  var strings: [String] {
    text.read { text in ranges.map { String(copying: text.extracting($0)) } }
  }

  /// Adds the ranges in `text` of lines of at most `width` columns. Each value begins a line, unless `joined`: then a
  /// line holds as many values as fit.
  func breakLines(to width: Int, joined: Bool, into lines: inout [Range<Int>]) {
    text.read { text in
      for value in ranges {
        if joined, let last = lines.last, text.fits(last.lowerBound..<value.upperBound, in: width) {
          lines[lines.count - 1] = last.lowerBound..<value.upperBound
        } else if text.fits(value, in: width) {
          lines.append(value)
        } else {
          // Digits are easier to count in lines of a multiple of 8.
          let isDigits = joined && text.isHex(value)
          text.wrap(value, to: isDigits ? max(width / 8 * 8, 8) : width) { lines.append($0) }
        }
      }
    }
  }
}

// MARK: The values of fields

extension ValueText {
  /// A field's value, then what it means.
  static func strings(of content: Field.Content, _ data: Span<UInt8>) -> [String] {
    var values = ValueText()
    values.add(data, of: content)
    return values.strings
  }

  /// Adds a field's value, then what it means.
  mutating func add(_ data: Span<UInt8>, of content: Field.Content) {
    switch content {
    case .octets, .items:
      add { $0.digits(data) }
    case .text, .json:
      add { out in
        if data.isEmpty { out.write("(empty)") }
        out.printable(data, 0..<data.count)
      }
    case .integer(let size, let meaning):
      add(data.number, size: size, meaning)
    }
  }

  private mutating func add(_ value: UInt64, size: Int, _ meaning: Field.Meaning) {
    add { $0.decimal(value) }
    switch meaning {
    case .number: break
    case .code(let names, _): add { $0.printable(names[value] ?? "not documented") }
    case .unixSeconds(let zero): add { value == 0 ? $0.printable(zero) : $0.date(value) }
    case .identifier: addReadings(ofIdentifier: value, size: size)
    }
  }

  private mutating func addReadings(ofIdentifier value: UInt64, size: Int) {
    add { out in
      out.write("0x")
      out.hex(Int(truncatingIfNeeded: value), digits: size * 2)
    }
    let swapped = value.byteSwapped >> UInt64(64 - size * 8)
    // Apple's own sample code sends the identifier in host byte order, so a small swapped number is likely the
    // sender's.
    guard value >> UInt64(size * 8 - 8) != 0, swapped <= 0xffff else { return }
    add { $0.write("byte-swapped ", Int(swapped)) }
  }
}

extension Output {
  /// Hexadecimal digits, or `(empty)`.
  mutating func digits(_ data: Span<UInt8>) {
    if data.isEmpty { write("(empty)") }
    hex(data)
  }

  /// `2013-11-19 00:00:00 UTC`: seconds since 1970.
  package mutating func date(_ seconds: UInt64) {
    guard seconds < 1 << 40 else { return write("too large for a date") }
    second(Int(seconds), separator: UInt8(ascii: " "))
    write(" UTC")
  }
}

extension Span<UInt8> {
  /// A character has at most as many columns as bytes, so few bytes need no counting.
  fileprivate func fits(_ range: Range<Int>, in width: Int) -> Bool {
    range.count <= width || columns(range) <= width
  }
}
