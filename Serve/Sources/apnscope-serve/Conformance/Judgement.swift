import APNSDiagnosis
import APNSInput
import APNSServer
import APNSWire
import Octets

/// What the traffic of a scenario shows about a provider.
struct Judgement {
  /// What the provider did wrong.
  var problems: [Evidence] = []
  /// What is wrong unless the provider still does it.
  var missing: [Evidence] = []
  /// Why the traffic does not answer the question; nil if it does.
  var obstacle: String?
  /// What the provider did right.
  var facts: [Evidence] = []
  /// What limits the judgement.
  private var notes: [Evidence] = []
  /// Whether more traffic would not change the result.
  var isSettled = false

  enum Verdict: String {
    case passed, failed
    case notTested = "not tested"
  }

  var verdict: Verdict {
    if !problems.isEmpty || !missing.isEmpty { return .failed }
    return obstacle == nil ? .passed : .notTested
  }

  /// The evidence for the verdict, abridged.
  var evidence: [Evidence] {
    switch verdict {
    case .passed: facts + notes
    case .notTested: [obstacle].compactMap(\.self).map { Evidence($0) } + notes
    case .failed: Self.abridged(problems) + Self.abridged(missing) + notes
    }
  }

  /// What is equal is listed once, with its count.
  private static func abridged(_ all: [Evidence]) -> [Evidence] {
    var counts: [String: Int] = [:]
    let different = all.filter { evidence in
      counts[evidence.sentence, default: 0] += 1
      return counts[evidence.sentence] == 1
    }
    let shown = different.prefix(mostEvidence).map { evidence in
      let count = counts[evidence.sentence] ?? 1
      return count == 1 ? evidence : evidence.saying("\(evidence.message) (\(count) times)")
    }
    let rest = all.count - different.prefix(mostEvidence).reduce(0) { $0 + (counts[$1.sentence] ?? 1) }
    return shown + (rest > 0 ? [Evidence("and \(rest) more like this")] : [])
  }

  private static let mostEvidence = 5
  /// This many notifications are enough to judge a provider that sends without end.
  static let enough = 100
  /// This many notifications after an incident show that the provider goes on as before.
  static let enoughAfterwards = 20
  /// A provider should send at least this many, so that some are discarded.
  static let usefulCount = 10
  static let stepNumber = ConformanceScenario.stepNumber

  init() {}

  init(obstacle: String) { self.obstacle = obstacle }

  init(problem: Evidence) { problems = [problem] }

  /// Adds something that may explain why it did not pass.
  mutating func add(note: String) { notes.append(Evidence(note)) }

  /// Notes that the scenario was ended before the provider could do what is missing.
  mutating func cut(because reason: String) {
    if let first = missing.first, problems.isEmpty {
      obstacle = "\(reason) before this was done: \(first.sentence)"
      missing = []
    } else {
      notes.append(Evidence(reason))
    }
  }

  /// - Parameter least: The number of notifications that the scenario needs.
  init?(_ traffic: ProviderTraffic, without least: Int) {
    let count = traffic.notifications.count
    guard count < least else { return nil }
    if count > 0 {
      self.init(obstacle: "the provider sent \(plural(count, "notification")), and this needs at least \(least)")
    } else if traffic.connections.contains(where: \.isPush) {
      self.init(obstacle: "the provider connected to the push gateway, but sent no notification")
    } else {
      self.init(obstacle: "the provider did not connect to the push gateway")
    }
  }
}

extension ProviderTraffic {
  /// `20 notifications on 1 connection`
  var amount: String {
    "\(plural(notifications.count, "notification")) on "
      + plural(Set(notifications.map(\.connection)).count, "connection")
  }
}
