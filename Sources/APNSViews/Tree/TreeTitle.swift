import APNSDiagnosis
import APNSInput
import APNSWire

/// The line above a record: what it is, where it is in the stream, and where it came from. Parts of the origin that do
/// not fit go to indented lines.
struct TreeTitle: Sendable {
  private let catalog: Catalog
  private let terminal: Terminal
  /// Columns of the line so far.
  private var used = 0
  private var part = Output()

  init(_ catalog: Catalog, _ terminal: Terminal) { (self.catalog, self.terminal) = (catalog, terminal) }

  mutating func write(_ record: Record, to out: inout Output) {
    used = 0
    add(.dim, to: &out) { $0.write("#", record.number) }
    writeContent(of: record, to: &out)
    writeOrigin(of: record, to: &out)
    out.write("\n")
  }

  private mutating func writeContent(of record: Record, to out: inout Output) {
    let (content, title) = (record.content, record.content.title(catalog))
    add(content.style, to: &out) { $0.printable(title) }
    switch content {
    case .frame(let frame, let condition):
      if let command = catalog.schema(of: frame)?.command {
        add(to: &out) { $0.write("command ", Int(command.rawValue)) }
      }
      addSize(record.count, "byte", " at 0x", record.offset, to: &out)
      if let condition { add(.error, to: &out) { $0.write(condition.rawValue) } }
    case .unparsed(let reason):
      addSize(record.count, "byte", " at 0x", record.offset, to: &out)
      add(to: &out) { $0.printable(reason) }
    case .gap: addSize(record.count, "byte", " missing at 0x", record.offset, to: &out)
    case .overlap(let start):
      addSize(record.findings.first?.range.count ?? 0, "different byte", " at 0x", start, to: &out)
    }
  }

  private mutating func addSize(
    _ count: Int, _ noun: StaticString, _ relation: StaticString, _ offset: Int, to out: inout Output
  ) {
    add(to: &out) { part in
      part.plural(count, noun)
      part.write(relation)
      part.hex(offset, digits: 1)
    }
  }

  private mutating func writeOrigin(of record: Record, to out: inout Output) {
    if record.stream.isDirected { add(.dim, breaks: true, to: &out) { $0.write("stream ", record.stream.number) } }
    if let route = record.stream.route { add(.dim, breaks: true, to: &out) { $0.route(route) } }
    if let first = record.packets.first {
      add(.dim, breaks: true, to: &out) { part in
        part.write(record.packets.count == 1 ? "packet " : "packets ")
        part.decimal(first.number)
        for packet in record.packets.prefix(4).dropFirst() { part.write(", ", packet.number) }
        if record.packets.count > 4 { part.write(", ...") }
      }
      if let time = first.time {
        add(.dim, breaks: true, to: &out) { $0.time(time, separator: UInt8(ascii: " "), suffix: " UTC") }
      }
    }
    if let first = record.positions.first { add(.dim, breaks: true, to: &out) { $0.write(first.text) } }
  }

  /// Adds what `write` appends, two spaces after the part before it. `breaks`: if it does not fit, on the next line.
  private mutating func add(
    _ style: Terminal.Style = .plain, breaks: Bool = false, to out: inout Output, _ write: (inout Output) -> Void
  ) {
    part.cut(to: 0)
    write(&part)
    let columns = part.read { $0.columns(0..<$0.count) }
    let isNewLine = breaks && used + 2 + columns > terminal.width
    if used > 0 { out.write(isNewLine ? "\n    " : "  ") }
    out.painted(style, terminal) { out in part.read { out.write($0) } }
    used = (isNewLine ? 4 : used > 0 ? used + 2 : 0) + columns
  }
}

extension Record.Content {
  /// What it is, for people: the title of a frame type, or a word.
  func title(_ catalog: Catalog) -> String {
    switch self {
    case .frame(let frame, _): catalog.schema(of: frame)?.title ?? "Frame"
    case .unparsed: "Unparsed"
    case .gap: "Gap"
    case .overlap: "Overlap"
    }
  }

  var style: Terminal.Style {
    switch self {
    case .frame: .title
    case .unparsed: .error
    case .gap, .overlap: .warning
    }
  }
}
