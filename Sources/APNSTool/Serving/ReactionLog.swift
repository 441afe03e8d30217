import APNSGateway
import Octets

/// What a gateway did to the connections of its clients.
struct ReactionLog {
  private var counts: [Deed: Int] = [:]

  /// The values are the words of the summary, in its order.
  private enum Deed: String, CaseIterable {
    case answer = "answered"
    case close = "closed without an answer"
    case reset = "reset"
    case stall = "no longer read"
    case pause = "read after a pause"
  }

  /// Counts a reaction.
  mutating func count(_ reaction: Reaction) {
    let deed: Deed =
      switch reaction.ending {
      case .close: reaction.status == nil ? .close : .answer
      case .reset: .reset
      case .stall: .stall
      case .pause: .pause
      }
    counts[deed, default: 0] += 1
  }

  /// `2 answered, 1 reset`; empty if all notifications were accepted.
  var summary: String {
    Deed.allCases.compactMap { deed in counts[deed].map { "\($0) \(deed.rawValue)" } }.joined(separator: ", ")
  }
}

extension Reaction {
  /// What the gateway did: `reset after identifier 7, as requested`. Nil if the error response says it all.
  var sentence: String? {
    if isDocumented, status != nil { return nil }
    let deed =
      switch ending {
      case .close: status.map { "answered with status \($0)" } ?? "closed without an answer"
      case .reset: "reset"
      case .stall: "no longer read"
      case .pause(let seconds): "not read for \(shortest(seconds)) s"
      }
    let place = identifier.map { " after identifier \($0)" } ?? ""
    let refusal =
      manner.refusalSeconds > 0 ? "; no connection is accepted for \(shortest(manner.refusalSeconds)) s" : ""
    return deed + place + (isDocumented ? ", as documented" : ", as requested") + refusal
  }
}
