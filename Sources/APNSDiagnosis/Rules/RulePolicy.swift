import APNSWire

/// What a user asks of the rules: by which edition to judge, and what to hear of.
public struct RulePolicy: Sendable {
  public var edition: Edition
  /// Nothing but these, where it is not empty.
  public var only: Set<String>
  /// None of these.
  public var ignored: Set<String>
  /// Severities in place of the rules' own.
  public var severities: [String: Finding.Severity]

  public init(
    edition: Edition = .standard, only: Set<String> = [], ignored: Set<String> = [],
    severities: [String: Finding.Severity] = [:]
  ) {
    self.edition = edition
    self.only = only
    self.ignored = ignored
    self.severities = severities
  }

  /// What a finding weighs that a rule weighs so; nil where nobody wants to hear of it.
  func severity(of rule: Rule, _ severity: Finding.Severity) -> Finding.Severity? {
    guard only.isEmpty || only.contains(rule.id), !ignored.contains(rule.id) else { return nil }
    return severities[rule.id] ?? severity
  }

  /// It asks for nothing but an edition.
  var hasDefaults: Bool { only.isEmpty && ignored.isEmpty && severities.isEmpty }
}
