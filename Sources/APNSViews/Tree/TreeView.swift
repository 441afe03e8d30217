import APNSDiagnosis
import APNSInput
import APNSWire

/// Each frame field by field: every byte in its column, its meaning beside it, damage marked where it is.
public struct TreeView: View {
  private let catalog: Catalog
  private let palette: Palette
  private let rows: TreeRows
  private let width: Int
  private let foldsLongRuns: Bool
  private var isFirst = true

  /// `width`: columns of the terminal. `verbose`: long runs of bytes are not folded.
  public init(_ catalog: Catalog, width: Int = 80, palette: Palette = Palette(isColored: false), verbose: Bool = false)
  {
    self.catalog = catalog
    self.palette = palette
    self.width = width
    self.rows = TreeRows(width: width, palette: palette)
    self.foldsLongRuns = !verbose
  }

  public mutating func show(_ record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
    if !isFirst { out.write("\n") }
    isFirst = false
    writeTitle(of: record, to: &out)
    var marks = TreeRows.Marks(of: record)
    if case .gap = record.content {
      for mark in marks.all() { rows.writeSentence(of: mark, to: &out) }
      return
    }
    rows.ruler(to: &out)
    switch record.content {
    case .frame(let frame, _):
      for node in catalog.tree(of: frame, in: bytes).nodes {
        write(node, bytes, record, &marks, to: &out)
      }
    case .unparsed, .gap, .overlap:
      writeRun(
        bytes, 0..<bytes.count, at: record.firstByte,
        TreeRows.Words(values: rows.perRow == 8 ? textRows(bytes, at: record.firstByte) : []),
        bytesStyle: .error, marks: marks.take(0..<bytes.count), to: &out)
    }
    for mark in marks.all() { rows.write(mark, in: bytes.count..<bytes.count, at: record.offset, to: &out) }
  }

  // MARK: The frame's line

  private func writeTitle(of record: Record, to out: inout Output) {
    var parts: [(text: String, style: Palette.Style)] = []
    func add(_ text: String, _ style: Palette.Style = .plain) { parts.append((text, style)) }
    switch record.content {
    case .frame(let frame, let condition):
      let schema = catalog.schema(of: frame)
      add(schema?.title ?? "Frame", .title)
      if let command = schema?.command { add("command \(command.rawValue)") }
      add(plural(record.count, "byte") + " at " + hexText(record.offset, digits: 1))
      if condition == .truncated { add("truncated", .error) }
      if condition == .malformed { add("malformed", .error) }
    case .unparsed(let reason):
      add("Unparsed", .error)
      add(plural(record.count, "byte") + " at " + hexText(record.offset, digits: 1))
      add(reason)
    case .gap:
      add("Gap", .warning)
      add(plural(record.count, "byte") + " missing at " + hexText(record.offset, digits: 1))
    case .overlap(let place):
      add("Overlap", .warning)
      add(plural(record.findings.first?.range.count ?? 0, "other byte") + " for " + hexText(place, digits: 1))
    }
    let number = "#\(record.number)"
    let plain = ([number] + parts.map(\.text)).joined(separator: "  ")
    out.write(palette.paint(number, .dim) + "  ")
    out.write(parts.map { palette.paint($0.text, $0.style) }.joined(separator: "  "))
    var used = plain.columns
    for part in originParts(of: record) {
      let fits = used + 2 + part.columns <= width
      out.write((fits ? "  " : "\n    ") + palette.paint(part, .dim))
      used = (fits ? used + 2 : 4) + part.columns
    }
    out.write("\n")
  }

  private func originParts(of record: Record) -> [String] {
    var parts: [String] = []
    if record.stream.isDirected { parts.append("stream \(record.stream.number)") }
    if let route = record.stream.route { parts.append("\(route.source) > \(route.destination)") }
    if let first = record.packets.first {
      let numbers = record.packets.prefix(4).map { String($0.number) }.joined(separator: ", ")
      let more = record.packets.count > 4 ? ", ..." : ""
      parts.append((record.packets.count == 1 ? "packet " : "packets ") + numbers + more)
      if let time = first.time { parts.append(UTC.text(time, separator: " ", suffix: " UTC")) }
    }
    if let first = record.positions.first { parts.append("line \(first.line), column \(first.column)") }
    return parts
  }

  // MARK: Nodes

