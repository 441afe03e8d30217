/// What the provider sends.
extension Judgement {
  static func frames(_ traffic: ProviderTraffic) -> Judgement {
    // What is no frame is a fault, too.
    if traffic.faults.isEmpty, let none = Judgement(traffic, without: 1) { return none }
    var judgement = Judgement()
    judgement.problems = traffic.faults.map(\.evidence)
    judgement.facts = [Evidence(traffic.amount + ", no error")]
    judgement.isSettled = !judgement.problems.isEmpty || traffic.notifications.count >= enough
    return judgement
  }

  static func identifiers(_ traffic: ProviderTraffic) -> Judgement {
    if let none = Judgement(traffic, without: 2) { return none }
    guard traffic.notifications.contains(where: \.mayHaveIdentifier) else {
      return Judgement(
        obstacle: "the provider uses command 0, which has no identifiers; error responses need them, so use command 2")
    }
    var judgement = Judgement()
    var used: [Int: Set<UInt32>] = [:]
    for notification in traffic.notifications {
      if let identifier = notification.identifier {
        guard !used[notification.connection, default: []].insert(identifier).inserted else { continue }
        judgement.problems.append(
          notification.evidence.saying("this identifier was used before on the same connection"))
      } else if notification.mayHaveIdentifier {
        judgement.problems.append(notification.evidence.saying("this notification has no identifier"))
      }
    }
    judgement.facts = [Evidence(traffic.amount + ", all with different identifiers")]
    judgement.isSettled = !judgement.problems.isEmpty || traffic.notifications.count >= enough
    return judgement
  }

  static func connections(_ traffic: ProviderTraffic) -> Judgement {
    if let none = Judgement(traffic, without: 2) { return none }
    var judgement = Judgement()
    let counts = traffic.notifications.reduce(into: [:]) { $0[$1.connection, default: 0] += 1 }
    if counts.count > 1, counts.count * 2 > traffic.notifications.count {
      guard let first = counts.keys.min(), !traffic.notifications(after: first).isEmpty else {
        return Judgement(obstacle: "the provider uses several connections at once, with few notifications on each")
      }
      judgement.problems = traffic.notifications.filter { counts[$0.connection] == 1 }
        .map { $0.evidence.saying("a connection for this notification alone") }
    }
    judgement.facts = [Evidence(traffic.amount)]
    judgement.isSettled = traffic.notifications.count >= enough
    return judgement
  }
}
