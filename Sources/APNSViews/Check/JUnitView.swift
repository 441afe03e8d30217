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
    let numbers = "tests=\"\(cases.count)\" failures=\"\(found.count)\" errors=\"0\" time=\"0\""
    out.write("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites \(numbers)>\n")
    out.write("  <testsuite name=\"apnscope check\" \(numbers) skipped=\"0\">\n")
    for name in cases {
      out.write("    <testcase classname=\"apnscope\" name=\"")
      out.markup(name)
      out.write("\" time=\"0\"")
      guard let groups = found[name] else {
        out.write("/>\n")
        continue
      }
      out.write(">\n")
      write(groups, to: &out)
      out.write("    </testcase>\n")
    }
    out.write("  </testsuite>\n</testsuites>\n")
  }

  /// Writes one failure for a rule, even if its findings differ in severity.
  private func write(_ groups: [FindingFold.Group], to out: inout Output) {
    let count = groups.reduce(0) { $0 + $1.count }
    let message = groups[0].first.message + (count > 1 ? " (\(count) times)" : "")
    out.write("      <failure type=\"\(groups[0].severity.rawValue)\" message=\"")
    out.markup(message)
    out.write("\">")
    for group in groups {
      for entry in [group.first] + group.more {
        let file =
          inputs.count > 1 || fileName(inputs.first ?? "-") != nil ? inputName(entry.location.input, inputs) : ""
        line("\(file)\(file.isEmpty ? "" : " ")\(entry.location.text): \(entry.message)", to: &out)
      }
      let rest = group.count - 1 - group.more.count
      if rest > 0 { out.write("and \(rest) more\n") }
      line("fix: \(group.fix)", to: &out)
      if let answer = group.answer { line("answer: \(answer.sentence)", to: &out) }
    }
    out.write("</failure>\n")
  }

  private func line(_ text: String, to out: inout Output) {
    out.markup(text)
    out.write("\n")
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
