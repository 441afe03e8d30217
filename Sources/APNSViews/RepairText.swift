import APNSDiagnosis
import APNSWire
import Octets

/// Writes what a repair changes in a frame, field by field, as removed and added lines.
package struct RepairText {
  private let catalog: Catalog
  private let terminal: Terminal

  package init(_ catalog: Catalog, terminal: Terminal) {
    (self.catalog, self.terminal) = (catalog, terminal)
  }

  /// Writes the cause, and the fields that differ.
  ///
  /// - Parameters:
  ///   - repaired: the bytes that replace those of the record.
  ///   - repairs: how often the stream of the record was repaired before.
  package func write(
    _ record: Record, _ bytes: Span<UInt8>, _ cause: Cause, repaired: Span<UInt8>, after repairs: Int,
    to out: inout Output
  ) {
    var title = terminal.paint("#\(record.number)", .dim) + "  " + terminal.paint(cause.id, .title)
    title += "  at 0x" + String(record.offset, radix: 16)
    if repairs > 0 { title += " after \(plural(repairs, "repair")) of the stream" }
    if let first = record.packets.first { title += terminal.paint("  packet \(first.number)", .dim) }
    if let first = record.positions.first { title += terminal.paint("  " + first.text, .dim) }
    out.write(title + "\n")
    terminal.write(cause.evidence, indent: 2, to: &out)
    var rest = fields(of: repaired, record.role)[...]
    for field in fields(of: bytes, record.role) {
      let same = rest.firstIndex { $0 == field }
      for new in rest[..<(same ?? rest.startIndex)] { write("+", new, .payload, to: &out) }
      if let same { rest = rest[(same + 1)...] } else { write("-", field, .error, to: &out) }
    }
    for new in rest { write("+", new, .payload, to: &out) }
    out.write("\n")
  }

  private typealias Field = (label: String, value: String)

  private func write(_ sign: String, _ field: Field, _ style: Terminal.Style, to out: inout Output) {
    let lead = "  \(sign) \(field.label)".padded(to: 22, gap: 1)
    terminal.write(field.value, after: lead, margin: "".padded(to: 22), style, atMost: 4, to: &out)
  }

  private func fields(of bytes: Span<UInt8>, _ role: StreamRole?) -> [Field] {
    var fields: [Field] = []
    var position = 0
    while position < bytes.count, let role {
      let frame = catalog.frame(at: position, in: bytes, of: role)
      catalog.forEachMember(of: frame, in: bytes) { member in
        if member.kind == .item { fields.append(("item", String(member.id))) }
        fields.append(field(member, bytes.extracting(member.leaf.range)))
      }
      position = frame.end
    }
    return fields
  }

  private func field(_ member: Member, _ data: Span<UInt8>) -> Field {
    let field = catalog.field(of: member.leaf)
    switch member.kind {
    case .command: return ("command", String(data[0]))
    case .length, .cutLength:
      return (printable(catalog.lengthName(of: member.leaf)?.title ?? "length"), String(data.number))
    case .item: return ("item length", String(data.number))
    case .spare: return ("spare bytes", [UInt8](copying: data).hexDigits)
    case .value, .data, .cut:
      let values = member.kind == .value ? field.map { ValueText.strings(of: $0.content, data) } : nil
      let label = field.map { printable($0.name.title) } ?? "data"
      return (label, values?.joined(separator: "  ") ?? [UInt8](copying: data).hexDigits)
    }
  }
}
