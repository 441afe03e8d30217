import APNSDiagnosis
import APNSWire

/// Writes the report of `check -T junit`: each checked rule is a test case, which fails if there are findings.
///
/// The report is written at the end, since its counts precede the cases. It lists a bounded number of findings per
/// rule.
public struct JUnitView: View {
  public static var showsFaultless: Bool { false }

  private let rules: [Rule]
  private let inputs: [String]
  private var fold: FindingFold

  /// - Parameters:
  ///   - catalog: the frame types that the records were decoded with.
  ///   - rules: the rules that are checked.
  ///   - inputs: the names of the inputs, by number.
  public init(_ catalog: Catalog, rules: [Rule], inputs: [String]) {
    self.rules = rules
    self.inputs = inputs
    fold = FindingFold(catalog, most: 20)
  }

  public mutating func show(_ record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
    if !record.findings.isEmpty { fold.add(record, bytes, oncePerFrame: false) }
  }

  public mutating func finish(to out: inout Output) {
    let groups = fold.inOrder
    var found: [String: [FindingFold.Group]] = [:]
    for group in groups { found[group.rule, default: []].append(group) }
    let names = rules.map(\.id) + groups.map(\.rule).filter { rule in !rules.contains { $0.id == rule } }
    var cases: [String] = []
    for name in names where !cases.contains(name) { cases.append(name) }
    var document = JUnitDocument(suite: "apnscope check")
    for name in cases { document.add(name, found[name].map(failure) ?? .passed) }
    document.write(to: &out)
  }

  /// One failure for a rule, even if its findings differ in severity.
  private func failure(_ groups: [FindingFold.Group]) -> JUnitDocument.Result {
    let count = groups.reduce(0) { $0 + $1.count }
    var lines: [String] = []
    for group in groups {
      for entry in [group.first] + group.more {
        let file =
          inputs.count > 1 || fileName(inputs.first ?? "-") != nil ? inputName(entry.location.input, inputs) : ""
        lines.append("\(file)\(file.isEmpty ? "" : " ")\(entry.location.text): \(entry.message)")
      }
      let rest = group.count - 1 - group.more.count
      if rest > 0 { lines.append("and \(rest) more") }
      lines.append("fix: \(group.fix)")
      if let answer = group.answer { lines.append("answer: \(answer.sentence)") }
    }
    return .failed(
      type: groups[0].severity.rawValue, message: groups[0].first.message + (count > 1 ? " (\(count) times)" : ""),
      lines: lines)
  }
}

extension RulePolicy {
  /// The rules that are checked and have at least this severity.
  public func rules(from least: Finding.Severity) -> [Rule] {
    Rules.all.filter { rule in
      (only.isEmpty || only.contains(rule.id)) && !ignored.contains(rule.id)
        && severities[rule.id] ?? rule.severity >= least
    }
  }
}
