import APNSDiagnosis
import APNSWire

/// Records field by field: all bytes in columns, their meaning beside them, and findings under the bytes that cause
/// them.
public struct TreeView: View {
  public static var showsEachAlone: Bool { true }
  private let catalog: Catalog
  private var title: TreeTitle
  var rows: TreeRows
  private var isFirst = true
  /// By ``FieldRef/field``, safe on a terminal.
  private let titles: [String]
  /// By ``FieldRef/item``: `device token`.
  private let itemTitles: [String]

  /// From 120 columns on, a row has 16 bytes, else 8. `verbose`: long runs of bytes are not folded.
  public init(_ catalog: Catalog, terminal: Terminal = Terminal(), verbose: Bool = false) {
    self.catalog = catalog
    title = TreeTitle(catalog, terminal)
    rows = TreeRows(terminal, foldsLongRuns: !verbose)
    titles = catalog.fields.map { printable($0.name.title) }
    itemTitles = catalog.items.map { printable($0.name.split(separator: "-").joined(separator: " ")) }
  }

  public mutating func show(_ record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
    if !isFirst { out.write("\n") }
    isFirst = false
    title.write(record, to: &out)
    rows.begin(record)
    switch record.content {
    case .gap:
      return rows.writeFindings(under: nil, to: &out)
    case .frame(let frame, _):
      out.write(rows.ruler)
      catalog.forEachMember(of: frame, in: bytes) { write($0, of: frame, bytes, to: &out) }
    case .unparsed, .overlap:
      out.write(rows.ruler)
      writeLoose(bytes, to: &out)
    }
    rows.writeFindings(under: bytes.count..<bytes.count, to: &out)
  }

  private mutating func write(_ member: Member, of frame: FrameRef, _ bytes: Span<UInt8>, to out: inout Output) {
    let (leaf, depth) = (member.leaf, Int(member.leaf.depth))
    let data = bytes.extracting(leaf.range)
    let title = leaf.field == FieldRef.none ? "data" : titles[Int(leaf.field)]
    var style = Terminal.Style.header
    switch member.kind {
    case .command:
      style = .command
      rows.beginField("command")
      rows.values.add { $0.decimal(UInt64(data[0])) }
      let meaning = catalog.schema(of: frame)?.title.lowercased() ?? ""
      rows.values.add { $0.printable(meaning) }
    case .length, .cutLength:
      rows.beginField(printable(catalog.lengthName(of: leaf)?.title ?? "length"))
      rows.values.add { out in
        if member.kind != .cutLength { return out.decimal(data.number) }
        out.write("cut after ")
        out.plural(data.count, "byte")
      }
    case .item:
      let name = leaf.item == FieldRef.none ? "not documented" : itemTitles[Int(leaf.item)]
      rows.beginField(depth: depth - 1)
      rows.values.add { out in
        out.write("item ", Int(member.id))
        out.write(": ")
        out.write(name)
        out.write(", ")
        out.plural(Int(data.number), "byte")
      }
    case .value:
      guard let field = catalog.field(of: leaf) else { return }
      if field.isJSON, leaf.count > 0 { return writeJSON(bytes, member.range, to: &out) }
      style = .plain
      rows.beginField(title, depth: depth)
      rows.values.add(data, of: field.content)
    case .data:
      style = .error
      rows.beginField(title, depth: depth)
      rows.values.add { $0.digits(data.extracting(0..<min(data.count, 64))) }
    case .cut:
      style = .error
      rows.beginField(title, depth: depth)
      rows.values.add { out in
        out.decimal(leaf.count)
        out.write(" of ")
        out.plural(leaf.declared, "byte")
      }
    case .spare:
      style = .error
      rows.beginField("spare bytes", depth: depth)
    }
    rows.write(bytes, member.range, style, folds: member.kind != .item, to: &out)
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
