import Octets

/// What the provider sends, and what it does with the feedback service.
extension ProviderTraffic {
  /// This many notifications are enough to judge a provider that sends without end.
  private static let enough = 100

  func frames() throws(Evidence) -> Judgement {
    // What is no frame is a fault, too.
    if faults.isEmpty { try require(1) }
    return judgement(faults, amount + ", no error")
  }

  func identifiers() throws(Evidence) -> Judgement {
    try require(2)
    guard notifications.contains(where: \.mayHaveIdentifier) else {
      throw Evidence(
        message: "the provider uses command 0, which has no identifiers; error responses need them, so use command 2")
    }
    var problems: [Evidence] = []
    var used: [Int: Set<UInt32>] = [:]
    for notification in notifications {
      if let identifier = notification.evidence.identifier {
        guard !used[notification.connection, default: []].insert(identifier).inserted else { continue }
        problems.append(notification.evidence.saying("this identifier was used before on the same connection"))
      } else if notification.mayHaveIdentifier {
        problems.append(notification.evidence.saying("this notification has no identifier"))
      }
    }
    return judgement(problems, amount + ", all with different identifiers")
  }

  private func judgement(_ problems: [Evidence], _ fact: String) -> Judgement {
    Judgement(
      problems: problems, facts: [Evidence(message: fact)],
      isSettled: !problems.isEmpty || notifications.count >= Self.enough)
  }

  func connectionUse() throws(Evidence) -> Judgement {
    try require(2)
    var judgement = Judgement(facts: [Evidence(message: amount)], isSettled: notifications.count >= Self.enough)
    let counts = notifications.reduce(into: [:]) { $0[$1.connection, default: 0] += 1 }
    if counts.count > 1, counts.count * 2 > notifications.count {
      guard let first = counts.keys.min(), !notifications(after: first).isEmpty else {
        throw Evidence(message: "the provider uses several connections at once, with few notifications on each")
      }
      judgement.problems = notifications.filter { counts[$0.connection] == 1 }
        .map { $0.evidence.saying("a connection for this notification alone") }
    }
    return judgement
  }

  func slowReading() throws(Evidence) -> Judgement {
    let again = SendingAgain(self)
    if structuralFaults.isEmpty {
      try require(1)
      if again.isUniform {
        throw Evidence(message: "most notifications are alike, so it is not known whether one was sent twice")
      }
    }
    let problems = structuralFaults + again.sentTwice + again.unwanted.map(\.evidence)
    let pause = ConformanceScenario.pause
    let late = notifications.filter { $0.isLate(by: pause, after: notifications.first?.time) }
    let fact =
      amount + ", each complete; "
      + (late.isEmpty
        ? "all of them had arrived when the gateway stopped reading, so send more to test this harder"
        : "\(late.count) arrived after the gateway had read nothing for \(shortest(pause)) s")
    // A provider that loses a part of a write does so when all buffers are full, so more traffic may change the result.
    return Judgement(problems: problems, facts: [Evidence(message: fact)], isSettled: !problems.isEmpty)
  }

  func feedbackReading() throws(Evidence) -> Judgement {
    let connections = connections.filter { !$0.isPush }
    guard let first = connections.first else {
      throw Evidence(message: "the provider did not connect to the feedback service")
    }
    var judgement = Judgement(facts: [first.evidence.saying("read to its end; nothing was written")])
    if let (bytes, connection) = writtenToFeedback {
      judgement.problems.append(
        self.connections[connection].evidence.saying(
          "the provider wrote \(plural(bytes, "byte")) to the feedback service, which reads nothing"))
    }
    for connection in connections {
      let hasRest = connection.unsentCount > 0
      let rest = "the last \(plural(connection.unsentCount, "byte"))"
      switch connection.ending {
      case .open:
        let missing = hasRest ? "the provider does not read \(rest)" : "the provider did not close the connection"
        judgement.missing.append(connection.evidence.saying(missing))
      case .reset:
        judgement.problems.append(connection.evidence.saying("the provider closed the connection with bytes unread"))
      case .finished, .finishedAfterPeer:
        guard hasRest else { break }
        judgement.problems.append(
          connection.evidence.saying("the provider closed the connection without reading \(rest)"))
      }
    }
    judgement.isSettled = judgement.missing.isEmpty
    return judgement
  }
}
