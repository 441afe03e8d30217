import APNSDiagnosis
import APNSInput
import APNSServer
import APNSWire
import Octets

/// What the traffic of a scenario shows about a provider.
struct Judgement {
  /// What the provider did wrong.
  private(set) var problems: [Evidence] = []
  /// What is wrong unless the provider still does it.
  private(set) var missing: [Evidence] = []
  /// Why the traffic does not answer the question; nil if it does.
  private(set) var obstacle: String?
  /// What the provider did right.
  private(set) var facts: [Evidence] = []
  /// What limits the judgement.
  private var notes: [Evidence] = []
  /// Whether more traffic would not change the result.
  private(set) var isSettled = false

  enum Verdict: String {
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
    case .notTested: [obstacle].compactMap(\.self).map { Evidence($0) } + notes
    case .failed: Self.abridged(problems) + Self.abridged(missing) + notes
    }
  }

  private static func abridged(_ all: [Evidence]) -> [Evidence] {
    all.count <= mostEvidence
      ? all : all.prefix(mostEvidence) + [Evidence("and \(all.count - mostEvidence) more like this")]
  }

  private static let mostEvidence = 5
  /// This many notifications are enough to judge a provider that sends without end.
  private static let enough = 100
  private static let stepNumber = ConformanceScenario.stepNumber

  private init() {}

  init(obstacle: String) { self.obstacle = obstacle }

  private init(problem: Evidence) { problems = [problem] }

  /// Adds a problem that was not seen in the traffic.
  mutating func add(problem: Evidence) { problems.append(problem) }

  /// Adds something that may explain why it did not pass.
  mutating func add(note: String) { notes.append(Evidence(note)) }

  /// Notes that the scenario was ended before the provider could do what is missing.
  mutating func cut(because reason: String) {
    if let first = missing.first, problems.isEmpty {
      obstacle = "\(reason) before this was done: \(first.sentence)"
      missing = []
    } else {
      notes.append(Evidence(reason))
    }
  }

  /// - Parameter least: The number of notifications that the scenario needs.
  private init?(_ traffic: ProviderTraffic, without least: Int) {
    let count = traffic.notifications.count
    guard count < least else { return nil }
    if count > 0 {
      self.init(obstacle: "the provider sent \(plural(count, "notification")), and this needs at least \(least)")
    } else if traffic.connections.contains(where: \.isPush) {
      self.init(obstacle: "the provider connected to the push gateway, but sent no notification")
    } else {
      self.init(obstacle: "the provider did not connect to the push gateway")
    }
  }

  // MARK: What the provider sends

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
    for notification in traffic.notifications {
      if notification.rules.contains(Rule.ID.identifierRepeated.rawValue) {
        own.problems.append(notification.evidence.saying("this identifier was used before on the same connection"))
      } else if notification.rules.contains(Rule.ID.identifierMissing.rawValue) {
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
      own.problems = traffic.notifications.map { $0.evidence.saying("a connection for this notification alone") }
    }
    own.facts = [Evidence(traffic.amount)]
    own.isSettled = traffic.notifications.count >= enough
    return own
  }

  // MARK: What the provider does after an answer

  /// After the gateway has rejected a notification, or has announced a shutdown.
  static func resending(_ traffic: ProviderTraffic) -> Judgement {
    answered(traffic) { own, again, answer in
      own.problems = again.unwanted.map(\.evidence) + again.disorder
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
              + again.places.map { "connection \($0)" }.joined(separator: ", "))
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
        obstacle: "notification \(stepNumber) was the last one, so nothing was discarded; send at least 10")
    }
    var own = Judgement()
    let place = Evidence(connection: connection, packet: answer.packet, identifier: answer.identifier)
    judge(&own, again, place.saying("status \(answer.status)"))
    own.isSettled = own.verdict == .passed && again.sentSince >= 20
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
        place.saying("\(deed); \(plural(later.count, "notification")) followed on connection \(first.connection)")
      ]
    } else if let absence = traffic.absence(after: ended) {
      own.missing = [place.saying("the gateway \(deed) it, and \(absence)")]
    }
    own.isSettled = later.count >= 20
    return own
  }

  static func slowReader(_ traffic: ProviderTraffic) -> Judgement {
    let broken = traffic.faults.filter(\.isStructural)
    if broken.isEmpty, let none = Judgement(traffic, without: 1) { return none }
    var own = Judgement()
    let again = SendingAgain(traffic)
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
            : "\(late.count) arrived after the gateway had read nothing for a second"))
    ]
    own.isSettled = !own.problems.isEmpty || late.count >= enough
    return own
  }

  // MARK: Feedback

  static func feedback(_ traffic: ProviderTraffic) -> Judgement {
    let connections = traffic.connections.filter { !$0.isPush }
    guard let first = connections.first else {
      return Judgement(obstacle: "the provider did not connect to the feedback service")
    }
    var own = Judgement()
    if let (bytes, connection) = traffic.writtenToFeedback {
      own.problems.append(
        Evidence(connection: connection).saying(
          "the provider wrote \(plural(bytes, "byte")) to the feedback service, which reads nothing"))
    }
    for connection in connections {
      let place = Evidence(connection: connection.number)
      switch connection.ending {
      case .reset: own.problems.append(place.saying("the provider closed the connection before it had read everything"))
      case .open: own.missing.append(place.saying("the provider did not close the connection"))
      case .finished, .finishedAfterPeer: break
      }
    }
    own.facts = [
      Evidence(connection: first.number).saying("read to its end; nothing was written")
    ]
    own.isSettled = own.missing.isEmpty
    return own
  }
}

extension ProviderTraffic {
  /// `20 notifications on 1 connection`
  fileprivate var amount: String {
    "\(plural(notifications.count, "notification")) on "
      + plural(Set(notifications.map(\.connection)).count, "connection")
  }

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
