import APNSDiagnosis
import APNSInput
import APNSQuery
import APNSWire

/// Writes one line for each record, including gaps and unparsed bytes.
public struct LineView: View {
  public static var showsEachAlone: Bool { true }
  private let catalog: Catalog
  private let terminal: Terminal
  private let showsBytes: Bool
  private let shortens: Bool
  private var values = ValueText()
  private static let longestValue = 160

  /// `showsBytes`: a dump of the bytes follows each line. `verbose`: long values are not shortened.
  public init(
    _ catalog: Catalog, terminal: Terminal = Terminal(), showsBytes: Bool = false, verbose: Bool = false
  ) {
    (self.catalog, self.terminal) = (catalog, terminal)
    (self.showsBytes, shortens) = (showsBytes, !verbose)
  }

  public mutating func show(_ record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
    if let time = record.packets.first?.time { writeColumn(.dim, to: &out) { $0.time(time) } }
    if record.stream.isDirected { writeColumn(.plain, to: &out) { $0.decimal(record.stream.number) } }
    if let route = record.stream.route { writeColumn(.dim, to: &out) { $0.route(route) } }
    writeColumn(.dim, to: &out) { $0.offset(record.offset) }
    writeTitle(of: record, to: &out)
    writeFindings(record.findings, to: &out)
    writeValues(of: record, bytes, to: &out)
    out.write("\n")
    if showsBytes { HexView.dump(bytes, at: record.firstByte, to: &out) }
  }

  @inline(__always)
  private func writeColumn(_ style: Terminal.Style, to out: inout Output, _ write: (inout Output) -> Void) {
    out.painted(style, terminal, write)
    out.write("  ")
  }

  private func writeTitle(of record: Record, to out: inout Output) {
    let content = record.content
    out.painted(content.style, terminal) { $0.printable(content.typeName(catalog)) }
    if case .overlap(let offset) = content {
      out.write("  at ")
      out.painted(.dim, terminal) { $0.offset(offset) }
      return
    }
    out.write("  ")
    out.plural(record.count, "byte")
    if case .gap = content { out.write(" missing") }
    if case .frame(_, let condition?) = content {
      out.write("  ")
      out.painted(.error, terminal) { $0.write(condition.rawValue) }
    }
  }

  private mutating func writeValues(of record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
    switch record.content {
    case .frame(let frame, _):
      catalog.forEachMember(of: frame, in: bytes) { member in
        guard member.kind == .value || member.kind == .data else { return }
        let data = bytes.extracting(member.leaf.range)
        let field = catalog.field(of: member.leaf)
        out.write("  ")
        out.printable(field?.name.member ?? "item data")
        out.write(" ")
        write(data, of: member.kind == .value ? field : nil, to: &out)
      }
    case .unparsed(let reason):
      if record.findings.contains(where: { $0.rule == reason }) { break }
      out.write("  ")
      out.printable(reason)
    case .gap: break
    case .overlap:
      out.write("  ")
      write(bytes, to: &out)
    }
  }

  private func writeFindings(_ findings: [Finding], to out: inout Output) {
    var written: [String] = []
    for finding in findings where !written.contains(finding.rule) {
      written.append(finding.rule)
      let same = findings.filter { $0.rule == finding.rule }
      let times = same.count > 1 ? " x\(same.count)" : ""
      let cause = same.lazy.compactMap(\.cause).first.map { " cause \($0.id)" } ?? ""
      out.write("  ")
      out.painted(.of(finding.severity), terminal) {
        $0.printable("[\(finding.severity.rawValue) \(finding.rule)\(times)\(cause)]")
      }
    }
  }

  // MARK: Values

  /// Writes a value; without a field, as digits.
  private mutating func write(_ data: Span<UInt8>, of field: Field? = nil, to out: inout Output) {
    values.removeAll()
    if let field { values.add(data, of: field.content) } else { values.add { $0.hex(data) } }
    switch field?.content {
    case .integer(_, .number), .integer(_, .identifier): write(values.ranges[0], to: &out)
    case .integer:
      for (index, value) in values.ranges.enumerated() {
        if index > 0 { out.write(" (") }
        write(value, to: &out)
      }
      out.write(")")
    case .octets, .text, .json, .items, nil:
      if !shortens || values.text.count <= Self.longestValue { return write(values.ranges[0], to: &out) }
      let text = values.strings[0]
      out.write(text.count <= Self.longestValue ? text : text.prefix(Self.longestValue - 3) + "...")
    }
  }

  private func write(_ value: Range<Int>, to out: inout Output) {
    values.text.read { out.write($0.extracting(value)) }
  }
}
