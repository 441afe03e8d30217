/// THE registry of what can be found. A new rule is a row in its family's file; a new family is one file and one line
/// here.
public enum Rules {
  /// In the order of their checks: of several findings at one byte, the first is the one to look at.
  static let families: [RuleFamily] = [
    structureRules,
    sizeRules,
    tokenRules,
    jsonRules,
    textRules,
    apsRules,
    payloadKeyRules,
    expiryRules,
    priorityRules,
    identifierRules,
    errorResponseRules,
    feedbackRules,
  ]

  /// Rules that both sides of a connection, or several connections, show.
  public static let ofConnections = connectionRules

  /// Every rule, by family.
  public static let all: [Rule] = families.flatMap(\.rules) + streamRules

  public static subscript(id: String) -> Rule? { byID[id] }

  private static let byID = Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0) })
}

/// Rules that look at the same values, and so share one check.
struct RuleFamily: Sendable {
  let rules: [Rule]
  /// Looks at one frame, and reports what breaks its rules. It runs for every frame: what is cheap to exclude comes
  /// first, and words are made only for a finding.
  let check:
    @Sendable (
      _ facts: borrowing FrameFacts, _ bytes: Span<UInt8>, _ memory: inout StreamMemory, _ report: inout Report
    ) -> Void

  init(
    _ rules: [Rule],
    check:
      @escaping @Sendable (
        _ facts: borrowing FrameFacts, _ bytes: Span<UInt8>, _ memory: inout StreamMemory, _ report: inout Report
      ) -> Void
  ) {
    self.rules = rules
    self.check = check
  }
}
