/// One section of a summary: labels on the left, columns of numbers on the right. The first columns of all sections are
/// aligned.
struct SummaryTable {
  let title: String
  /// Written after the title if it fits.
  var subtitle = ""
  /// Written after the titles of the columns if it fits.
  var remark = ""
  var columns: [Column]
  private var rows: [Row] = []

  struct Column {
    let title: String
    /// On narrow screens, columns with the highest number are omitted first; those with 0 are always shown.
    var omission = 0
    var style = Terminal.Style.plain
  }

  private struct Row {
    let label: String
    let cells: [String]
    let depth: Int
    let style: Terminal.Style
    let isShortened: Bool
    let remark: String

    func cell(_ column: Int) -> String { cells.indices.contains(column) ? cells[column] : "" }
  }

  private static let labelWidth = 30
  /// The width of the first column.
  private static let countWidth = 10

  init(_ title: String, _ columns: [Column]) {
    self.title = title
    self.columns = columns
  }

  /// Adds a row; its label is made safe on a terminal.
  ///
  /// - Parameters:
  ///   - isShortened: whether a long label is shortened. Otherwise it gets a separate line.
  ///   - remark: written after the columns if it fits.
  mutating func add(
    _ label: String, _ cells: [String] = [], depth: Int = 1, style: Terminal.Style = .plain,
    isShortened: Bool = false, remark: String = ""
  ) {
    rows.append(
      Row(
        label: printable(label), cells: cells, depth: depth, style: style, isShortened: isShortened, remark: remark))
  }

  /// Adds the first rows of a list of counts, and one row for all others. `noun`: what the rows are.
  mutating func add(_ list: [(String, Terminal.Style, Int)], _ noun: String) {
    let shown = Self.shown(of: list.count)
    for (label, style, count) in list.prefix(shown) { add(label, [grouped(count)], style: style) }
    let rest = list.dropFirst(shown)
    if !rest.isEmpty { add("\(rest.count) other \(noun)", [grouped(rest.reduce(0) { $0 + $1.2 })], style: .dim) }
  }

  /// The number of rows that are shown of a list.
  static func shown(of count: Int) -> Int { count <= 9 ? count : 8 }

  /// Writes the section after an empty line; nothing if it has no rows.
  func write(_ terminal: Terminal, to out: inout Output) {
    guard !rows.isEmpty else { return }
    out.write("\n")
    let width = terminal.width
    let labels = rows.filter { !$0.cells.isEmpty }.map { $0.label.columns + 2 * $0.depth }
    let longest = max(labels.max() ?? 0, title.columns)
    let shown = shownColumns(in: width - min(longest, Self.labelWidth))
    let cellWidths = shown.map { cellWidth($0) }
    let cells = cellWidths.reduce(0, +)
    let label = max(min(max(longest, Self.labelWidth), width - cells), min(24, longest))

    // The line that is being put together; `used` does not count colour sequences.
    var (line, used) = ("", 0)
    func put(_ text: String, _ style: Terminal.Style, at column: Int = 0) {
      let padding = max(column - used, used > 0 ? 1 : 0)
      line += String(repeating: " ", count: padding) + terminal.paint(text, style)
      used += padding + text.columns
    }
    func endLine() {
      if used > 0 { out.write(line + "\n") }
      (line, used) = ("", 0)
    }
    /// Adds the cells and the remark, and ends the line.
    func end(_ texts: [(String, Terminal.Style)], _ remark: String, _ remarkStyle: Terminal.Style) {
      var right = label
      for ((text, style), cellWidth) in zip(texts, cellWidths) {
        right += cellWidth
        if !text.isEmpty { put(text, style, at: right - text.columns) }
      }
      let start = max(used, label + cells) + 2
      if !remark.isEmpty, start + remark.columns <= width { put(remark, remarkStyle, at: start) }
      endLine()
    }

    put(title, .title)
    if !subtitle.isEmpty, title.columns + 2 + subtitle.columns <= label {
      put(subtitle, .dim, at: title.columns + 2)
    }
    end(shown.map { (columns[$0].title, .dim) }, remark, .dim)
    for row in rows {
      let labelWidth = label - 2 * row.depth
      if row.label.columns <= labelWidth || row.isShortened {
        let text = row.label.columns <= labelWidth ? row.label : row.label.prefix(max(labelWidth - 3, 8)) + "..."
        put(text, row.style, at: 2 * row.depth)
      } else {
        for piece in row.label.wrapped(to: max(width - 2 * row.depth, 24)) {
          put(piece, row.style, at: 2 * row.depth)
          endLine()
        }
      }
      end(shown.map { (row.cell($0), columns[$0].style) }, row.remark, .header)
    }
  }

  private func shownColumns(in width: Int) -> [Int] {
    var shown = Array(columns.indices)
    while shown.reduce(0, { $0 + cellWidth($1) }) > width,
      let omitted = shown.max(by: { columns[$0].omission < columns[$1].omission }), columns[omitted].omission > 0
    {
      shown.removeAll { $0 == omitted }
    }
    return shown
  }

  /// The width of a column, including the gap before it.
  private func cellWidth(_ column: Int) -> Int {
    let longest = rows.reduce(columns[column].title.columns) { max($0, $1.cell(column).columns) }
    return max(longest + 2, column == 0 ? Self.countWidth : 0)
  }
}
