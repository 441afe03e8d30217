import APNSWire
import Octets

/// Words beside bytes, gathered in memory that is used again for the next ones: a label and what it says, or text over
/// the whole width; and the lines they are broken into.
struct WordText: Sendable {
  private(set) var style = Palette.Style.plain
  /// What stands before the first line, then the values one behind the other, two spaces between them.
  private(set) var text = Output()
  /// Each value in `text`.
  private(set) var values = TextPlaces()
  /// Each line in `text`.
  private(set) var lines = TextPlaces()
  /// Columns before the lines: of the indentation, or of a label and what pads it.
  private(set) var indent = 0
  private var hasLabel = false
  private static let labelWidth = 16

  /// Text over the whole width. `depth`: levels of indentation, two columns each.
  @inline(__always)
  mutating func begin(depth: Int = 0, style: Palette.Style = .plain) {
    start(indent: 2 * depth, style)
    text.fill(atMost: indent + 40) { room, end in
      var end = end
      room.storeSpaces(indent, at: &end)
      return end
    }
  }

  /// A label, a piece of `labels`, and what it says.
  mutating func begin(label: Range<Int>, of labels: [UInt8], depth: Int = 0) {
    start(indent: max(Self.labelWidth, 2 * depth + label.count + 2), .plain)
    hasLabel = true
    text.fill(atMost: indent + 80) { room, end in
      var end = end
      room.storeSpaces(2 * depth, at: &end)
      room.store(labels.span, label, at: &end)
      room.storeSpaces(indent - 2 * depth - label.count, at: &end)
      return end
    }
  }

  @inline(__always)
  private mutating func start(indent: Int, _ style: Palette.Style) {
    self.indent = indent
    self.style = style
    hasLabel = false
    text.cut(to: 0)
    values.removeAll()
    lines.removeAll()
  }

  /// One more value: what `write` appends.
  @inline(__always)
  mutating func add(_ write: (inout Output) -> Void) {
    if !values.isEmpty { text.write("  ") }
    let start = text.count
    write(&text)
    values.append(start..<text.count)
  }

  /// More of the last value.
  @inline(__always)
  mutating func extend(_ write: (inout Output) -> Void) {
    write(&text)
    values[values.count - 1] = values[values.count - 1].lowerBound..<text.count
  }

  /// Breaks the values into lines that fit `width` columns with what stands before them. Behind a label they stand in a
  /// row as far as they fit.
  @inline(__always)
  mutating func breakLines(to width: Int) {
    let room = max(width - indent, 12)
    // No character takes more columns than bytes, so this fits.
    if text.count - indent <= room, hasLabel || values.count == 1 {
      if !values.isEmpty { lines.append(indent..<text.count) }
    } else {
      breakLongLines(to: room)
    }
  }

  @inline(never)
  private mutating func breakLongLines(to room: Int) {
    var lines = lines
    text.read { text in
      // Columns of the last line.
      var used = 0
      for value in values {
        let isASCII = text.isASCII(value)
        let columns = isASCII ? value.count : text.columns(value)
        if hasLabel, let last = lines.last, used + 2 + columns <= room {
          lines[lines.count - 1] = last.lowerBound..<value.upperBound
          used += 2 + columns
        } else if columns <= room {
          lines.append(value)
          used = columns
        } else {
          // Long runs of digits break where a reader counts: after every 8.
          let isDigits = hasLabel && text.isHex(value)
          text.wrap(value, isASCII: isASCII, to: isDigits ? max(room / 8 * 8, 8) : room) { lines.append($0) }
          used = values.count == 1 ? 0 : text.columns(lines[lines.count - 1])
        }
      }
    }
    self.lines = lines
  }

  /// One line with what stands before it.
  @inline(__always)
  func store(line: Int, _ palette: Palette, in room: inout MutableRawSpan, at end: inout Int) {
    let range = lines[line]
    text.read { text in
      if line > 0 {
        room.storeSpaces(indent, at: &end)
      } else if !palette.isColored {
        return room.store(text, 0..<range.upperBound, at: &end)
      } else {
        room.store(text, 0..<indent, at: &end)
      }
      room.storePainted(range.isEmpty ? .plain : style, palette, at: &end) { room, end in
        room.store(text, range, at: &end)
      }
    }
  }

  /// As much of each of the first values as anyone reads of a long one.
  mutating func shorten() {
    let all = strings.prefix(8).map { $0.count > 256 ? $0.prefix(256) + "..." : $0 }
    text.cut(to: indent)
    values.removeAll()
    lines.removeAll()
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
