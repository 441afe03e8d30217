/// What the traffic of a scenario shows about a provider.
struct Judgement {
  /// What the provider did wrong.
  var problems: [Evidence] = []
  /// What is wrong unless the provider still does it.
  var missing: [Evidence] = []
  /// Why the traffic does not answer the question; nil if it does.
  var obstacle: Evidence?
  /// What the provider did right.
  var facts: [Evidence] = []
  /// Whether more traffic would not change the result.
  var isSettled = false
  /// What limits the judgement, or may explain why it did not pass.
  var notes: [Evidence] = []

  enum Verdict: String, CaseIterable {
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
    case .notTested: [obstacle].compactMap(\.self).map { Evidence(message: $0.sentence) } + notes
    case .failed: Self.abridged(problems) + Self.abridged(missing) + notes
    }
  }

  /// What is equal is listed once, with its count.
  private static func abridged(_ all: [Evidence]) -> [Evidence] {
    var counts: [String: Int] = [:]
    for evidence in all { counts[evidence.sentence, default: 0] += 1 }
    var (shown, rest) = ([Evidence](), all.count)
    for evidence in all {
      guard shown.count < mostEvidence, let count = counts.removeValue(forKey: evidence.sentence) else { continue }
      shown.append(count == 1 ? evidence : evidence.saying("\(evidence.message) (\(count) times)"))
      rest -= count
    }
    return shown + (rest > 0 ? [Evidence(message: "and \(rest) more like this")] : [])
  }

  private static let mostEvidence = 5

  /// Notes that the scenario was ended before the provider could do what is missing.
  mutating func cut(because reason: String) {
    if let first = missing.first, problems.isEmpty {
      obstacle = Evidence(message: "\(reason) before this was done: \(first.sentence)")
      missing = []
    } else {
      notes.append(Evidence(message: reason))
    }
  }
}

/// Where something happened, and what. It is thrown if it keeps a scenario from being judged.
struct Evidence: Error {
  var connection: Int?
  var packet: Int?
  var identifier: UInt32?
  var message = ""

  func saying(_ message: String) -> Evidence {
    Evidence(connection: connection, packet: packet, identifier: identifier, message: message)
  }

  /// The location, then the message.
  var sentence: String { [location, message].filter { !$0.isEmpty }.joined(separator: ": ") }

  /// `connection 0, packet 12, identifier 7`
  var location: String {
    [connection.map { "connection \($0)" }, packet.map { "packet \($0)" }, identifier.map { "identifier \($0)" }]
      .compactMap(\.self).joined(separator: ", ")
  }
}
