import APNSDiagnosis
import APNSQuery
import APNSWire
import ArgumentParser

/// The edition whose rules apply.
struct EditionOption: ParsableArguments {
  @Option(
    "--edition <year>", "Apple's guide to check against (default: \(Edition.standard.rawValue), or \(Self.variable)).")
  var edition: Edition?

  private static let variable = "APNSCOPE_EDITION"

  /// The edition of a command without the option; nil if the environment names an unknown one.
  static var usual: Edition? {
    guard let text = environment(variable), !text.isEmpty else { return .standard }
    return Edition(argument: text)
  }

  func policy() throws(Failure) -> RulePolicy {
    guard let edition = edition ?? Self.usual else {
      throw .usage(
        "\(Self.variable) is \"\(environment(Self.variable) ?? "")\"; it must be one of "
          + Edition.allValueStrings.joined(separator: ", "))
    }
    return RulePolicy(edition: edition)
  }
}

struct RuleOptions: ParsableArguments {
  @OptionGroup var edition: EditionOption

  @Option("--rule <id>", "Check only this rule; repeatable.", rare: true, completion: .names(Rules.all.map(\.id)))
  var only: [String] = []

  @Option("--ignore <rule>", "Don't check this rule; repeatable.", completion: .names(Rules.all.map(\.id)))
  var ignore: [String] = []

  @Option(
    "--severity <rule=level>", "Override a rule's severity: note, warning, error or off; repeatable.", rare: true,
    completion: .names(Rules.all.flatMap { rule in RuleOptions.levels.map { "\(rule.id)=\($0)" } }))
  var severities: [String] = []

  private static let levels = Finding.Severity.allCases.map(\.rawValue) + ["off"]

  func policy() throws(Failure) -> RulePolicy {
    var policy = try edition.policy()
    for rule in only { policy.only.insert(try known(rule, "--rule")) }
    for rule in ignore { policy.ignored.insert(try known(rule, "--ignore")) }
    for text in severities {
      guard let given = Assignment(text) else {
        throw .usage("--severity \(text): write a rule and its severity, such as truncated=warning")
      }
      let rule = try known(given.name, "--severity")
      let level = try known(given.value, "--severity", "level", among: Self.levels)
      // If a rule has several overrides, the last one applies.
      policy.severities[rule] = Finding.Severity(rawValue: level)
      if policy.severities[rule] == nil {
        policy.ignored.insert(rule)
      } else if !ignore.contains(rule) {
        policy.ignored.remove(rule)
      }
    }
    return policy
  }
}

/// The value of an option if it is one of these names, by default those of the rules.
@discardableResult
func known(
  _ name: String, _ option: String, _ noun: String = "rule", among names: [String] = Rules.all.map(\.id)
) throws(Failure) -> String {
  if names.contains(name) { return name }
  let all = names.count > 20 ? "see apnscope explain --list" : "the \(noun)s are \(names.joined(separator: ", "))"
  let near = suggestion(name, names)
  throw .usage("\(option) \(name): unknown \(noun)\(near.isEmpty ? "; " + all : near)")
}
