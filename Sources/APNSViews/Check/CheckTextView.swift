import APNSDiagnosis
import APNSWire
import Octets

/// Writes the report of `check` for people: for each rule the first finding, its fix, the reply of the service, and the
/// other records with such findings.
public struct CheckTextView: View {
  public static var recordsOfEachRule: Int? { 1 + mostOthers }

  private let terminal: Terminal
  private let inputs: [String]
  private var fold: FindingFold

  /// Records listed for a rule after its first finding.
  private static let mostOthers = 6
  /// Longer lines are hard to read, even on wide terminals.
  private static let widest = 120

  /// Writes at most 120 columns.
  public init(_ catalog: Catalog, terminal: Terminal = Terminal(), inputs: [String] = []) {
    self.terminal = Terminal(width: min(terminal.width, Self.widest), isColored: terminal.isColored)
    self.inputs = inputs
    fold = FindingFold(catalog, most: Self.mostOthers)
  }

  public mutating func show(_ record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
    fold.add(record, bytes, oncePerFrame: true)
  }

  public mutating func count(_ findings: CountedFrames.Findings) { fold.count(findings) }

  public func finish(to out: inout Output) {
    for (index, group) in fold.inOrder.enumerated() {
      if index > 0 { out.write("\n") }
      writeHead(of: group, to: &out)
      terminal.write(group.finding.message, indent: 2, to: &out)
      let first = group.entries[0]
      let file = inputs.count > 1 ? inputName(first.input, inputs) + " " : ""
      for (label, text) in [("where", file + first.place)] + group.finding.details {
        terminal.write(text, label: "\(label):", indent: Self.column, to: &out)
      }
      if group.frames > 1 { terminal.write(others(of: group), label: "also:", indent: Self.column, to: &out) }
    }
  }

  private func writeHead(of group: FindingFold.Group, to out: inout Output) {
    let finding = group.finding
    out.write(
      terminal.paint(finding.severity.rawValue, .of(finding.severity)) + " " + terminal.paint(finding.rule, .title))
    if group.count > 1 {
      let frames = group.frames == group.count ? "" : " in \(plural(group.frames, "record"))"
      out.write(terminal.paint("  \(group.count) times\(frames)", .dim))
    }
    out.write("\n")
  }

  /// Where text begins after its label.
  private static let column = 10

  /// `#12, #40, stream 2 #3 and 91 more`: the file or the stream precedes its first record.
  private func others(of group: FindingFold.Group) -> String {
    let records = zip(group.entries, group.entries.dropFirst()).map { last, next in
      let input = inputs.count > 1 && next.input != last.input ? inputName(next.input, inputs) + " " : ""
      let isSame = next.input == last.input && next.stream == last.stream
      return input + (isSame ? "" : next.stream.map { "stream \($0) " } ?? "") + "#\(next.number)"
    }
    let rest = group.frames - 1 - records.count
    return records.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }
}
