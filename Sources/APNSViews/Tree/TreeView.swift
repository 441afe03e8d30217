import APNSDiagnosis
import APNSWire

/// Records field by field: all bytes in columns, their meaning beside them, and findings under the bytes that cause
/// them.
public struct TreeView: View {
  public static var showsEachAlone: Bool { true }
  private let catalog: Catalog
  private var title: TreeTitle
  var rows: TreeRows
  /// By ``FieldRef/item``: `device token`.
  private let itemTitles: [String]
  private var isFirst = true

  /// - Parameters:
  ///   - catalog: the frame types that the records were decoded with.
  ///   - width: columns of the terminal. From 120 on a row has 16 bytes, else 8.
  ///   - palette: whether to use colors.
  ///   - verbose: long runs of bytes are not folded.
  public init(_ catalog: Catalog, width: Int = 80, palette: Palette = Palette(isColored: false), verbose: Bool = false)
  {
    self.catalog = catalog
    title = TreeTitle(catalog, width: width, palette: palette)
    rows = TreeRows(width: width, palette: palette, foldsLongRuns: !verbose)
    itemTitles = catalog.items.map { $0.name.split(separator: "-").joined(separator: " ") }
  }

  public mutating func show(_ record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
    if !isFirst { out.write("\n") }
    isFirst = false
    title.write(record, to: &out)
    rows.beginRecord(at: record.firstByte, TreeMark.all(of: record, bytes, catalog))
    switch record.content {
    case .gap:
      return rows.writeRemainingMarks(at: nil, to: &out)
    case .frame(let frame, _):
      rows.writeRuler(to: &out)
      catalog.forEachField(of: frame, in: bytes) { write($0, bytes, record.role, to: &out) }
    case .unparsed, .overlap:
      rows.writeRuler(to: &out)
      writeLoose(bytes, to: &out)
    }
    rows.writeRemainingMarks(at: bytes.count, to: &out)
  }

  private mutating func write(_ leaf: FieldRef, _ bytes: Span<UInt8>, _ role: StreamRole?, to out: inout Output) {
    let data = bytes.extracting(leaf.range)
    let depth = Int(leaf.depth)
    var style = Palette.Style.plain
    switch leaf.kind {
    case .itemID:
      // Written with the item's length.
      return
    case .itemLength:
      return writeItem(leaf, bytes, to: &out)
    case .command:
      rows.beginField("command", depth: depth)
      rows.values.add { $0.decimal(UInt64(data[0])) }
      let meaning = meaning(ofCommand: data[0], role)
      rows.values.add { $0.write(meaning) }
      style = .command
    case .length:
      rows.beginField(catalog.lengthName(of: leaf)?.title ?? "length", depth: depth)
      rows.values.add { out in
        if leaf.state == .whole { return out.decimal(data.number) }
        out.write("cut after ")
        out.plural(data.count, "byte")
      }
      style = .header
    case .gap:
      rows.beginField("spare bytes", depth: depth)
      style = .error
    case .value where leaf.state == .whole:
      guard let field = catalog.field(of: leaf) else {
        rows.beginField("data", depth: depth)
        break
      }
      if field.isJSON, !data.isEmpty { return writeJSON(bytes, leaf.range, to: &out) }
      rows.beginField(field.name.title, depth: depth)
      rows.values.add(data, of: field)
    case .value:
      rows.beginField(catalog.field(of: leaf)?.name.title ?? "data", depth: depth)
      rows.values.add { out in
        guard leaf.state == .cut || leaf.state == .overrun else {
          return out.digits(data.extracting(0..<min(data.count, 64)))
        }
        out.decimal(leaf.count)
        out.write(" of ")
        out.plural(leaf.declared, "byte")
      }
      style = .error
    }
    rows.write(bytes, leaf.range, style, to: &out)
  }

  /// The type of the frames from `role` that begin with `command`.
  private func meaning(ofCommand command: UInt8, _ role: StreamRole?) -> String {
    let schema = catalog.schemas.first { $0.command?.rawValue == command && $0.role == role }
    return schema?.title.lowercased() ?? ""
  }

  /// Writes the id and the length of an item in one row.
  private mutating func writeItem(_ length: FieldRef, _ bytes: Span<UInt8>, to out: inout Output) {
    let id = length.start - 1
    rows.beginField(depth: Int(length.depth) - 1)
    rows.values.add { out in
      out.write("item ")
      out.decimal(UInt64(bytes[id]))
      out.write(": ")
      out.write(length.item == FieldRef.none ? "not documented" : itemTitles[Int(length.item)])
      out.write(", ")
      out.plural(Int(bytes.extracting(length.range).number), "byte")
    }
    rows.write(bytes, id..<length.end, .header, folds: false, to: &out)
  }

  /// Writes bytes that belong to no field.
  private mutating func writeLoose(_ bytes: Span<UInt8>, to out: inout Output) {
    rows.beginField()
    // Narrow rows have no column for text, so the first rows get it as values.
    if !rows.showsText {
      var start = 0
      while start < bytes.count, rows.values.ranges.count < 64 {
        let end = min(bytes.count, rows.endOfRow(at: start))
        rows.values.add { $0.dump(bytes, start..<end) }
        start = end
      }
    }
    rows.write(bytes, 0..<bytes.count, .error, to: &out)
  }
}
