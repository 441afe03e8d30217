import APNSWire
import Octets

/// Collects the findings about one record. It drops those that the user's policy mutes.
public struct Report {
  private(set) var findings: [Finding] = []
  let edition: Edition
  /// The user's choices; nil if the user chose only an edition.
  private let policy: RulePolicy?
  private let omitsMessages: Bool
  /// The record's offset in the stream.
  private let base: Int
  /// How the gateway replies to the record; nil if the gateway does not read it.
  private let replies: ReplyPolicy?
  /// If set, findings are counted without composing messages, until one was not reported often enough.
  private let counting: Counting?
  /// The storage is reused for the next frame.
  var counted = CountedFrames()
  /// Whether all findings so far could be counted.
  private(set) var areCounted = true
  private var count = 0
  private var unlisted = 0
  private var worstUnlisted = Finding.Severity.note

  /// The maximum number of findings for one frame. In noise, every third byte could have one.
  private static let most = 100

  init(_ policy: RulePolicy, at base: Int, replies: ReplyPolicy? = nil, counting: Counting? = nil) {
    edition = policy.edition
    self.policy = policy.hasDefaults ? nil : policy
    omitsMessages = policy.omitsMessages
    self.counting = counting
    self.base = base
    self.replies = replies
  }

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
    var effective = severity ?? rule.severity
    if let policy {
      guard let chosen = policy.severity(of: rule, effective) else { return }
      effective = chosen
    }
    guard count < Self.most else {
      unlisted += 1
      worstUnlisted = max(worstUnlisted, effective)
      return
    }
    count += 1
    if let counting { return addCounted(rule.id, effective, by: counting) }
    let refusal = isRefused ? refusal ?? rule.refusals.first : nil
    let answer = refusal.flatMap { replies?.reply(to: $0) }
    findings.append(
      Finding(
        rule.id, effective, (range.lowerBound + base)..<(range.upperBound + base), omitsMessages ? "" : message(),
        fix: omitsMessages ? "" : fix() ?? rule.fix, answer: answer))
  }

  private mutating func addCounted(_ rule: String, _ severity: Finding.Severity, by counting: Counting) {
    if counting.isEnough(of: rule, severity) { counted.add(rule, severity) } else { areCounted = false }
  }

  /// Sorts the findings by their start. At the same start, findings keep the order of the checks, so that the most
  /// relevant one is first.
  mutating func close(at end: Int) {
    if findings.count > 1 {
      findings = findings.enumerated()
        .sorted { ($0.1.range.lowerBound, $0.0) < ($1.1.range.lowerBound, $1.0) }.map(\.1)
    }
    // If the user selects a single rule, the number of its unlisted findings is still reported.
    guard unlisted > 0, policy.map({ !$0.ignored.contains(Rule.moreFaults.id) }) ?? true else { return }
    let severity = policy?.severities[Rule.moreFaults.id] ?? min(Rule.moreFaults.severity, worstUnlisted)
    if let counting { return addCounted(Rule.moreFaults.id, severity, by: counting) }
    findings.append(
      Finding(
        Rule.moreFaults.id, severity, (end + base)..<(end + base),
        "\(plural(unlisted, "more fault")) in this frame \(unlisted == 1 ? "is" : "are") not listed",
        fix: Rule.moreFaults.fix))
  }
}
