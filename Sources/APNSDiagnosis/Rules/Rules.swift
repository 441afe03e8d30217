/// The registry of rules, collected from the families. To add a rule, write a row in the file of its family and name it
/// in the family's list. To add a family, write a file and add a line here.
public enum Rules {
  /// All families, in the order in which they are checked. If several findings refer to one byte, the first is the most
  /// relevant.
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

  /// Every rule, by family.
  public static let all = all(in: families)

  /// The rules of these families, and those about streams.
  static func all(in families: [RuleFamily]) -> [Rule] { families.flatMap(\.rules) + streamRules }

  /// The rule with this ``Rule/id``; nil if there is none.
  package static subscript(id: String) -> Rule? { byID[id] }

  private static let byID = Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0) })
}

/// Rules that inspect the same values and therefore share one check.
public struct RuleFamily: Sendable {
  /// The rules of the family.
  public let rules: [Rule]
  /// Everything that the result of the check depends on.
  let dependence: Dependence
  let check: Check

  /// Inspects one frame and reports violations of the family's rules. It runs for every frame, so it excludes common
  /// cases first and composes messages only for findings.
  ///
  /// - Parameters:
  ///   - facts: the frame and what is known about it.
  ///   - bytes: the bytes of the frame. All offsets count from its first byte.
  ///   - report: receives the findings.
  public typealias Check =
    @Sendable (_ facts: borrowing FrameFacts, _ bytes: Span<UInt8>, _ report: inout Report) -> Void

  /// Creates a family. By default its check may depend on everything. Results are then not remembered, and every frame
  /// is checked.
  public init(_ rules: [Rule], dependsOn dependence: Dependence = .everything, check: @escaping Check) {
    self.rules = rules
    self.dependence = dependence
    self.check = check
  }

  /// The properties of a frame that determine the result of a check. Results are remembered only for frames that agree
  /// in all of them.
  public struct Dependence: OptionSet, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The frame type, the items and their order, the priority, and the payload's text between its values.
    package static let form = Dependence(rawValue: 1)
    /// The token, or rather whether it is ordinary according to its rule.
    public static let token = Dependence(rawValue: 2)
    /// The identifier, or rather whether it is ordinary according to its rule.
    public static let identifier = Dependence(rawValue: 4)
    /// The expiry, or rather whether it is ordinary according to its rule.
    package static let expiry = Dependence(rawValue: 8)
    /// The size of the payload, or rather whether it is ordinary according to its rule.
    package static let payloadSize = Dependence(rawValue: 16)
    /// Damage that complete frames with a JSON payload do not have.
    package static let damage = Dependence(rawValue: 32)
    /// Everything, including earlier frames and the time.
    public static let everything = Dependence(rawValue: 255)

    /// The properties that ``FormJudge`` compares.
    static let values: Dependence = [.form, .token, .identifier, .expiry, .payloadSize, .damage]
  }
}
