/// One section of the screen: what on the left, how much in columns on the right. Counts of all sections stand under
/// each other.
struct SummaryTable {
  let title: String
  /// Behind the title, where there is room.
  var subtitle = ""
  var columns: [Column]
  private var rows: [Row] = []

  struct Column {
    var title: String
    /// Where the screen is narrow, columns go whose number here is the highest; those with 0 stay.
    var leaves = 0
    var style = Palette.Style.plain
  }

  struct Row {
    var label: String
    var depth = 1
    var style = Palette.Style.plain
    var cells: [String] = []
    /// Behind the columns, where there is room.
    var remark = ""
    var remarkStyle = Palette.Style.plain
    /// A label too long for the screen is shortened; otherwise it gets a line of its own.
    var isShortened = false
  }

  private static let labelWidth = 30
  /// Of the first column.
  private static let countWidth = 10

  init(_ title: String, _ columns: [Column]) {
    self.title = title
    self.columns = columns
  }

  mutating func add(_ row: Row) { rows.append(row) }

  /// Writes nothing where there is no row. `remark`: behind the titles of the columns.
  func write(width: Int, _ palette: Palette, remark: String = "", to out: inout Output) {
    guard !rows.isEmpty else { return }
    let labels = rows.filter { !$0.cells.isEmpty }.map { $0.label.columns + 2 * $0.depth }
    let longest = max(labels.max() ?? 0, title.columns)
    let shown = shownColumns(in: width - min(longest, Self.labelWidth))
    let cellWidths = shown.map { cellWidth($0) }
    let cells = cellWidths.reduce(0, +)
    let label = max(min(max(longest, Self.labelWidth), width - cells), min(24, longest))

    var line = Line(palette: palette)
    func write(_ texts: [(String, Palette.Style)]) {
      var place = label
      for ((text, style), cellWidth) in zip(texts, cellWidths) {
        place += cellWidth
        if !text.isEmpty { line.add(text, style, at: place - text.columns) }
      }
    }

    func addRemark(_ text: String, _ style: Palette.Style) {
      let place = max(line.columns, label + cells) + 2
      if !text.isEmpty, place + text.columns <= width { line.add(text, style, at: place) }
    }

    line.add(title, .title)
    if !subtitle.isEmpty, title.columns + 2 + subtitle.columns <= label {
      line.add(subtitle, .dim, at: title.columns + 2)
    }
    write(shown.map { (columns[$0].title, .dim) })
    addRemark(remark, .dim)
    line.end(to: &out)
    for row in rows {
      let texts = shown.map { (row.cell($0), columns[$0].style) }
      let room = label - 2 * row.depth
      if row.label.columns <= room || row.isShortened {
        let text = row.label.columns <= room ? row.label : row.label.prefix(max(room - 3, 8)) + "..."
        line.add(text, row.style, at: 2 * row.depth)
      } else {
        for piece in row.label.wrapped(to: max(width - 2 * row.depth, 24)) {
          line.end(to: &out)
          line.add(piece, row.style, at: 2 * row.depth)
        }
        line.end(to: &out)
      }
      write(texts)
      addRemark(row.remark, row.remarkStyle)
      line.end(to: &out)
    }
  }

  private func shownColumns(in room: Int) -> [Int] {
    var shown = Array(columns.indices)
    while shown.reduce(0, { $0 + cellWidth($1) }) > room,
      let leaving = shown.max(by: { columns[$0].leaves < columns[$1].leaves }), columns[leaving].leaves > 0
    {
      shown.removeAll { $0 == leaving }
    }
    return shown
  }

  /// With the gap before it.
  private func cellWidth(_ column: Int) -> Int {
    let longest = rows.reduce(columns[column].title.columns) { max($0, $1.cell(column).columns) }
    return max(longest + 2, column == 0 ? Self.countWidth : 0)
  }
}

extension SummaryTable.Row {
  fileprivate func cell(_ column: Int) -> String {
    cells.indices.contains(column) ? cells[column] : ""
  }
}

/// A line on its way out, whose columns are counted without its colours.
private struct Line {
  let palette: Palette
  private var text = ""
  private(set) var columns = 0

  init(palette: Palette) {
    self.palette = palette
  }

  mutating func add(_ more: String, _ style: Palette.Style, at column: Int = 0) {
    let padding = max(column - columns, columns > 0 ? 1 : 0)
    text += String(repeating: " ", count: padding) + palette.paint(more, style)
    columns += padding + more.columns
  }

  /// Nothing, where nothing was added.
  mutating func end(to out: inout Output) {
    if columns > 0 { out.write(text + "\n") }
    text = ""
    columns = 0
  }
}
