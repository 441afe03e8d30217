import APNSDiagnosis
import APNSWire

/// Writes the report of `check -T github`: workflow commands, which GitHub Actions turns into annotations. At most ten
/// for each rule, then the number of further findings.
public struct GitHubView: View {
  public static var showsEachAlone: Bool { false }
  public static var showsFaultless: Bool { false }

  private let catalog: Catalog
  private let inputs: [String]
  private var counts: [String: (severity: Finding.Severity, count: Int)] = [:]
  /// In the order of their first findings.
  private var rules: [String] = []

  private static let most = 10

  /// A report without findings yet.
  public init(_ catalog: Catalog, inputs: [String]) {
    (self.catalog, self.inputs) = (catalog, inputs)
  }

  public mutating func show(_ record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
    for finding in record.findings {
      let seen = counts[finding.rule]
      if seen == nil { rules.append(finding.rule) }
      counts[finding.rule] = (max(seen?.severity ?? .note, finding.severity), (seen?.count ?? 0) + 1)
      if seen?.count ?? 0 < Self.most { write(finding, record, bytes, to: &out) }
    }
  }

  public mutating func finish(to out: inout Output) {
    for rule in rules {
      guard let (severity, count) = counts[rule], count > Self.most else { continue }
      out.write("::\(severity.command) title=\(property(rule))::and \(count - Self.most) more of \(message(rule))\n")
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
    let text = "\(FindingLocation(of: finding, in: record, bytes, catalog).text): \(finding.line)"
    out.write("::\(finding.severity.command) \(properties.joined(separator: ","))::\(message(text))\n")
  }

  private func message(_ text: String) -> String { escaped(text, in: "") }

  private func property(_ text: String) -> String { escaped(text, in: ":,") }

  /// Escapes the characters that the runner unescapes, and makes all others safe on a terminal.
  private func escaped(_ text: String, in special: String) -> String {
    var safe = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "%": safe += "%25"
      case "\r": safe += "%0D"
      case "\n": safe += "%0A"
      case ":" where special.contains(":"): safe += "%3A"
      case "," where special.contains(","): safe += "%2C"
      default: safe += printable(String(scalar))
      }
    }
    return safe
  }
}

/// The name of an input; nil if it is standard input or bytes on the command line.
func fileName(_ input: String) -> String? { input == "-" || input == "--hex" ? nil : input }

extension Finding.Severity {
  fileprivate var command: String {
    switch self {
    case .error: "error"
    case .warning: "warning"
    case .note: "notice"
    }
  }
}
