import APNSWire
import Octets

/// Collects the findings about one record. It drops those that the user's policy mutes.
public struct Report {
  private(set) var findings: [Finding] = []
  private var policy: RulePolicy
  /// The record's offset in the stream.
  private let base: Int
  /// How the gateway replies to the record; nil if the gateway does not read it.
  private let replies: ReplyPolicy?
  private var unlisted = 0
  private var worstUnlisted = Finding.Severity.note

  /// The maximum number of findings for one frame. In noise, every third byte could have one.
  private static let most = 100

  init(_ policy: RulePolicy, at base: Int, replies: ReplyPolicy? = nil, omitsMessages: Bool = false) {
    self.policy = policy
    if omitsMessages { self.policy.omitsMessages = true }
    self.base = base
    self.replies = replies
  }

  var edition: Edition { policy.edition }

  /// Reports a violation of a rule.
  ///
  /// - Parameters:
  ///   - rule: the rule that is broken, one of the family's.
  ///   - severity: the severity if it differs from the rule's own.
  ///   - range: the bytes at fault, as offsets in the record.
  ///   - refusal: why the gateway refuses the frame, if it differs from the rule's first refusal.
  ///   - message: what is wrong, as a sentence without its offset.
  ///   - fix: what to do, if it differs from the rule's own fix.
  public mutating func add(
    _ rule: Rule, _ severity: Finding.Severity? = nil, at range: Range<Int>, refusal: Refusal? = nil,
    _ message: @autoclosure () -> String, fix: @autoclosure () -> String? = nil
  ) {
    guard rule.editions.contains(edition) else { return }
    // The gateway's reply depends on the rule's severity, not on the user's override.
    let isRefused = severity ?? rule.severity == .error
    guard let effective = policy.severity(of: rule, severity ?? rule.severity) else { return }
    guard findings.count < Self.most else {
      unlisted += 1
      worstUnlisted = max(worstUnlisted, effective)
      return
    }
    let refusal = isRefused ? refusal ?? rule.refusals.first : nil
    let answer = refusal.flatMap { replies?.reply(to: $0) }
    findings.append(
      Finding(
        rule.id, effective, (range.lowerBound + base)..<(range.upperBound + base),
        policy.omitsMessages ? "" : message(), fix: policy.omitsMessages ? "" : fix() ?? rule.fix, answer: answer))
  }

  /// Sorts the findings by their start. Sorting is stable: at the same start, findings keep the order of the checks, so
  /// that the most relevant one is first.
  mutating func close(at end: Int) {
    findings.sort { $0.range.lowerBound < $1.range.lowerBound }
    // If the user selects a single rule, the number of its unlisted findings is still reported.
    guard unlisted > 0, !policy.ignored.contains(Rule.moreFaults.id) else { return }
    let severity = policy.severities[Rule.moreFaults.id] ?? min(Rule.moreFaults.severity, worstUnlisted)
    findings.append(
      Finding(
        Rule.moreFaults.id, severity, (end + base)..<(end + base),
        "\(plural(unlisted, "more fault")) in this frame \(unlisted == 1 ? "is" : "are") not listed",
        fix: Rule.moreFaults.fix))
  }
}
