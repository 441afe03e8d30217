import APNSDiagnosis
import APNSInput
import APNSServer
import Octets

/// What the provider does after an answer, a close, or a pause of the gateway.
extension Judgement {
  /// After the gateway has rejected a notification, or has announced a shutdown.
  static func resending(_ traffic: ProviderTraffic) -> Judgement {
    answered(traffic) { judgement, again, connection, answer in
      judgement.problems = again.unwanted.map(\.evidence) + again.disorder
      let wasLeft = traffic.wasLeft(connection)
      if again.discarded == 0, wasLeft {
        judgement.obstacle = answer.saying("the provider closed the connection before the answer").sentence
        return
      }
      guard traffic.successor(of: connection) != nil || again.discarded == 0 else {
        let cause = wasLeft ? "closed the connection before the answer, and did not connect again" : notAgain
        judgement.missing.append(
          answer.saying("the provider \(cause); \(plural(again.discarded, "notification")) discarded"))
        return
      }
      judgement.missing = again.missing
      judgement.facts = [
        answer.saying(
          again.discarded == 0
            ? "nothing was discarded: the provider sent nothing more until the answer, and then connected again"
            : "\(plural(again.discarded, "discarded notification")) sent again on "
              + again.connections.map { "connection \($0)" }.joined(separator: ", "))
      ]
    }
  }

  /// After the gateway has answered in two segments and closed the connection.
  static func errorPacket(_ traffic: ProviderTraffic) -> Judgement {
    if let connection = traffic.stepConnection?.number, traffic.answerTimes[connection] != nil,
      traffic.conversations[connection]?.answer == nil
    {
      return Judgement(
        problem: Evidence(connection: connection).saying(
          "the provider closed the connection after the first of the answer's two segments"))
    }
    return answered(traffic) { judgement, again, connection, answer in
      // What was sent twice on a later connection has another reason.
      judgement.problems = again.unwanted.filter { $0.earlier == connection }.map(\.evidence)
      judgement.facts = [answer.saying("the provider connected again, and sent again exactly what was discarded")]
      let late = traffic.sentLate
      if let first = late.first {
        judgement.problems.append(
          first.evidence.saying(
            "\(plural(late.count, "notification")) written more than a second after the answer: read while writing"))
      }
      if again.discarded == 0 {
        judgement.judgeEnding(traffic[connection]?.ending ?? .open, answer)
      } else if again.missing.count == again.discarded {
        judgement.missing = [
          answer.saying(
            "\(plural(again.discarded, "notification")) discarded, and none sent again: the provider does not read "
              + "an answer in two segments, or sends nothing again (see the scenario resend)")
        ]
      } else {
        judgement.missing = again.missing
      }
    }
  }

  /// Judges whether the answer was read if nothing was discarded.
  private mutating func judgeEnding(_ ending: StreamEnding, _ answer: Evidence) {
    let ignorance = "nothing was discarded, so it is not known whether the provider has read the answer; send more"
    switch ending {
    case .finished: obstacle = answer.saying("closed before the answer; \(ignorance)").sentence
    case .reset: obstacle = answer.saying("closed with bytes unread, maybe only the end of TLS; \(ignorance)").sentence
    case .finishedAfterPeer:
      facts = [answer.saying("the provider closed the connection, connected again, and repeated nothing")]
    case .open: missing.append(answer.saying("the provider did not close the connection"))
    }
  }

  private static let notAgain = "did not connect again"

  private static func answered(
    _ traffic: ProviderTraffic, _ judge: (inout Judgement, SendingAgain, Int, Evidence) -> Void
  ) -> Judgement {
    guard let connection = traffic.stepConnection?.number, let conversation = traffic.conversations[connection],
      let answer = conversation.answer
    else {
      let hasNone = !traffic.notifications.contains { $0.identifier != nil }
      return withoutStep(
        traffic,
        hasNone
          ? "the notifications have no identifiers, so no error response can name one; use command 2 with item 3"
          : "no answer of the gateway was recorded: the provider must keep the connection open and wait for it")
    }
    guard conversation.named != nil else {
      return Judgement(obstacle: conversation.remarks.first ?? "it is not known which notification was answered")
    }
    let again = SendingAgain(traffic)
    if let repeated = again.repeatedContent {
      return Judgement(
        obstacle: repeated.saying(
          "token and payload are those of an earlier notification, so it is not known whether it was sent again; "
            + "let each one differ"
        ).sentence)
    }
    if again.discarded == 0, traffic.successor(of: connection) == nil {
      return Judgement(obstacle: traffic.hasOthers(beside: connection) ? severalConnections : wasLast)
    }
    var judgement = Judgement()
    judge(
      &judgement, again, connection,
      Evidence(connection: connection, packet: answer.packet, identifier: answer.identifier))
    let later = traffic.notifications(after: connection).count
    judgement.isSettled = judgement.verdict == .passed && min(later, again.sentSince) >= enoughAfterwards
    return judgement
  }

