import APNSDiagnosis
import APNSInput
import APNSPayload

/// Rows of the tree view: bytes in their own columns under a ruler on the left, words on the right, and what is wrong
/// under the bytes that are wrong.
struct TreeRows {
  let palette: Palette
  /// Bytes in a row: 8, or 16 where the terminal is wide.
  let perRow: Int
  private let showsText: Bool
  /// Columns of offset, bytes and text, and of the words behind them.
  private let leftWidth: Int
  private let wordsWidth: Int
  private static let offsetWidth = 8
  static let labelWidth = 16

  init(width: Int, palette: Palette) {
    self.palette = palette
    showsText = width >= 120
    perRow = showsText ? 16 : 8
    leftWidth = Self.offsetWidth + perRow * 3 + (showsText ? perRow + 2 : 0) + 1
    wordsWidth = max(width - leftWidth, 24)
  }

  /// Words beside bytes: a label and what it says, or a line of text over the whole width.
  struct Words {
    var label = ""
    var values: [String] = []
    var depth = 0
    var style = Palette.Style.plain
  }

  func ruler(to out: inout Output) {
    var line = String(repeating: " ", count: Self.offsetWidth)
    for column in 0..<perRow { line += "0\(String(column, radix: 16)) " }
    out.write(palette.paint(trimmed(line), .dim) + "\n")
  }

  /// `range` of `bytes`, the first byte of which is at `base` in the stream.
  func write(
    _ bytes: Span<UInt8>, _ range: Range<Int>, at base: Int, _ words: Words, bytesStyle: Palette.Style,
    marks: [Mark], to out: inout Output
  ) {
    var lines = lines(of: words)[...]
    var marks = marks[...]
    var start = range.lowerBound
    repeat {
      let end = min(range.upperBound, start + perRow - (base + start) % perRow)
      if start < end || !lines.isEmpty {
        writeRow(bytes, start..<end, at: base, lines.popFirst(), bytesStyle: bytesStyle, to: &out)
      }
      if end == range.upperBound {
        while let line = lines.popFirst() { writeRow(bytes, end..<end, at: base, line, bytesStyle: .plain, to: &out) }
      }
      while let mark = marks.first, mark.range.lowerBound < end || end == range.upperBound {
        write(mark, in: start..<end, at: base, to: &out)
        marks.removeFirst()
      }
      start = end
    } while start < range.upperBound
  }

  /// One finding, drawn under its bytes.
  struct Mark {
    /// Within the record.
    let range: Range<Int>
    let finding: Finding
    let position: Origin.TextPosition?
  }

  /// The findings of one record, which are in the order of their bytes, handed out once each.
  struct Marks {
    private var rest: ArraySlice<Mark>

    init(of record: Record) {
      let marks = record.findings.map { finding in
        let range = (finding.range.lowerBound - record.firstByte)..<(finding.range.upperBound - record.firstByte)
        let isThere = record.positions.indices.contains(range.lowerBound)
        return Mark(range: range, finding: finding, position: isThere ? record.positions[range.lowerBound] : nil)
      }
      rest = marks[...]
    }

    /// Those that begin in `range`; where it is empty, those of the empty value that stands there.
    mutating func take(_ range: Range<Int>) -> [Mark] {
      var taken: [Mark] = []
      while let mark = rest.first {
        let isHere =
          mark.range.lowerBound < range.upperBound
          || (range.isEmpty && mark.range.isEmpty && mark.range.lowerBound == range.lowerBound)
        guard isHere else { break }
        taken.append(mark)
        rest.removeFirst()
      }
      return taken
    }

    mutating func all() -> [Mark] {
      defer { rest = [] }
      return Array(rest)
    }
  }

  func write(_ mark: Mark, in row: Range<Int>, at base: Int, to out: inout Output) {
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

  func writeSentence(of mark: Mark, behind lead: String = "", to out: inout Output) {
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

  private func writeRow(
    _ bytes: Span<UInt8>, _ range: Range<Int>, at base: Int, _ words: String?, bytesStyle: Palette.Style,
    to out: inout Output
  ) {
    var offset = ""
    var cells = ""
    var text = ""
    if !range.isEmpty {
      offset = hexText(base + range.lowerBound, digits: 4)
      let column = (base + range.lowerBound) % perRow
      cells = String(repeating: "   ", count: column)
      text = String(repeating: " ", count: column)
      var digits = Output()
      for index in range {
        if index > range.lowerBound { digits.write(" ") }
        digits.hex(bytes[index])
        text.unicodeScalars.append(Unicode.Scalar(bytes[index].inDump))
      }
      let hex = String(decoding: digits.bytes, as: UTF8.self)
      let padding = String(repeating: " ", count: perRow * 3 - cells.count - hex.count)
      cells = cells + palette.paint(hex, bytesStyle) + padding
    } else {
      cells = String(repeating: " ", count: perRow * 3)
    }
    var line =
      palette.paint(offset, .dim) + String(repeating: " ", count: max(Self.offsetWidth - offset.count, 1)) + cells
    if showsText {
      let padding = String(repeating: " ", count: perRow + 2 - text.count)
      line += palette.paint(text, .dim) + padding
    }
    line += " " + (words ?? "")
    out.write(trimmed(line) + "\n")
  }

  /// Words broken into lines of the right column: values stand in a row as far as they fit.
  private func lines(of words: Words) -> [String] {
    let indent = String(repeating: "  ", count: words.depth)
    if words.label.isEmpty {
      let width = max(wordsWidth - indent.count, 12)
      return words.values.flatMap { $0.wrapped(to: width) }.map { indent + palette.paint($0, words.style) }
    }
    let label = indent + words.label
    let column = max(Self.labelWidth, label.count + 2)
    let width = max(wordsWidth - column, 12)
    var rows: [String] = []
    for value in words.values {
      if let last = rows.last, last.columns + 2 + value.columns <= width {
        rows[rows.count - 1] = last + "  " + value
      } else {
        // Long runs of digits break where a reader counts: after every 8.
        let isDigits = value.columns > width && value.utf8.allSatisfy { $0.hexDigitValue != nil }
        rows += value.wrapped(to: isDigits ? max(width / 8 * 8, 8) : width)
      }
    }
    let blank = String(repeating: " ", count: column)
    let padded = label + String(repeating: " ", count: column - label.count)
    return rows.enumerated().map { index, row in
      (index == 0 ? padded : blank) + palette.paint(row, words.style)
    }
  }

  private func trimmed(_ line: String) -> String {
    var line = Substring(line)
    while line.last == " " { line.removeLast() }
    return String(line)
  }
}
