import APNSDiagnosis
import APNSInput
import Octets

/// Writes bytes in rows under a ruler, text to the right of them, and findings under them.
///
/// For each field: begin it, add its values, then write its bytes.
struct TreeRows: Sendable {
  /// Whether rows are wide enough for a column that shows their bytes as ASCII.
  let showsText: Bool
  /// What the next `write` puts to the right of the bytes.
  var values = ValueText()
  private var label: String?
  private(set) var depth = 0
  private var textStyle = Terminal.Style.plain
  /// Columns to the left of the values.
  private var indent = 0
  /// Ranges in `values.text`.
  private var lines: [Range<Int>] = []
  /// Offset in the stream of the record's first byte.
  private var base = 0
  /// Those of the record that are not yet written, in the order of their bytes.
  private var findings: ArraySlice<Finding> = []
  /// Those of the record's bytes, if it was read from text.
  private var positions: [Origin.TextPosition] = []

  private let terminal: Terminal
  private let foldsLongRuns: Bool
  private let bytesPerRow: Int
  private let leftWidth: Int
  private let textWidth: Int
  /// The line of column numbers above the bytes of a record.
  let ruler: String
  private static let offsetWidth = 8
  private static let labelWidth = 16

  init(_ terminal: Terminal, foldsLongRuns: Bool) {
    self.terminal = terminal
    self.foldsLongRuns = foldsLongRuns
    showsText = terminal.width >= 120
    bytesPerRow = showsText ? 16 : 8
    leftWidth = Self.offsetWidth + bytesPerRow * 3 + (showsText ? bytesPerRow + 2 : 0) + 1
    textWidth = max(terminal.width - leftWidth, 24)
    let numbers = (0..<bytesPerRow).map { "0" + String($0, radix: 16) }.joined(separator: " ")
    ruler = terminal.paint(String(repeating: " ", count: Self.offsetWidth) + numbers, .dim) + "\n"
  }

  // MARK: What to write

  mutating func begin(_ record: Record) {
    (base, findings, positions) = (record.firstByte, record.findings[...], record.positions)
  }

  /// Begins a field. Without a label, each value begins a line. `depth`: levels of indentation.
  mutating func beginField(_ label: String? = nil, depth: Int = 0, style: Terminal.Style = .plain) {
    self.label = label
    self.depth = depth
    textStyle = style
    indent = label.map { max(Self.labelWidth, 2 * depth + $0.utf8.count + 2) } ?? 2 * depth
    values.removeAll()
  }

  // MARK: Rows

  /// Writes the bytes of the record in `range`, the values beside them, and the findings that begin in them. Values
  /// with more lines than there are rows continue below.
  mutating func write(
    _ bytes: Span<UInt8>, _ range: Range<Int>, _ style: Terminal.Style, folds: Bool = true, to out: inout Output
  ) {
    let end = folds ? endOfShownBytes(of: range) : range.upperBound
    if end < range.upperBound { values.shorten() }
    lines.removeAll(keepingCapacity: true)
    values.breakLines(to: max(textWidth - indent, 12), joined: label != nil, into: &lines)
    var line = 0
    var row = range.lowerBound..<range.lowerBound
    repeat {
      row = row.upperBound..<min(end, endOfRow(at: row.upperBound))
      if !row.isEmpty {
        writeRow(bytes, row, style, line: line, to: &out)
        line += 1
      }
      let isLast = row.upperBound == end
      while isLast, line < lines.count {
        writeRow(bytes, end..<end, style, line: line, to: &out)
        line += 1
      }
      writeFindings(before: isLast ? range.upperBound : row.upperBound, of: range, under: row, to: &out)
    } while row.upperBound < end
    guard end < range.upperBound else { return }
    let rest = plural(range.upperBound - end, "more byte")
    out.painted(.dim, terminal) { $0.write("        ... \(rest) (-v shows them)") }
    out.write("\n")
  }

  private func column(of index: Int) -> Int { (base + index) & (bytesPerRow - 1) }

  /// The end of the row that has the byte at `index`.
  func endOfRow(at index: Int) -> Int { index + bytesPerRow - column(of: index) }

  /// Of more than 16 rows, 8 are shown.
  private func endOfShownBytes(of range: Range<Int>) -> Int {
    guard foldsLongRuns, range.count > bytesPerRow * 16 else { return range.upperBound }
    return range.lowerBound + bytesPerRow * 8 - column(of: range.lowerBound)
  }

  /// Writes the bytes of one row, if there are any, and one line of the values, if there is one.
  private func writeRow(
    _ bytes: Span<UInt8>, _ row: Range<Int>, _ style: Terminal.Style, line: Int, to out: inout Output
  ) {
    let start = out.count
    let used = row.isEmpty ? 0 : writeBytes(bytes, row, style, to: &out)
    if line < lines.count {
      out.spaces(leftWidth - used)
      writeLine(line, to: &out)
    }
    out.endLine(from: start)
  }

