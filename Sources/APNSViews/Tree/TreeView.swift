import APNSDiagnosis
import APNSInput
import APNSWire

/// Each frame field by field: every byte in its column, its meaning beside it, damage marked where it is.
public struct TreeView: View {
  public static var showsEachAlone: Bool { true }
  private let catalog: Catalog
  private let palette: Palette
  private let width: Int
  private var nodes: TreeNodes
  private var isFirst = true
  /// A part of the line above a frame, before its place is known.
  private var part = Output()

  /// `width`: columns of the terminal. `verbose`: long runs of bytes are not folded.
  public init(_ catalog: Catalog, width: Int = 80, palette: Palette = Palette(isColored: false), verbose: Bool = false)
  {
    self.catalog = catalog
    self.palette = palette
    self.width = width
    nodes = TreeNodes(catalog, TreeRows(width: width, palette: palette), palette, foldsLongRuns: !verbose)
  }

  public mutating func show(_ record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
    if !isFirst { out.write("\n") }
    isFirst = false
    writeTitle(of: record, to: &out)
    var marks = TreeMarks(of: record, bytes, catalog)
    if case .gap = record.content {
      for mark in marks.all() { nodes.rows.writeSentence(of: mark, to: &out) }
      return
    }
    nodes.rows.writeRuler(to: &out)
    switch record.content {
    case .frame(let frame, _):
      catalog.forEachField(of: frame, in: bytes) { nodes.write($0, bytes, record, &marks, to: &out) }
    case .unparsed, .gap, .overlap:
      nodes.writeLoose(bytes, record, &marks, to: &out)
    }
    for mark in marks.all() { nodes.rows.write(mark, in: bytes.count..<bytes.count, at: record.offset, to: &out) }
  }

  // MARK: The frame's line

  private mutating func writeTitle(of record: Record, to out: inout Output) {
    // Columns so far.
    var used = 0
    func add(_ style: Palette.Style = .plain, _ write: (inout Output) -> Void) {
      if used > 0 { out.write("  ") }
      out.painted(style, palette) { out in
        let start = out.count
        write(&out)
        used += (used > 0 ? 2 : 0) + out.read { $0.columns(start..<$0.count) }
      }
    }
    func addPlace(_ count: Int, _ noun: StaticString, _ relation: StaticString, _ offset: Int) {
      add { out in
        out.plural(count, noun)
        out.write(relation)
        out.write("0x")
        out.hex(offset, digits: 1)
      }
    }
    add(.dim) { out in
      out.write("#")
      out.decimal(record.number)
    }
    switch record.content {
    case .frame(let frame, let condition):
      let schema = frame.isFrame ? nodes.text.schemas[Int(frame.schema)] : nil
      add(.title) { out in
        if let schema { out.write(nodes.text.text, schema.title) } else { out.write("Frame") }
      }
      if let command = schema?.command {
        add { out in
          out.write("command ")
          out.decimal(UInt64(command))
        }
      }
      addPlace(record.count, "byte", " at ", record.offset)
      if let condition { add(.error) { $0.write(condition == .truncated ? "truncated" : "malformed") } }
    case .unparsed(let reason):
      add(.error) { $0.write("Unparsed") }
      addPlace(record.count, "byte", " at ", record.offset)
      add { $0.write(reason) }
    case .gap:
      add(.warning) { $0.write("Gap") }
      addPlace(record.count, "byte", " missing at ", record.offset)
    case .overlap(let place):
      add(.warning) { $0.write("Overlap") }
      addPlace(record.findings.first?.range.count ?? 0, "different byte", " at ", place)
    }
    writeOrigin(of: record, behind: used, to: &out)
    out.write("\n")
  }

  private mutating func writeOrigin(of record: Record, behind used: Int, to out: inout Output) {
    var used = used
    let (width, palette) = (width, palette)
    func add(_ part: inout Output, _ write: (inout Output) -> Void) {
      part.cut(to: 0)
      write(&part)
      part.read { part in
        let columns = part.columns(0..<part.count)
        let fits = used + 2 + columns <= width
        out.write(fits ? "  " : "\n    ")
        out.painted(.dim, palette) { $0.write(part) }
        used = (fits ? used + 2 : 4) + columns
      }
    }
    if record.stream.isDirected {
      add(&part) { out in
        out.write("stream ")
        out.decimal(record.stream.number)
      }
    }
    if let route = record.stream.route { add(&part) { $0.route(route) } }
    if let first = record.packets.first {
      add(&part) { out in
        out.write(record.packets.count == 1 ? "packet " : "packets ")
        for index in 0..<min(record.packets.count, 4) {
          if index > 0 { out.write(", ") }
          out.decimal(record.packets[index].number)
        }
        if record.packets.count > 4 { out.write(", ...") }
      }
      if let time = first.time {
        add(&part) { $0.time(time, separator: UInt8(ascii: " "), suffix: " UTC") }
      }
    }
    if let first = record.positions.first {
      add(&part) { $0.write("line \(first.line), column \(first.column)") }
    }
  }
}
