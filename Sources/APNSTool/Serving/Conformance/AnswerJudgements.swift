import APNSDiagnosis
import APNSInput
import APNSServer
import Octets

/// What the provider does after an answer, a close, or a pause of the gateway.
extension Judgement {
  /// After the gateway has rejected a notification, or has announced a shutdown.
  static func resending(_ traffic: ProviderTraffic) -> Judgement {
    answered(traffic) { own, again, answer in
      own.problems = again.unwanted.map(\.evidence) + again.disorder
      if again.discarded == 0, traffic.wasLeft(answer.connection) {
        own.obstacle = "the provider closed connection \(answer.connection ?? 0) before the answer"
        return
      }
      guard traffic.successor(of: answer.connection) != nil || again.discarded == 0 else {
        own.missing.append(
          answer.saying("the provider did not connect again; \(plural(again.discarded, "notification")) discarded"))
        return
      }
      own.missing = again.missing
      own.facts = [
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
    if traffic.firstAnswer == nil, let connection = traffic.answerTimes.keys.min() {
      let place = Evidence(connection: connection)
      return Judgement(problem: place.saying("the provider closed the connection before it had read the whole answer"))
    }
    return answered(traffic) { own, again, answer in
      // What was sent twice on a later connection has another reason.
      own.problems = again.unwanted.filter { $0.earlier == answer.connection }.map(\.evidence)
      // A provider that knows which ones to send again has read the answer.
      let isProven = again.discarded > 0 && again.missing.isEmpty && again.unwanted.isEmpty && again.disorder.isEmpty
      switch answer.connection.flatMap({ traffic[$0] })?.ending {
      case .reset where !isProven, .finished where !isProven:
        own.problems.append(answer.saying("the provider closed the connection before it had read the answer"))
      case .open where !isProven:
        own.missing.append(
          answer.saying(
            "the provider did not close the connection within \(Int(ServerSettings.lingerSeconds)) seconds of the answer"
          ))
      default: break
      }
      let late = traffic.sentLate
      if let first = late.first {
        own.problems.append(
          first.evidence.saying(
            "\(plural(late.count, "notification")) written more than a second after the answer: read while writing"))
      }
      if again.discarded > 0, let absence = traffic.absence(after: answer.connection) {
        own.missing.append(answer.saying(absence))
      }
      own.facts = [answer.saying("the provider connected again, and did not repeat what the answer covers")]
    }
  }

  private static func answered(
    _ traffic: ProviderTraffic, _ judge: (inout Judgement, SendingAgain, Evidence) -> Void
  ) -> Judgement {
    if let none = Judgement(traffic, without: stepNumber) { return none }
    guard let (connection, conversation, answer) = traffic.firstAnswer else {
      let hasNone = !traffic.notifications.contains { $0.identifier != nil }
      return Judgement(
        obstacle: hasNone
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
      return Judgement(
        obstacle: "notification \(stepNumber) was the last one, so nothing was discarded; send at least \(usefulCount)")
    }
    var own = Judgement()
    let place = Evidence(connection: connection, packet: answer.packet, identifier: answer.identifier)
    judge(&own, again, place.saying("status \(answer.status)"))
    own.isSettled = own.verdict == .passed && again.sentSince >= enoughAfterwards
    return own
  }

  /// After the gateway has closed or reset the connection without an answer.
  static func survival(_ traffic: ProviderTraffic) -> Judgement {
    if let none = Judgement(traffic, without: stepNumber) { return none }
    guard let ended = traffic.conversations.filter({ $0.value.closedInSilence }).keys.min() else {
      return Judgement(obstacle: "the provider closed the connection before the gateway did")
    }
    let later = traffic.notifications(after: ended)
    if later.isEmpty, traffic.hasOthers(beside: ended) {
      return Judgement(obstacle: "the provider uses several connections at once, so none had to replace the closed one")
    }
    var own = Judgement()
    let place = Evidence(connection: ended)
    let deed = traffic[ended]?.wasReset == true ? "reset" : "closed"
    if let first = later.first {
      own.facts = [
        place.saying(
          "\(deed); \(plural(later.count, "notification")) followed, the first on connection \(first.connection)")
      ]
    } else if let absence = traffic.absence(after: ended) {
      own.missing = [place.saying("the gateway \(deed) it, and \(absence)")]
    }
    own.isSettled = later.count >= enoughAfterwards
    return own
  }

  static func slowReader(_ traffic: ProviderTraffic) -> Judgement {
    let broken = traffic.faults.filter(\.isStructural)
    if broken.isEmpty, let none = Judgement(traffic, without: 1) { return none }
    var own = Judgement()
    let again = SendingAgain(traffic)
    if broken.isEmpty, again.isUniform {
      return Judgement(obstacle: "most notifications are alike, so it is not known whether one was sent twice")
    }
    own.problems = broken.map(\.evidence) + again.sentTwice + again.unwanted.map(\.evidence)
    let first = traffic.notifications.first?.time
    let late = traffic.notifications.filter { notification in
      guard let first, let time = notification.time else { return false }
      return time.microseconds >= first.microseconds + Int(ConformanceScenario.pause * 1e6)
    }
    own.facts = [
      Evidence(
        traffic.amount + ", each complete; "
          + (late.isEmpty
            ? "all of them had arrived when the gateway stopped reading, so send more to test this harder"
            : "\(late.count) arrived after the gateway had read nothing for \(shortest(ConformanceScenario.pause)) s"))
    ]
    own.isSettled = !own.problems.isEmpty || late.count >= enough
    return own
  }
}

extension ProviderTraffic {
  /// The gateway's first answer, and the connection on which it was sent.
  fileprivate var firstAnswer: (connection: Int, Conversation, Conversation.Answer)? {
    let answered = conversations.filter { $0.value.answer != nil }.min { $0.key < $1.key }
    return answered.flatMap { number, conversation in conversation.answer.map { (number, conversation, $0) } }
  }

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