  /// Writes the offset of a row and its bytes.
  ///
  /// - Returns: the columns written. An offset that needs more than its columns moves the rest of the row to the right.
  private func writeBytes(_ bytes: Span<UInt8>, _ row: Range<Int>, _ style: Terminal.Style, to out: inout Output) -> Int
  {
    let lead = column(of: row.lowerBound)
    let offsetColumns = out.painted(.dim, terminal) { $0.offset(base + row.lowerBound) }
    out.spaces(max(Self.offsetWidth - offsetColumns, 1) + 3 * lead)
    out.painted(style, terminal) { $0.hexCells(bytes, row) }
    let used = Self.offsetWidth + 3 * (lead + row.count) - 1
    guard showsText else { return used }
    let textStart = Self.offsetWidth + 3 * bytesPerRow
    out.spaces(textStart - used)
    out.painted(.dim, terminal) { out in
      out.spaces(lead)
      out.dump(bytes, row)
    }
    return textStart + lead + row.count
  }

  /// Writes one line of the values, the first one after the label.
  private func writeLine(_ line: Int, to out: inout Output) {
    if line == 0, let label {
      out.spaces(2 * depth)
      out.write(label)
      out.spaces(indent - 2 * depth - label.utf8.count)
    } else {
      out.spaces(indent)
    }
    let range = lines[line]
    out.painted(range.isEmpty ? .plain : textStyle, terminal) { out in
      values.text.read { out.write($0.extracting(range)) }
    }
  }

  // MARK: Findings

  /// Writes the findings that begin before `limit`, and those of exactly the bytes in `range`, if it is empty.
  mutating func writeFindings(
    before limit: Int = .max, of range: Range<Int> = 0..<0, under row: Range<Int>?, to out: inout Output
  ) {
    while let finding = findings.first,
      finding.range.lowerBound - base < limit || (range.isEmpty && bytes(of: finding) == range)
    {
      write(finding, under: row, to: &out)
      findings.removeFirst()
    }
  }

  /// The bytes of the record that a finding is about.
  private func bytes(of finding: Finding) -> Range<Int> {
    (finding.range.lowerBound - base)..<(finding.range.upperBound - base)
  }

  /// Writes a finding, with carets under its bytes in `row`, or under the end of the row; without them if that is nil.
  private func write(_ finding: Finding, under row: Range<Int>?, to out: inout Output) {
    let (range, style) = (bytes(of: finding), Terminal.Style.of(finding.severity))
    var used = row.map { writeCarets(range, style, under: $0, to: &out) } ?? 0
    // The position of the first byte.
    let isText = positions.indices.contains(range.lowerBound)
    let position = isText ? positions[range.lowerBound].text + ": " : ""
    let first = (text: "\(finding.severity.rawValue) \(finding.rule): \(position)\(finding.message)", style: style)
    let details = finding.details.map { (text: "\($0.label): \($0.text)", style: $0.label == "cause" ? style : .plain) }
    for (text, style) in [first] + details {
      for line in text.wrapped(to: textWidth) {
        out.spaces(max(leftWidth - used, 1))
        out.write(terminal.paint(line, style) + "\n")
        used = 0
      }
    }
  }

  /// Returns the columns written.
  private func writeCarets(
    _ range: Range<Int>, _ style: Terminal.Style, under row: Range<Int>, to out: inout Output
  ) -> Int {
    let first = min(max(range.lowerBound, row.lowerBound), row.upperBound)
    let last = max(min(range.upperBound, row.upperBound), first + 1)
    let column = column(of: first)
    let count = min(last - first, bytesPerRow - column)
    let offset = hexText(base + first, digits: 4)
    return out.painted(style, terminal) { out in
      // After a full row, the caret is in a new row, which begins with its offset.
      let label = column == 0 && first == row.upperBound ? offset : ""
      out.write(label)
      out.spaces(max(Self.offsetWidth, offset.count + 1) + 3 * column - label.count)
      for _ in 1..<(3 * count) { out.byte(UInt8(ascii: "^")) }
    }
  }
}

extension Output {
  /// `0x002b`.
  mutating func offset(_ offset: Int) {
    write("0x")
    hex(offset, digits: 4)
  }

  /// Removes spaces from the end of the line that begins at `start`, and ends it.
  fileprivate mutating func endLine(from start: Int) {
    while count > start, last == UInt8(ascii: " ") { cut(to: count - 1) }
    byte(UInt8(ascii: "\n"))
  }
}
