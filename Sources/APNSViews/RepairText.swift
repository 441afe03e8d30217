import APNSDiagnosis
import APNSWire

/// Writes what a repair changes in a record, as `diff` shows two records.
package struct RepairText {
  private let comparison: Comparison
  private let text: DifferenceText
  private let terminal: Terminal

  /// A writer for records of this catalog.
  package init(_ catalog: Catalog, terminal: Terminal) {
    (comparison, self.terminal) = (Comparison(catalog), terminal)
    text = DifferenceText(catalog, terminal: terminal, a: "", b: "")
  }

  /// Writes the cause, and the fields that differ. `repaired`: the bytes that replace those of the record.
  package func write(
    _ record: Record, _ bytes: Span<UInt8>, _ cause: Cause, repaired: Span<UInt8>, to out: inout Output
  ) {
    var title = terminal.paint("#\(record.number)", .dim) + "  " + terminal.paint(cause.id, .title)
    title += "  at 0x" + String(record.offset, radix: 16)
    if let first = record.packets.first { title += terminal.paint("  packet \(first.number)", .dim) }
    if let first = record.positions.first { title += terminal.paint("  " + first.text, .dim) }
    out.write(title + "\n")
    terminal.write(cause.evidence, indent: 2, to: &out)
    text.write(comparison.differences(bytes, repaired, from: record.role), to: &out)
    out.write("\n")
  }
}
