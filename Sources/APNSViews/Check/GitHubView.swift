import APNSDiagnosis
import APNSWire

/// Writes the report of `check -T github`: workflow commands, which GitHub Actions turns into annotations. At most ten
/// for each rule, then the number of further findings.
public struct GitHubView: View {
  public static var recordsOfEachRule: Int? { .max }

  private let catalog: Catalog
  private let inputs: [String]
  /// In the order of their first findings.
  private var rules: [(id: String, severity: Finding.Severity, count: Int)] = []

  private static let most = 10

  /// A report without findings yet.
  public init(_ catalog: Catalog, inputs: [String]) {
    (self.catalog, self.inputs) = (catalog, inputs)
  }

  public mutating func show(_ record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
    for finding in record.findings {
      let index = rules.firstIndex { $0.id == finding.rule } ?? rules.endIndex
      if index == rules.endIndex { rules.append((finding.rule, finding.severity, 0)) }
      rules[index].severity = max(rules[index].severity, finding.severity)
      rules[index].count += 1
      if rules[index].count <= Self.most { write(finding, record, bytes, to: &out) }
    }
  }

  public mutating func finish(to out: inout Output) {
    for (rule, severity, count) in rules where count > Self.most {
      out.write("::\(severity.command) title=\(property(rule))::and \(count - Self.most) more of \(escaped(rule))\n")
    }
  }

  private func write(_ finding: Finding, _ record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
    var properties: [String] = []
    if inputs.indices.contains(record.input), let file = fileName(inputs[record.input]) {
      properties.append("file=\(property(file))")
      if let position = record.position(of: finding) {
        properties += ["line=\(position.line)", "col=\(position.column)"]
      }
    }
    properties.append("title=\(property(finding.rule))")
    let place = record.place(of: finding, identifier: record.number(.identifier, in: bytes, catalog))
    let text = "\(place): \(finding.line)"
    out.write("::\(finding.severity.command) \(properties.joined(separator: ","))::\(escaped(text))\n")
  }

  private func property(_ text: String) -> String { escaped(text, "%\r\n:,") }

  /// Escapes the characters that the runner unescapes, and makes all others safe on a terminal.
  private func escaped(_ text: String, _ special: String = "%\r\n") -> String {
    printable(text.percentEncoded { special.utf8.contains($0) })
  }
}

/// The name of an input; nil if it is standard input or bytes on the command line.
func fileName(_ input: String) -> String? { input == "-" || input == "--hex" ? nil : input }

extension Finding.Severity {
  fileprivate var command: String { self == .note ? "notice" : rawValue }
}
