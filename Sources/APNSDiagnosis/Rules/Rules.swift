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

  static func all(in families: [RuleFamily]) -> [Rule] { families.flatMap(\.rules) + streamRules }

  /// The rule with this ``Rule/id``; nil if there is none.
  package static subscript(id: String) -> Rule? { all.first { $0.id == id } }
}

/// Rules that inspect the same values and therefore share one check.
public struct RuleFamily: Sendable {
  /// The rules of the family.
  public let rules: [Rule]
  /// What the result of the check depends on.
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

  /// What determines the result of a check.
  public enum Dependence: Sendable {
    /// The form of a frame: its type, its items and their order, its priority, and the payload's text between its
    /// values. Results are remembered for frames of a form with an ordinary token, identifier, expiry and size of the
    /// payload. Frames with another value and damaged frames are always checked.
    case form
    /// Everything, including earlier frames and the time.
    case everything
  }
}
