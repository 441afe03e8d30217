import APNSDiagnosis
import APNSQuery
import APNSWire
import ArgumentParser

/// Options for the edition and the rules.
struct RuleOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Check against Apple's guide of this year (default: \(Edition.standard.rawValue), or the environment variable "
        + "\(RuleOptions.variable)).",
      valueName: "year"))
  var edition: Edition?

  @Option(
    name: .customLong("rule"), help: ArgumentHelp("Check only this rule; repeatable.", valueName: "id"),
    completion: .list(Rules.all.map(\.id)))
  var only: [String] = []

  @Option(
    help: ArgumentHelp("Don't check this rule; repeatable.", valueName: "id"),
    completion: .list(Rules.all.map(\.id)))
  var ignore: [String] = []

  @Option(
    name: .customLong("severity"),
    help: ArgumentHelp(
      "Override a rule's severity: note, warning, error or off; repeatable.", valueName: "rule=level"),
    completion: .list(Rules.all.flatMap { rule in RuleOptions.levels.map { "\(rule.id)=\($0)" } }))
  var severities: [String] = []

  private static let variable = "APNSCOPE_EDITION"
  private static let levels = Finding.Severity.allCases.map(\.rawValue) + ["off"]

  func policy() throws(Failure) -> RulePolicy {
    var policy = RulePolicy(edition: try judgedBy())
    for rule in only { policy.only.insert(try known(rule, "--rule")) }
    for rule in ignore { policy.ignored.insert(try known(rule, "--ignore")) }
    for text in severities {
      let halves = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard halves.count == 2 else {
        throw .usage("--severity \(text): write a rule and its severity, such as truncated=warning")
      }
      let rule = try known(halves[0], "--severity")
      guard RuleOptions.levels.contains(halves[1]) else {
        let levels = RuleOptions.levels.joined(separator: ", ")
        throw .usage(
          "--severity \(text): the severity must be one of \(levels)\(suggestion(halves[1], RuleOptions.levels))")
      }
      // If a rule has several overrides, the last one applies.
      policy.severities[rule] = Finding.Severity(rawValue: halves[1])
      if policy.severities[rule] == nil {
        policy.ignored.insert(rule)
      } else if !ignore.contains(rule) {
        policy.ignored.remove(rule)
      }
    }
    return policy
  }

  private func judgedBy() throws(Failure) -> Edition {
    if let edition { return edition }
    guard let text = environment(RuleOptions.variable), !text.isEmpty else { return .standard }
    guard let edition = Edition(argument: text) else {
      throw .usage(
        "\(RuleOptions.variable) is \"\(text)\"; it must be one of \(Edition.allValueStrings.joined(separator: ", "))")
    }
    return edition
  }

  private func known(_ rule: String, _ option: String) throws(Failure) -> String {
    guard Rules[rule] == nil else { return rule }
    throw .usage("\(option) \(rule): unknown rule\(suggestion(rule, Rules.all.map(\.id)))")
  }

  /// The same options as command line words.
  var flags: [String] {
    (edition.map { ["--edition", String($0.rawValue)] } ?? []) + only.flatMap { ["--rule", $0] }
      + ignore.flatMap { ["--ignore", $0] } + severities.flatMap { ["--severity", $0] }
  }
}
