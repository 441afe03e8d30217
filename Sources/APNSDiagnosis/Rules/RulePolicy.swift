import APNSWire

/// The user's choices about rules: the edition to apply, and which findings to report. Rules are named by ``Rule/id``.
public struct RulePolicy: Sendable {
  /// The edition of Apple's guide to apply.
  public var edition: Edition
  /// If not empty, only these rules are reported.
  public var only: Set<String>
  /// These rules are not reported.
  package var ignored: Set<String>
  /// Severities that override the rules' own.
  package var severities: [String: Finding.Severity]
  /// Whether findings have no message and fix, for callers that only compare them.
  package var omitsMessages = false

  /// Creates a policy that, by default, reports all rules of the standard edition with their own severities.
  public init(
    edition: Edition = .standard, only: Set<String> = [], ignored: Set<String> = [],
    severities: [String: Finding.Severity] = [:]
  ) {
    self.edition = edition
    self.only = only
    self.ignored = ignored
    self.severities = severities
  }

  /// The severity after the user's overrides; nil if the rule is off.
  package func severity(of rule: Rule, _ severity: Finding.Severity) -> Finding.Severity? {
    guard only.isEmpty || only.contains(rule.id), !ignored.contains(rule.id) else { return nil }
    return severities[rule.id] ?? severity
  }
}