  private func write(
    _ node: Tree.Node, _ bytes: Span<UInt8>, _ record: Record, _ marks: inout TreeRows.Marks, to out: inout Output
  ) {
    switch node.content {
    case .item(let id, let declared, let header):
      let name = catalog.item(of: header).map { $0.name.split(separator: "-").joined(separator: " ") }
      let text = "item \(id.rawValue): \(name ?? "not documented"), \(plural(declared, "byte"))"
      rows.write(
        bytes, node.range, at: record.offset, TreeRows.Words(values: [text], depth: node.depth), bytesStyle: .header,
        marks: marks.take(node.range), to: &out)
    case .leaf(let leaf):
      write(leaf, depth: node.depth, bytes, record, &marks, to: &out)
    }
  }

  private func write(
    _ leaf: FieldRef, depth: Int, _ bytes: Span<UInt8>, _ record: Record,
    _ marks: inout TreeRows.Marks, to out: inout Output
  ) {
    let data = bytes.extracting(leaf.range)
    let field = catalog.field(of: leaf)
    var words = TreeRows.Words(label: field?.name.title ?? "data", depth: depth)
    var style = Palette.Style.plain
    switch leaf.kind {
    case .command:
      words.label = "command"
      let title = catalog.schemas.first { $0.command?.rawValue == data[0] && $0.role == record.role }?.title
      words.values = [String(data[0]), title?.lowercased() ?? ""]
      style = .command
    case .length:
      words.label = catalog.lengthName(of: leaf)?.title ?? "length"
      words.values = leaf.state == .whole ? [String(data.number)] : ["cut after \(plural(data.count, "byte"))"]
      style = .header
    case .gap:
      words.label = "spare bytes"
      style = .error
    case .itemID, .itemLength:
      return
    case .value where leaf.state == .whole:
      guard let field else { break }
      if case .json = field.content, !data.isEmpty {
        return writePayload(leaf, bytes, record, &marks, to: &out)
      }
      words.values = ValueWords.of(field, data)
    case .value where leaf.state == .cut || leaf.state == .overrun:
      words.values = ["\(leaf.count) of \(plural(leaf.declared, "byte"))"]
      style = .error
    case .value:
      words.values = [data.isEmpty ? "(empty)" : ValueWords.digits(data.extracting(0..<min(data.count, 64)))]
      style = .error
    }
    writeRun(
      bytes, leaf.range, at: record.offset, words, bytesStyle: style, marks: marks.take(leaf.range), to: &out)
  }

  private func writePayload(
    _ leaf: FieldRef, _ bytes: Span<UInt8>, _ record: Record, _ marks: inout TreeRows.Marks, to out: inout Output
  ) {
    for line in PayloadLines.of(bytes, leaf.range) {
      let style: Palette.Style = line.isBroken ? .error : .payload
      let words = TreeRows.Words(values: [line.text], depth: 1 + min(line.depth, 12), style: style)
      let taken = marks.take(line.range)
      if line.isBroken {
        writeRun(bytes, line.range, at: record.offset, words, bytesStyle: style, marks: taken, to: &out)
      } else {
        rows.write(bytes, line.range, at: record.offset, words, bytesStyle: style, marks: taken, to: &out)
      }
    }
  }

  /// Long runs that no reader follows byte by byte are folded, and say so.
  private func writeRun(
    _ bytes: Span<UInt8>, _ range: Range<Int>, at base: Int, _ words: TreeRows.Words, bytesStyle: Palette.Style,
    marks: [TreeRows.Mark], to out: inout Output
  ) {
    let longest = rows.perRow * 16
    guard foldsLongRuns, range.count > longest else {
      return rows.write(bytes, range, at: base, words, bytesStyle: bytesStyle, marks: marks, to: &out)
    }
    let cut = range.lowerBound + longest / 2 - (base + range.lowerBound) % rows.perRow
    var shown = words
    shown.values = words.values.prefix(8).map { $0.count > 256 ? $0.prefix(256) + "..." : $0 }
    rows.write(bytes, range.lowerBound..<cut, at: base, shown, bytesStyle: bytesStyle, marks: marks, to: &out)
    out.write(
      palette.paint("        ... \(plural(range.upperBound - cut, "more byte")) (-v shows them)", .dim) + "\n")
  }

  /// Where there is no column for text, unparsed bytes get it as words, row by row.
  private func textRows(_ bytes: Span<UInt8>, at base: Int) -> [String] {
    var texts: [String] = []
    var start = 0
    while start < bytes.count, texts.count < 64 {
      let end = min(bytes.count, start + rows.perRow - (base + start) % rows.perRow)
      var text = ""
      for index in start..<end {
        text.unicodeScalars.append(Unicode.Scalar(bytes[index].inDump))
      }
      texts.append(text)
      start = end
    }
    return texts
  }
}
