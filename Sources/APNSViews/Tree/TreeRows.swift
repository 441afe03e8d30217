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
    let lineCount = words.lines.count
    var line = 0
    var marks = marks[...]
    var start = range.lowerBound
    repeat {
      let end = min(range.upperBound, start + perRow - column(of: base + start))
      if start < end || line < lineCount {
        writeRow(bytes, start..<end, at: base, line: line, bytesStyle: bytesStyle, to: &out)
        line += 1
      }
      if end == range.upperBound {
        while line < lineCount {
          writeRow(bytes, end..<end, at: base, line: line, bytesStyle: .plain, to: &out)
          line += 1
        }
      }
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

  private func writeRow(
    _ bytes: Span<UInt8>, _ range: Range<Int>, at base: Int, line: Int, bytesStyle: Palette.Style, to out: inout Output
  ) {
    let rowStart = out.count
    let place = base + range.lowerBound
    let lead = range.isEmpty ? 0 : column(of: place)
    let hasWords = line < words.lines.count
    let wordsCount = hasWords ? words.indent + words.label.utf8.count + words.lines[line].count : 0
    // In one go, since most of what the view writes is rows; sequences of four colours fit, too.
    out.fill(atMost: 2 * leftWidth + wordsCount + 96) { room, start in
      var end = start
      // What ends in how many columns.
      var columns = 0
      if !range.isEmpty {
        room.storePainted(.dim, palette, at: &end) { room, end in
          let start = end
          room.store(UInt8(ascii: "0"), at: &end)
          room.store(UInt8(ascii: "x"), at: &end)
          room.storeHex(place, digits: 4, at: &end)
          columns = end - start
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
        columns += Self.offsetWidth
      }
      if hasWords {
        room.storeSpaces(leftWidth - columns, at: &end)
        words.store(line: line, palette, in: &room, at: &end)
      }
      return end
    }
    out.trimSpaces(to: rowStart)
    out.byte(UInt8(ascii: "\n"))
  }

  // MARK: What is wrong

  func write(_ mark: TreeMark, in row: Range<Int>, at base: Int, to out: inout Output) {
    let first = min(max(mark.range.lowerBound, row.lowerBound), row.upperBound)
    let last = max(min(mark.range.upperBound, row.upperBound), first + 1)
    let column = (base + first) % perRow
    let count = min(last - first, perRow - column)
    // Behind a full row the caret begins a row of its own, which says where it is.
    let isBehindRow = column == 0 && first == row.upperBound
    let label = isBehindRow ? hexText(base + first, digits: 4) : ""
    let lead =
      label + String(repeating: " ", count: Self.offsetWidth + column * 3 - label.count)
      + String(repeating: "^", count: count * 3 - 1)
    writeSentence(of: mark, behind: lead, to: &out)
  }

  func writeSentence(of mark: TreeMark, behind lead: String = "", to out: inout Output) {
    let style = Palette.Style.of(mark.finding.severity)
    let place = mark.position.map { "line \($0.line), column \($0.column): " } ?? ""
    let fault = "\(mark.finding.severity.rawValue) \(mark.finding.rule): \(place)\(mark.finding.message)"
    var lines = fault.wrapped(to: wordsWidth).map { palette.paint($0, style) }
    // The cause's remedy mends the sender; the rule's would only mend what it came to.
    if let cause = mark.finding.cause {
      lines += "cause: \(cause.id): \(cause.evidence)".wrapped(to: wordsWidth).map { palette.paint($0, style) }
    }
    lines += "mend: \(mark.finding.cause?.fix ?? mark.finding.fix)".wrapped(to: wordsWidth)
    lines += mark.finding.answer.map { "answer: \($0.words)".wrapped(to: wordsWidth) } ?? []
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

  fileprivate mutating func trimSpaces(to start: Int) {
    while count > start, last == UInt8(ascii: " ") { cut(to: count - 1) }
  }
}
