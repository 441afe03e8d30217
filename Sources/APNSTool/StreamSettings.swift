import APNSDiagnosis

/// How streams are read and judged.
package struct StreamSettings {
  package var roles: RolePolicy
  /// A length is overruled if valid frames start inside it.
  package var recovers: Bool
  package var rules: RulePolicy
  /// The options that give the same settings, for commands that can be pasted.
  package var flags: [String]

  package init(
    roles: RolePolicy = RolePolicy(), recovers: Bool = true, rules: RulePolicy = RulePolicy(), flags: [String] = []
  ) {
    self.roles = roles
    self.recovers = recovers
    self.rules = rules
    self.flags = flags
  }

  func dissector<Records: RecordSink & ~Copyable>(
    counting: Counting? = nil, into records: consuming Records
  ) -> Dissector<Records> {
    Dissector(protocolDefinitions, policy: roles, rules: rules, recovers: recovers, counting: counting, into: records)
  }
}
