import APNSDiagnosis

extension Mutations {
  /// The rules that no mutator breaks, by rule id, each with the reason.
  public static let rulesWithoutMutator: [String: String] = {
    var reasons = [
      Rule.ID.missingBytes.rawValue: "only a capture can be missing bytes",
      Rule.ID.overlappingBytes.rawValue: "only packets can carry two values for one offset",
      Rule.ID.noFrameFound.rawValue: "it is found only after bytes that are missing from a capture",
      Rule.ID.senderFault.rawValue: "it is reported only for bugs that break no other rule, and no mutator makes one",
    ]
    for rule in Rules.ofConnections {
      reasons[rule.id] = "it needs both streams of a connection, and a case is one stream"
    }
    return reasons
  }()
}
