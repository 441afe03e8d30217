import APNSDiagnosis
import APNSWire
import Octets

/// Writes the report of `check -T junit`: each input is a test case, which fails if there are findings in it. An input
/// that cannot be read is an error.
///
/// The report is written at the end, since its counts precede the cases. It lists a bounded number of findings for each
/// rule in an input.
public struct JUnitView: View {
  public static var recordsOfEachRule: Int? { .max }
  public static var saysUnread: Bool { true }

  private let inputs: [String]
  private let catalog: Catalog
  /// By the number of the input.
  private var folds: [Int: FindingFold] = [:]
  /// Why inputs could not be read, by number.
  private var unread: [Int: String] = [:]

  /// A report without findings yet.
  public init(_ catalog: Catalog, inputs: [String]) {
    (self.catalog, self.inputs) = (catalog, inputs)
  }

  public mutating func show(_ record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
    guard !record.findings.isEmpty else { return }
    folds[record.input, default: FindingFold(catalog, most: 9)].add(record, bytes, oncePerFrame: false)
  }

  public mutating func note(unread input: Int, _ reason: String) { unread[input] = reason }

  public mutating func finish(to out: inout Output) {
    var document = JUnitDocument(suite: "apnscope check")
    for number in Set(inputs.indices).union(folds.keys).sorted() {
      let file = inputs.indices.contains(number) ? fileName(inputs[number]) : nil
      document.add(inputName(number, inputs), result(folds[number]?.inOrder ?? [], unread[number]), file: file)
    }
    document.write(to: &out)
  }

  /// One failure for all findings in an input, since most dashboards show only the first failure of a test case.
  private func result(_ groups: [FindingFold.Group], _ unread: String?) -> JUnitDocument.Result {
    let text = groups.enumerated().flatMap { ($0 == 0 ? [] : [""]) + lines(of: $1) }
    if let unread { return .error(type: "unreadable", message: unread, lines: text) }
    guard let first = groups.first else { return .passed }
    var rules: [String] = []
    for group in groups where !rules.contains(group.finding.rule) { rules.append(group.finding.rule) }
    let others = groups.reduce(-1) { $0 + $1.count }
    return .failed(
      type: rules.joined(separator: ", "),
      message: first.finding.message + (others > 0 ? " (and \(plural(others, "more finding")))" : ""), lines: text)
  }

  /// The findings of one rule, then what they have in common.
  private func lines(of group: FindingFold.Group) -> [String] {
    var lines = ["\(group.finding.severity.rawValue) \(group.finding.rule)"]
    lines += group.entries.map { "\($0.place): \($0.message)" }
    let rest = group.count - group.entries.count
    if rest > 0 { lines.append("and \(rest) more") }
    return lines + group.finding.details.map { "\($0.label): \($0.text)" }
  }
}
