import APNSDiagnosis
import APNSInput

/// Rows of the tree view: bytes in their own columns under a ruler on the left, words on the right, and what is wrong
/// under the bytes that are wrong.
struct TreeRows: Sendable {
  /// What stands beside the bytes of the next `write`.
  var words = WordText()
  /// Bytes in a row: 8, or 16 where the terminal is wide.
  let perRow: Int
  private let palette: Palette
  private let showsText: Bool
  /// Columns of offset, bytes and text, and of the words behind them.
  private let leftWidth: Int
  private let wordsWidth: Int
  private let ruler: [UInt8]
  private static let offsetWidth = 8

  init(width: Int, palette: Palette) {
    self.palette = palette
    showsText = width >= 120
    perRow = showsText ? 16 : 8
    leftWidth = Self.offsetWidth + perRow * 3 + (showsText ? perRow + 2 : 0) + 1
    wordsWidth = max(width - leftWidth, 24)
    let columns = (0..<perRow).map { "0" + String($0, radix: 16) }.joined(separator: " ")
    let ruler = String(repeating: " ", count: Self.offsetWidth) + columns
    self.ruler = Array((palette.paint(ruler, .dim) + "\n").utf8)
  }

  func writeRuler(to out: inout Output) { out.write(ruler) }

  /// `range` of `bytes`, the first byte of which is at `base` in the stream, beside the words.
  mutating func write(
    _ bytes: Span<UInt8>, _ range: Range<Int>, at base: Int, bytesStyle: Palette.Style, marks: [TreeMark],
    to out: inout Output
  ) {
    words.breakLines(to: wordsWidth)
    var line = 0
    var marks = marks[...]
    var start = range.lowerBound
    repeat {
      // Rows without a mark between them are stored in one go, so many that room for them is no waste.
      let row = start + perRow - column(of: base + start)
      let end = min(range.upperBound, marks.isEmpty ? row + 15 * perRow : row)
      writeRows(bytes, start..<end, at: base, isLast: end == range.upperBound, from: &line, bytesStyle, to: &out)
      while let mark = marks.first, mark.range.lowerBound < end || end == range.upperBound {
        write(mark, in: start..<end, at: base, to: &out)
        marks.removeFirst()
      }
      start = end
    } while start < range.upperBound
  }

  /// Rows hold 8 or 16 bytes.
  @inline(__always)
  private func column(of place: Int) -> Int { place & (perRow - 1) }

  /// Lines of words go beside them as far as there are any; those that are left over stand below the last row.
  @inline(__always)
  private func writeRows(
    _ bytes: Span<UInt8>, _ range: Range<Int>, at base: Int, isLast: Bool, from line: inout Int,
    _ bytesStyle: Palette.Style, to out: inout Output
  ) {
    let lineCount = words.lines.count
    let rowCount = max(range.count / 8 + 2, isLast ? lineCount - line : 0)
    // Sequences of four colours fit, and what stores reach behind their ends.
    let most = rowCount * (2 * leftWidth + words.indent + 128) + words.text.count + 64
    var next = line
    out.fill(atMost: most) { room, start in
      var end = start
      var place = range.lowerBound
      while place < range.upperBound {
        let stop = min(range.upperBound, place + perRow - column(of: base + place))
        storeRow(bytes, place..<stop, at: base, line: next < lineCount ? next : nil, bytesStyle, in: &room, at: &end)
        place = stop
        next += 1
      }
      if isLast {
        while next < lineCount {
          let lineStart = end
          room.storeSpaces(leftWidth, at: &end)
          storeWords(line: next, from: lineStart, in: &room, at: &end)
          next += 1
        }
      }
      return end
    }
    line = next
  }

