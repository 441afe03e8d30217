import APNSDiagnosis

extension Mutations {
  /// The rules that no mutator breaks, by rule id, each with the reason.
  public static let rulesWithoutMutator: [String: String] = {
    var reasons = [
      Rule.missingBytes.id: "only a capture can be missing bytes",
      Rule.overlappingBytes.id: "only packets can carry two values for one offset",
      Rule.noFrameFound.id: "it is found only after bytes that are missing from a capture",
      Rule.senderFault.id: "it is reported only for bugs that break no other rule, and no mutator makes one",
    ]
    for rule in Rules.ofConnections {
      reasons[rule.id] = "it needs both streams of a connection, and a case is one stream"
    }
    return reasons
  }()
}