  /// - Parameter reason: Why the gateway did not do what the scenario demands, if the provider sent enough.
  private static func withoutStep(_ traffic: ProviderTraffic, _ reason: String) -> Judgement {
    if let none = Judgement(traffic, without: stepNumber) { return none }
    guard traffic.stepConnection == nil,
      let refused = traffic.connections.first(where: { $0.isPush && $0.reaction != nil }),
      let sentence = refused.reaction.map({ $0.status.map { "with status \($0)" } ?? "without an answer" })
    else { return Judgement(obstacle: reason) }
    return Judgement(
      obstacle: Evidence(connection: refused.number).saying(
        "the gateway refused a notification \(sentence) before it had accepted \(stepNumber); "
          + "correct what the scenario frames reports"
      ).sentence)
  }

  private static let severalConnections =
    "the provider uses several connections at once, so none had to replace the closed one"
  private static let wasLast =
    "notification \(stepNumber) was the last one, so nothing was discarded; send at least \(usefulCount)"

  /// After the gateway has closed or reset the connection without an answer.
  static func survival(_ traffic: ProviderTraffic) -> Judgement {
    guard let connection = traffic.stepConnection else {
      return withoutStep(traffic, "the provider closed the connection before the gateway did")
    }
    let later = traffic.notifications(after: connection.number)
    if later.isEmpty, traffic.hasOthers(beside: connection.number) { return Judgement(obstacle: severalConnections) }
    var judgement = Judgement()
    let location = Evidence(connection: connection.number)
    let action = connection.wasReset ? "reset" : "closed"
    if let first = later.first {
      judgement.facts = [
        location.saying(
          "\(action); \(plural(later.count, "notification")) followed, the first on connection \(first.connection)")
      ]
    } else if traffic.successor(of: connection.number) != nil {
      judgement.obstacle =
        location.saying("\(action); the provider connected again, but sent nothing more; \(continuing)").sentence
    } else {
      judgement.missing = [location.saying("\(action), and the provider \(notAgain); \(continuing)")]
    }
    judgement.isSettled = later.count >= enoughAfterwards
    return judgement
  }

  private static let continuing = "a provider that connects only to send must go on sending for some seconds"

  static func slowReader(_ traffic: ProviderTraffic) -> Judgement {
    let broken = traffic.faults.filter(\.isStructural)
    if broken.isEmpty, let none = Judgement(traffic, without: 1) { return none }
    var judgement = Judgement()
    let again = SendingAgain(traffic)
    if broken.isEmpty, again.isUniform {
      return Judgement(obstacle: "most notifications are alike, so it is not known whether one was sent twice")
    }
    judgement.problems = broken.map(\.evidence) + again.sentTwice + again.unwanted.map(\.evidence)
    let first = traffic.notifications.first?.time
    let late = traffic.notifications.filter { notification in
      guard let first, let time = notification.time else { return false }
      return time.microseconds >= first.microseconds + Int(ConformanceScenario.pause * 1e6)
    }
    judgement.facts = [
      Evidence(
        traffic.amount + ", each complete; "
          + (late.isEmpty
            ? "all of them had arrived when the gateway stopped reading, so send more to test this harder"
            : "\(late.count) arrived after the gateway had read nothing for \(shortest(ConformanceScenario.pause)) s"))
    ]
    // A provider that loses a part of a write does so when all buffers are full.
    judgement.isSettled = !judgement.problems.isEmpty
    return judgement
  }
}

extension ProviderTraffic {
  /// The notifications that were written more than a second after the gateway had answered on their connection.
  fileprivate var sentLate: [Notification] {
    notifications.filter { notification in
      guard let answer = answerTimes[notification.connection], let time = notification.time else { return false }
      return time.microseconds > answer.microseconds + 1_000_000
    }
  }
}

extension CaptureTime {
  fileprivate var microseconds: Int { seconds * 1_000_000 + nanoseconds / 1000 }
}
