import APNSGateway
import Octets

/// Counts what a gateway did to the connections of its clients.
struct ReactionLog {
  private var counts: [String: Int] = [:]
  private(set) var stepCount = 0

  mutating func count(_ reaction: Reaction) {
    counts[reaction.word, default: 0] += 1
    if case .step(let number) = reaction.reason { stepCount = max(stepCount, number) }
  }

  /// `answered 2 times, reset 1 time`; empty if all notifications were accepted.
  var summary: String {
    counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) \(plural($0.value, "time"))" }
      .joined(separator: ", ")
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
  var sentence: String? {
    if reason == .documented, status != nil { return nil }
    var sentence = word
    if let status { sentence += " with status \(status)" }
    if case .pause(let seconds) = ending { sentence += " for \(shortest(seconds)) s" }
    if let identifier { sentence += " after identifier \(identifier)" }
    switch reason {
    case .documented: sentence += ", as documented"
    case .rule: sentence += ", as requested"
    case .step(let number): sentence += ", as step \(number) demands"
    }
    if manner.refusalSeconds > 0 { sentence += "; no connection is accepted for \(shortest(manner.refusalSeconds)) s" }
    return sentence
  }
}
