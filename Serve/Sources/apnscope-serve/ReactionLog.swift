import Octets

/// Counts what a gateway did to the connections of its clients, and says what no packet shows.
struct ReactionLog {
  let quiet: Bool
  /// The number of steps of the scenario.
  let stepCount: Int
  var counts: [String: Int] = [:]
  var connectionCount = 0
  /// The number of problems with connections, such as a failed TLS handshake.
  var warningCount = 0
  var stepsDone = 0

  mutating func note(_ event: SessionEvent) {
    switch event {
    case .traffic(.opened, _, _): connectionCount += 1
    case .reacted(let reaction, let route):
      counts[reaction.word, default: 0] += 1
      if case .step(let number) = reaction.reason { stepsDone = max(stepsDone, number) }
      if !quiet, let sentence = reaction.sentence { StandardError.say("\(route.source): \(sentence)") }
    case .remark(let sentence):
      warningCount += 1
      StandardError.say(sentence)
    case .traffic, .restarted, .stopping, .stopped: break
    }
  }

  /// `2 connections served, answered 2 times, 1 of 4 steps done`
  var summary: String {
    var parts = [plural(connectionCount, "connection") + " served"]
    if warningCount > 0 { parts.append(plural(warningCount, "warning")) }
    for (word, count) in counts.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
      parts.append("\(word) \(plural(count, "time"))")
    }
    if stepCount > 0 { parts.append("\(stepsDone) of \(plural(stepCount, "step")) done") }
    return parts.joined(separator: ", ")
  }
}

extension Reaction {
  fileprivate var word: String {
    switch ending {
    case .close: status == nil ? "closed without an answer" : "answered"
    case .reset: "reset"
    case .stall: "no longer read"
    case .pause: "paused"
    }
  }

  /// What the gateway did: `reset after identifier 7, as requested`. Nil if the error response says it all.
  fileprivate var sentence: String? {
    if reason == .documented, status != nil { return nil }
    var sentence = word + (status.map { " with status \($0)" } ?? "")
    if case .pause(let seconds) = ending { sentence += " for \(shortest(seconds)) s" }
    if let identifier { sentence += " after identifier \(identifier)" }
    switch reason {
    case .documented: sentence += ", as documented"
    case .rule: sentence += ", as requested"
    case .step(let number): sentence += ", as step \(number) demands"
    }
    if refusalSeconds > 0 { sentence += "; no connection is accepted for \(shortest(refusalSeconds)) s" }
    return sentence
  }
}
