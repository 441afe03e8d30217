import APNSDiagnosis

extension Mutations {
  /// Rules that no change of bytes can break, each with the reason.
  public static let unbroken: [String: String] = {
    var reasons = [
      "missing-bytes": "only a capture can be missing bytes",
      "overlapping-bytes": "only packets can carry two values for one offset",
      "no-frame-found": "found after bytes that are missing from a capture",
      "sender-fault": "reported only for a bug that breaks no other rule, and none of them does so by its form",
    ]
    for rule in Rules.ofConnections { reasons[rule.id] = "a case is one stream, and only a connection shows it" }
    return reasons
  }()
}
