/// THE registry of what can be found. A new rule is a row in its family's file; a new family is one file and one line
/// here.
public enum Rules {
  /// In the order of their checks: of several findings at one byte, the first is the one to look at.
  public static let families: [RuleFamily] = [
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
public struct RuleFamily: Sendable {
  public let rules: [Rule]
  /// All that its judgement depends on.
  let dependence: Dependence
  let check: Check

  /// Looks at one frame, and reports what breaks its rules. It runs for every frame: what is cheap to exclude comes
  /// first, and words are made only for a finding.
  /// - Parameter bytes: those of the frame. All offsets count from its first byte.
  public typealias Check =
    @Sendable (_ facts: borrowing FrameFacts, _ bytes: Span<UInt8>, _ report: inout Report) -> Void

  /// A family that does not say what it depends on may depend on everything: judgements are not remembered then, and
  /// every frame is judged anew.
  public init(_ rules: [Rule], dependsOn dependence: Dependence = .everything, check: @escaping Check) {
    self.rules = rules
    self.dependence = dependence
    self.check = check
  }

  public struct Dependence: OptionSet, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The frame type, which items there are and in which order, priority, and the payload's text between its values.
    public static let form = Dependence(rawValue: 1)
    /// The values of the frame, each as one that is ordinary by its own rule, or not.
    public static let token = Dependence(rawValue: 2)
    public static let identifier = Dependence(rawValue: 4)
    public static let expiry = Dependence(rawValue: 8)
    public static let payloadSize = Dependence(rawValue: 16)
    /// What is only so where the frame is not whole, or the payload no JSON.
    public static let damage = Dependence(rawValue: 32)
    public static let everything = Dependence(rawValue: 255)

    /// What ``FormJudge`` looks at.
    static let values: Dependence = [.form, .token, .identifier, .expiry, .payloadSize, .damage]
  }
}
