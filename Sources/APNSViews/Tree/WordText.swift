import APNSWire

/// Words beside bytes, gathered in memory that is used again for the next ones: a label and what it says, or text over
/// the whole width; and the lines they are broken into.
struct WordText: Sendable {
  private(set) var label = ""
  /// Levels of indentation, two columns each.
  private(set) var depth = 0
  private(set) var style = Palette.Style.plain
  /// The values one behind the other, two spaces between them.
  private(set) var text = Output()
  /// Each value in `text`.
  private(set) var values: [Range<Int>] = []
  /// Each line in `text`.
  private(set) var lines: [Range<Int>] = []

  mutating func begin(label: String = "", depth: Int = 0, style: Palette.Style = .plain) {
    self.label = label
    self.depth = depth
    self.style = style
    text.cut(to: 0)
    // There are few, and removing them all at once is dear.
    while values.popLast() != nil {}
    while lines.popLast() != nil {}
  }

  /// One more value: what `write` appends.
  @inline(__always)
  mutating func add(_ write: (inout Output) -> Void) {
    if !values.isEmpty { text.write("  ") }
    let start = text.count
    write(&text)
    values.append(start..<text.count)
  }

  /// Columns before the lines: of a label and what pads it, else of the indentation.
  var indent: Int { label.isEmpty ? 2 * depth : max(Self.labelWidth, 2 * depth + label.utf8.count + 2) }
  private static let labelWidth = 16

  /// Breaks the values into lines that fit `width` columns with what stands before them. Behind a label they stand in a
  /// row as far as they fit.
  mutating func breakLines(to width: Int) {
    let room = max(width - indent, 12)
    let joins = !label.isEmpty
    var lines = lines
    self.lines = []
    let values = values
    text.read { text in
      // Columns of the last line.
      var used = 0
      for value in values {
        let columns = text.columns(value)
        if joins, let last = lines.last, used + 2 + columns <= room {
          lines[lines.count - 1] = last.lowerBound..<value.upperBound
          used += 2 + columns
        } else if columns <= room {
          lines.append(value)
          used = columns
        } else {
          // Long runs of digits break where a reader counts: after every 8.
          let isDigits = joins && text.isHex(value)
          text.wrap(value, to: isDigits ? max(room / 8 * 8, 8) : room) { lines.append($0) }
          used = text.columns(lines[lines.count - 1])
        }
      }
    }
    self.lines = lines
  }

  /// One line with what stands before it.
  @inline(__always)
  func store(line: Int, _ palette: Palette, in room: inout MutableRawSpan, at end: inout Int) {
    if line == 0, !label.isEmpty {
      room.storeSpaces(2 * depth, at: &end)
      for byte in label.utf8 { room.store(byte, at: &end) }
      room.storeSpaces(indent - 2 * depth - label.utf8.count, at: &end)
    } else {
      room.storeSpaces(indent, at: &end)
    }
    let range = lines[line]
    room.storePainted(range.isEmpty ? .plain : style, palette, at: &end) { room, end in
      text.read { room.store($0, range, at: &end) }
    }
  }

  /// As much of each of the first values as anyone reads of a long one.
  mutating func shorten() {
    let all = strings.prefix(8).map { $0.count > 256 ? $0.prefix(256) + "..." : $0 }
    begin(label: label, depth: depth, style: style)
    for value in all { add { $0.write(value) } }
  }

  /// The values as strings.
  var strings: [String] {
    text.read { text in
      values.map { range in
        var bytes: [UInt8] = []
        bytes.append(contentsOf: text.extracting(range))
        return String(decoding: bytes, as: UTF8.self)
      }
    }
  }
}
