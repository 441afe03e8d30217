import APNSDiagnosis
import Octets

/// What the provider does after an answer or a close of the gateway.
extension ProviderTraffic {
  /// The number of the notification that causes the step in the files of the scenarios.
  static let stepNumber = 3
  /// This many notifications after an incident show that the provider goes on as before.
  private static let enoughAfterwards = 20
  /// A provider should send at least this many, so that some are discarded.
  static let usefulCount = 10
  private static let severalConnections =
    "the provider uses several connections at once, so none had to replace the closed one"

  /// After the gateway has rejected a notification, or has announced a shutdown.
  func resending() throws(Evidence) -> Judgement {
    let (index, answer, again, isEnough) = try answered()
    var judgement = Judgement(problems: again.unwanted.map(\.evidence) + again.disorder)
    let wasLeft = connections[index].ending == .finished
    if again.discarded == 0, wasLeft {
      judgement.obstacle = answer.saying("the provider closed the connection before the answer")
    } else if again.discarded > 0, !hasSuccessor(of: index) {
      let cause = wasLeft ? "closed the connection before the answer, and " : ""
      let discarded = plural(again.discarded, "notification")
      judgement.missing = [answer.saying("the provider \(cause)did not connect again; \(discarded) discarded")]
    } else {
      judgement.missing = again.missing
      judgement.facts = [
        answer.saying(
          again.discarded == 0
            ? "nothing was discarded: the provider sent nothing more until the answer, and then connected again"
            : "\(plural(again.discarded, "discarded notification")) sent again on "
              + again.connections.map { "connection \($0)" }.joined(separator: ", "))
      ]
    }
    judgement.isSettled = isEnough && judgement.verdict == .passed
    return judgement
  }

  /// After the gateway has answered in two segments and closed the connection.
  func errorPacket() throws(Evidence) -> Judgement {
    if let connection = stepConnection.map({ connections[$0] }), connection.answerTime != nil,
      connection.conversation?.answer == nil
    {
      return Judgement(problems: [
        connection.evidence.saying("the provider closed the connection after the first of the answer's two segments")
      ])
    }
    let (index, answer, again, isEnough) = try answered()
    // What was sent twice on a later connection has another reason.
    var judgement = Judgement(problems: again.unwanted.filter { $0.earlier == index }.map(\.evidence))
    judgement.facts = [answer.saying("the provider connected again, and sent again exactly what was discarded")]
    let late = notifications.filter { $0.isLate(by: 1, after: connections[$0.connection].answerTime) }
    if let first = late.first {
      judgement.problems.append(
        first.evidence.saying(
          "\(plural(late.count, "notification")) written more than a second after the answer: read while writing"))
    }
    if again.discarded == 0 {
      let ignorance = "nothing was discarded, so it is not known whether the provider has read the answer; send more"
      switch connections[index].ending {
      case .finished: judgement.obstacle = answer.saying("closed before the answer; \(ignorance)")
      case .reset:
        judgement.obstacle = answer.saying("closed with bytes unread, maybe only the end of TLS; \(ignorance)")
      case .finishedAfterPeer:
        judgement.facts = [answer.saying("the provider closed the connection, connected again, and repeated nothing")]
      case .open: judgement.missing = [answer.saying("the provider did not close the connection")]
      }
    } else if again.missing.count == again.discarded {
      judgement.missing = [
        answer.saying(
          "\(plural(again.discarded, "notification")) discarded, and none sent again: the provider does not read "
            + "an answer in two segments, or sends nothing again (see the scenario resend)")
      ]
    } else {
      judgement.missing = again.missing
    }
    judgement.isSettled = isEnough && judgement.verdict == .passed
    return judgement
  }

  /// The index of the answered connection, the answer, what was sent again, and whether enough has followed to know
  /// that nothing else is sent again.
  private func answered() throws(Evidence) -> (index: Int, answer: Evidence, again: SendingAgain, isEnough: Bool) {
    guard let index = stepConnection, let conversation = connections[index].conversation,
      let answer = conversation.answer
    else {
      try fail(
        notifications.contains { $0.evidence.identifier != nil }
          ? "no answer of the gateway was recorded: the provider must keep the connection open and wait for it"
          : "the notifications have no identifiers, so no error response can name one; use command 2 with item 3")
    }
    guard conversation.named != nil else {
      throw Evidence(message: conversation.remarks.first ?? "it is not known which notification was answered")
    }
    let again = SendingAgain(self)
    if let repeated = again.repeatedContent {
      throw repeated.saying(
        "token and payload are those of an earlier notification, so it is not known whether it was sent again; "
          + "let each one differ")
    }
    if again.discarded == 0, !hasSuccessor(of: index) {
      throw Evidence(
        message: hasOthers(beside: index)
          ? Self.severalConnections
          : "notification \(Self.stepNumber) was the last one, so nothing was discarded; send at least "
            + "\(Self.usefulCount)")
    }
    let later = notifications(after: index).count
    let evidence = Evidence(connection: connections[index].number, packet: answer.packet, identifier: answer.identifier)
    return (index, evidence, again, min(later, again.sentSince) >= Self.enoughAfterwards)
  }

  /// Says why the gateway did not do what the scenario demands. The `reason` applies if the provider sent enough.
  private func fail(_ reason: String) throws(Evidence) -> Never {
    try require(Self.stepNumber)
    guard stepConnection == nil, let refused = connections.first(where: { $0.isPush && $0.reaction != nil }) else {
      throw Evidence(message: reason)
    }
    let answer = refused.reaction?.status.map { "with status \($0)" } ?? "without an answer"
    throw refused.evidence.saying(
      "the gateway refused a notification \(answer) before it had accepted \(Self.stepNumber); "
        + "correct what the scenario frames reports")
  }

  /// After the gateway has closed or reset the connection without an answer.
  func survival() throws(Evidence) -> Judgement {
    guard let index = stepConnection else { try fail("the provider closed the connection before the gateway did") }
    let connection = connections[index]
    let later = notifications(after: index)
    if later.isEmpty, hasOthers(beside: index) { throw Evidence(message: Self.severalConnections) }
    let action = connection.wasReset ? "reset" : "closed"
    let continuing = "a provider that connects only to send must go on sending for some seconds"
    guard let first = later.first else {
      guard hasSuccessor(of: index) else {
        return Judgement(missing: [
          connection.evidence.saying("\(action), and the provider did not connect again; \(continuing)")
        ])
      }
      throw connection.evidence.saying("\(action); the provider connected again, but sent nothing more; \(continuing)")
    }
    let fact =
      "\(action); \(plural(later.count, "notification")) followed, the first on connection "
      + "\(connections[first.connection].number)"
    return Judgement(facts: [connection.evidence.saying(fact)], isSettled: later.count >= Self.enoughAfterwards)
  }
}
