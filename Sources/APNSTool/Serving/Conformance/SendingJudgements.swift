/// What the provider sends.
extension Judgement {
  static func frames(_ traffic: ProviderTraffic) -> Judgement {
    // What is no frame is a fault, too.
    if traffic.faults.isEmpty, let none = Judgement(traffic, without: 1) { return none }
    var own = Judgement()
    own.problems = traffic.faults.map(\.evidence)
    own.facts = [Evidence(traffic.amount + ", no error")]
    own.isSettled = !own.problems.isEmpty || traffic.notifications.count >= enough
    return own
  }

  static func identifiers(_ traffic: ProviderTraffic) -> Judgement {
    if let none = Judgement(traffic, without: 2) { return none }
    guard traffic.notifications.contains(where: \.mayHaveIdentifier) else {
      return Judgement(
        obstacle: "the provider uses command 0, which has no identifiers; error responses need them, so use command 2")
    }
    var own = Judgement()
    var used: [Int: Set<UInt32>] = [:]
    for notification in traffic.notifications {
      if let identifier = notification.identifier {
        guard !used[notification.connection, default: []].insert(identifier).inserted else { continue }
        own.problems.append(notification.evidence.saying("this identifier was used before on the same connection"))
      } else if notification.mayHaveIdentifier {
        own.problems.append(notification.evidence.saying("this notification has no identifier"))
      }
    }
    own.facts = [Evidence(traffic.amount + ", all with different identifiers")]
    own.isSettled = !own.problems.isEmpty || traffic.notifications.count >= enough
    return own
  }

  static func connections(_ traffic: ProviderTraffic) -> Judgement {
    if let none = Judgement(traffic, without: 2) { return none }
    var own = Judgement()
    let counts = traffic.notifications.reduce(into: [:]) { $0[$1.connection, default: 0] += 1 }
    if counts.count > 1, counts.values.allSatisfy({ $0 == 1 }) {
      guard let first = counts.keys.min(), !traffic.notifications(after: first).isEmpty else {
        return Judgement(obstacle: "the provider uses several connections at once, with one notification on each")
      }
      own.problems = traffic.notifications.map { $0.evidence.saying("a connection for this notification alone") }
    }
    own.facts = [Evidence(traffic.amount)]
    own.isSettled = traffic.notifications.count >= enough
    return own
  }
}
