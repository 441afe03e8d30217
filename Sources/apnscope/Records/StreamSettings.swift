import APNSDiagnosis

/// Settings for reading and judging streams.
struct StreamSettings {
  var roles: RolePolicy
  /// Whether a length is overruled if valid frames start inside it.
  var recovers: Bool
  var rules: RulePolicy
  /// The options with the same effect, for commands that users can paste.
  var flags: [String]

  init(
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

extension RolePolicy.Service {
  /// The rule of `-d`, in tshark's syntax, by which a port is used for the service.
  func decodeRule(for port: UInt16) -> String { "tcp.port==\(port),\(rawValue)" }
}
