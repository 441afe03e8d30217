import APNSWire
import Octets

/// Findings about one record on their way out: those that nobody wants to hear of are dropped here.
public struct Report {
  private(set) var findings: [Finding] = []
  let edition: Edition
  /// Nil where the user asks for nothing but an edition.
  private let policy: RulePolicy?
  /// What offsets of the record count from, in the stream.
  private let base: Int
  /// How the gateway replies to the record; nil if it is not the one that reads it.
  private let replies: ReplyPolicy?
  /// With it, findings are counted without making sentences, until one comes that not enough were reported of.
  private let reported: ReportedFindings?
  /// Storage is kept from frame to frame.
  var counted: [CountedFinding] = []
  /// All findings could be counted.
  private(set) var areCounted = true
  private var count = 0
  private var unlisted = 0
  private var worstUnlisted = Finding.Severity.note

  /// A frame of noise has a fault in every third byte. This many findings are enough for one frame.
  private static let most = 100

  init(_ policy: RulePolicy, at base: Int, replies: ReplyPolicy? = nil, counting reported: ReportedFindings? = nil) {
    edition = policy.edition
    self.policy = policy.hasDefaults ? nil : policy
    self.reported = reported
    self.base = base
    self.replies = replies
  }

  /// Reports what breaks a rule.
  /// - Parameters:
  ///   - severity: where it is not the rule's own.
  ///   - range: bytes at fault, counted from the record's first.
  ///   - refusal: why the gateway refuses this, if not for the rule's usual reason.
  ///   - message: what is wrong, a sentence without its place.
  ///   - fix: what to do, where it is not the rule's own fix.
  public mutating func add(
    _ rule: Rule, _ severity: Finding.Severity? = nil, at range: Range<Int>, refusal: Refusal? = nil,
    _ message: @autoclosure () -> String, fix: @autoclosure () -> String? = nil
  ) {
    guard rule.editions.contains(edition) else { return }
    // The rule's own severity decides: a user's override does not change what the gateway does.
    let isRefused = severity ?? rule.severity == .error
    var weight = severity ?? rule.severity
    if let policy {
      guard let chosen = policy.severity(of: rule, weight) else { return }
      weight = chosen
    }
    guard count < Self.most else {
      unlisted += 1
      worstUnlisted = max(worstUnlisted, weight)
      return
    }
    count += 1
    if let reported { return add(rule.id, weight, ifIn: reported) }
    let refusal = isRefused ? refusal ?? rule.refusals.first : nil
    let answer = refusal.flatMap { replies?.reply(to: $0) }
    findings.append(
      Finding(
        rule.id, weight, (range.lowerBound + base)..<(range.upperBound + base), message(),
        fix: fix() ?? rule.fix, answer: answer))
  }

  private mutating func add(_ rule: String, _ severity: Finding.Severity, ifIn reported: ReportedFindings) {
    if reported.areEnough(rule, severity) { counted.add(rule, severity) } else { areCounted = false }
  }

  /// Sorts by place, and at one place in the order of the checks: the first one is the one to look at.
  mutating func close(at end: Int) {
    if findings.count > 1 {
      findings = findings.enumerated()
        .sorted { ($0.1.range.lowerBound, $0.0) < ($1.1.range.lowerBound, $1.0) }.map(\.1)
    }
    // Whoever asks for one rule alone wants to know of the rest of its findings, too.
    guard unlisted > 0, policy.map({ !$0.ignored.contains(moreFaults.id) }) ?? true else { return }
    let severity = policy?.severities[moreFaults.id] ?? min(moreFaults.severity, worstUnlisted)
    if let reported { return add(moreFaults.id, severity, ifIn: reported) }
    findings.append(
      Finding(
        moreFaults.id, severity, (end + base)..<(end + base),
        "\(plural(unlisted, "more fault")) in this frame \(unlisted == 1 ? "is" : "are") not listed",
        fix: moreFaults.fix))
  }
}
