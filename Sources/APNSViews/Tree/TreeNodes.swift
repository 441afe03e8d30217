import APNSDiagnosis
import APNSPayload
import APNSWire

/// The fields of a frame, each with its meaning beside its bytes.
struct TreeNodes: Sendable {
  let text: TreeText
  private(set) var rows: TreeRows
  private let meanings: ValueWords
  private let palette: Palette
  private let foldsLongRuns: Bool

  init(_ catalog: Catalog, _ rows: TreeRows, _ palette: Palette, foldsLongRuns: Bool) {
    text = TreeText(catalog)
    meanings = ValueWords(catalog.fields)
    self.rows = rows
    self.palette = palette
    self.foldsLongRuns = foldsLongRuns
  }

  mutating func write(
    _ leaf: FieldRef, _ bytes: Span<UInt8>, _ record: Record, _ marks: inout TreeMarks, to out: inout Output
  ) {
    let data = bytes.extracting(leaf.range)
    let depth = Int(leaf.depth)
    var style = Palette.Style.plain
    switch leaf.kind {
    case .itemID:
      return
    case .itemLength:
      return writeItem(leaf, bytes, record, &marks, to: &out)
    case .command:
      begin(text.labels.command, depth)
      rows.words.add { $0.decimal(UInt64(data[0])) }
      rows.words.add { $0.write(text.text, text.meaning(of: data[0], from: record.role)) }
      style = .command
    case .length:
      begin(text.title(ofLengthBefore: leaf), depth)
      rows.words.add { out in
        if leaf.state == .whole { return out.decimal(data.number) }
        out.write("cut after ")
        out.plural(data.count, "byte")
      }
      style = .header
    case .gap:
      begin(text.labels.spare, depth)
      style = .error
    case .value where leaf.state == .whole:
      if leaf.field != FieldRef.none, text.fields[Int(leaf.field)].isJSON, !data.isEmpty {
        return writePayload(leaf, bytes, record, &marks, to: &out)
      }
      begin(text.title(of: leaf), depth)
      if leaf.field != FieldRef.none { meanings.add(data, of: Int(leaf.field), to: &rows.words) }
    case .value:
      begin(text.title(of: leaf), depth)
      rows.words.add { out in
        guard leaf.state == .cut || leaf.state == .overrun else {
          return out.digits(data.extracting(0..<min(data.count, 64)))
        }
        out.decimal(leaf.count)
        out.write(" of ")
        out.plural(leaf.declared, "byte")
      }
      style = .error
    }
    writeRun(bytes, leaf.range, at: record.offset, bytesStyle: style, marks: marks.take(leaf.range), to: &out)
  }

  private mutating func begin(_ label: Range<Int>, _ depth: Int) {
    rows.words.begin(label: label, of: text.text, depth: depth)
  }

  /// Number and length of an item.
  private mutating func writeItem(
    _ header: FieldRef, _ bytes: Span<UInt8>, _ record: Record, _ marks: inout TreeMarks, to out: inout Output
  ) {
    let range = (header.start - 1)..<header.end
    rows.words.begin(depth: Int(header.depth) - 1)
    rows.words.add { out in
      out.write("item ")
      out.decimal(UInt64(bytes[header.start - 1]))
      out.write(text.text, header.item == FieldRef.none ? text.unknownItem : text.items[Int(header.item)])
      out.plural(Int(bytes.extracting(header.range).number), "byte")
    }
    rows.write(bytes, range, at: record.offset, bytesStyle: .header, marks: marks.take(range), to: &out)
  }

  private mutating func writePayload(
    _ leaf: FieldRef, _ bytes: Span<UInt8>, _ record: Record, _ marks: inout TreeMarks, to out: inout Output
  ) {
    var payload = PayloadLines(leaf.range)
    while let line = payload.read(bytes, to: &rows.words) {
      let style: Palette.Style = line.isBroken ? .error : .payload
      let taken = marks.take(line.range)
      if line.isBroken {
        writeRun(bytes, line.range, at: record.offset, bytesStyle: style, marks: taken, to: &out)
      } else {
        rows.write(bytes, line.range, at: record.offset, bytesStyle: style, marks: taken, to: &out)
      }
    }
  }

  /// Bytes that belong to no field.
  mutating func writeLoose(
    _ bytes: Span<UInt8>, _ record: Record, _ marks: inout TreeMarks, to out: inout Output
  ) {
    rows.words.begin()
    if rows.perRow == 8 { addTextRows(bytes, at: record.firstByte) }
    let range = 0..<bytes.count
    writeRun(bytes, range, at: record.firstByte, bytesStyle: .error, marks: marks.take(range), to: &out)
  }

  /// Where there is no column for text, loose bytes get it as words, row by row.
  private mutating func addTextRows(_ bytes: Span<UInt8>, at base: Int) {
    var start = 0
    while start < bytes.count, rows.words.values.count < 64 {
      let end = min(bytes.count, start + rows.perRow - (base + start) % rows.perRow)
      rows.words.add { $0.dump(bytes, start..<end) }
      start = end
    }
  }

  /// Long runs that no reader follows byte by byte are folded, and say so.
  private mutating func writeRun(
    _ bytes: Span<UInt8>, _ range: Range<Int>, at base: Int, bytesStyle: Palette.Style, marks: [TreeMark],
    to out: inout Output
  ) {
    let longest = rows.perRow * 16
    guard foldsLongRuns, range.count > longest else {
      return rows.write(bytes, range, at: base, bytesStyle: bytesStyle, marks: marks, to: &out)
    }
    let cut = range.lowerBound + longest / 2 - (base + range.lowerBound) % rows.perRow
    rows.words.shorten()
    rows.write(bytes, range.lowerBound..<cut, at: base, bytesStyle: bytesStyle, marks: marks, to: &out)
    out.painted(.dim, palette) { out in
      out.write("        ... ")
      out.plural(range.upperBound - cut, "more byte")
      out.write(" (-v shows them)")
    }
    out.write("\n")
  }
}