  @inline(__always)
  private func storeRow(
    _ bytes: Span<UInt8>, _ range: Range<Int>, at base: Int, line: Int?, _ bytesStyle: Palette.Style,
    in room: inout MutableRawSpan, at end: inout Int
  ) {
    let rowStart = end
    let lead = column(of: base + range.lowerBound)
    // What ends in how many columns.
    var columns = 0
    room.storePainted(.dim, palette, at: &end) { room, end in
      columns = -end
      room.storeOffset(base + range.lowerBound, at: &end)
      columns += end
    }
    room.storeSpaces(max(Self.offsetWidth - columns, 1) + lead * 3, at: &end)
    room.storePainted(bytesStyle, palette, at: &end) { room, end in
      room.storeHexCells(bytes, range, at: &end)
      end -= 1
    }
    columns = (lead + range.count) * 3 - 1
    if showsText {
      room.storeSpaces(perRow * 3 - columns, at: &end)
      room.storePainted(.dim, palette, at: &end) { room, end in
        room.storeSpaces(lead, at: &end)
        room.storeDump(bytes, range, at: &end)
      }
      columns = perRow * 3 + lead + range.count
    }
    guard let line else {
      room.trimSpaces(from: rowStart, at: &end)
      return room.store(UInt8(ascii: "\n"), at: &end)
    }
    room.storeSpaces(leftWidth - Self.offsetWidth - columns, at: &end)
    storeWords(line: line, from: rowStart, in: &room, at: &end)
  }

  @inline(__always)
  private func storeWords(line: Int, from rowStart: Int, in room: inout MutableRawSpan, at end: inout Int) {
    words.store(line: line, palette, in: &room, at: &end)
    room.trimSpaces(from: rowStart, at: &end)
    room.store(UInt8(ascii: "\n"), at: &end)
  }

  // MARK: What is wrong

  func write(_ mark: TreeMark, in row: Range<Int>, at base: Int, to out: inout Output) {
    let first = min(max(mark.range.lowerBound, row.lowerBound), row.upperBound)
    let last = max(min(mark.range.upperBound, row.upperBound), first + 1)
    let column = column(of: base + first)
    let count = min(last - first, perRow - column)
    // Behind a full row the caret begins a row of its own, which says where it is.
    let isBehindRow = column == 0 && first == row.upperBound
    let offset = hexText(base + first, digits: 4)
    let label = isBehindRow ? offset : ""
    // Long offsets move the bytes to the right.
    let bytesStart = max(Self.offsetWidth, offset.count + 1)
    let lead =
      label + String(repeating: " ", count: bytesStart + column * 3 - label.count)
      + String(repeating: "^", count: count * 3 - 1)
    writeSentence(of: mark, behind: lead, to: &out)
  }

  func writeSentence(of mark: TreeMark, behind lead: String = "", to out: inout Output) {
    let place = mark.position.map { "line \($0.line), column \($0.column): " } ?? ""
    let finding: Finding
    switch mark.content {
    case .length(let meant, let cause):
      let lines = "cause: \(cause.id): \(place)expected \(meant)".wrapped(to: wordsWidth)
      return write(lines.map { palette.paint($0, .error) }, behind: lead, style: .error, to: &out)
    case .finding(let found): finding = found
    }
    let style = Palette.Style.of(finding.severity)
    let fault = "\(finding.severity.rawValue) \(finding.rule): \(place)\(finding.message)"
    var lines = fault.wrapped(to: wordsWidth).map { palette.paint($0, style) }
    // The cause's fix repairs the sender; the rule's would only fix what it came to.
    if let cause = finding.cause {
      lines += "cause: \(cause.id): \(cause.evidence)".wrapped(to: wordsWidth).map { palette.paint($0, style) }
    }
    lines += "fix: \(finding.cause?.fix ?? finding.fix)".wrapped(to: wordsWidth)
    lines += finding.answer.map { "answer: \($0.words)".wrapped(to: wordsWidth) } ?? []
    write(lines, behind: lead, style: style, to: &out)
  }

  private func write(_ lines: [String], behind lead: String, style: Palette.Style, to out: inout Output) {
    for (index, line) in lines.enumerated() {
      let lead = index == 0 ? lead : ""
      let padding = String(repeating: " ", count: max(leftWidth - lead.count, 1))
      out.write(palette.paint(lead, style) + padding + line + "\n")
    }
  }
}

extension Output {
  /// `0x002b`.
  mutating func offset(_ offset: Int) {
    write("0x")
    hex(offset, digits: 4)
  }
}
