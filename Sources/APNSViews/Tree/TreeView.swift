import APNSDiagnosis
import APNSWire

/// Records field by field: all bytes in columns, their meaning beside them, and findings under the bytes that cause
/// them.
public struct TreeView: View {
  public static var showsEachAlone: Bool { true }
  private let catalog: Catalog
  private let text: LeafText
  private var title: TreeTitle
  var rows: TreeRows
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
    text = LeafText(catalog)
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
    guard let range = text.range(of: leaf) else { return }
    if text.isJSON(leaf) { return writeJSON(bytes, range, to: &out) }
    rows.beginField(text.label(of: leaf), depth: text.depth(of: leaf))
    text.addValues(of: leaf, bytes, role, to: &rows.values)
    rows.write(bytes, range, text.style(of: leaf), folds: leaf.kind != .itemLength, to: &out)
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
