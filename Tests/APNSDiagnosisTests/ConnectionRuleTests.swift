import APNSDiagnosis
import APNSInput
import APNSWire
import Testing

/// What only both sides of a connection show, or several connections.
@Suite struct ConnectionRuleTests {
  private static let rules: Set = [
    "sent-after-answer", "second-answer", "success-answered", "no-close-after-answer", "push-on-feedback-port",
    "feedback-on-push-port", "feedback-client-writes", "rapid-connections",
  ]

  private func rules(_ talk: Talk) -> [String] { talk.findings().map(\.rule).filter(Self.rules.contains) }

  @Test func writingAfterAnAnswer() {
    var talk = Talk(1...3, answer: (8, 2))
    #expect(rules(talk).isEmpty)
    for number in 4...6 { talk.send(notification(UInt32(number))) }
    // Once, at the first one.
    #expect(rules(talk) == ["sent-after-answer"])
    #expect(talk.findings().first { $0.rule == "sent-after-answer" }?.range.lowerBound == notification(1).count * 3)
    // Status 0 refuses nothing.
    var success = Talk(1...3, answer: (0, 2))
    success.send(notification(4))
    #expect(rules(success).isEmpty)
  }

  @Test func secondAnswers() {
    var talk = Talk(1...3, answer: (8, 2))
    talk.answer(7, 3)
    talk.answer(7, 3)
    #expect(rules(talk) == ["second-answer"])
    var success = Talk(1...3, answer: (0, 1))
    success.answer(0, 2)
    success.answer(0, 3)
    #expect(rules(success) == ["success-answered"])
    // Answers of several connections in one file are not a connection.
    let file = findings(in: [8, 8, 0, 0, 0, 1, 8, 7, 0, 0, 0, 2], .gateway, RulePolicy())
    #expect(!file.contains { $0.rule == "second-answer" })
  }

  @Test func serviceThatStays() {
    var talk = Talk(1...3, answer: (8, 2))
    talk.delay = 2
    talk.send(notification(4))
    talk.send(notification(5))
    #expect(rules(talk) == ["sent-after-answer", "no-close-after-answer"])
    // Without TCP, nothing shows a close.
    talk.beginning = .unknown
    #expect(rules(talk) == ["sent-after-answer"])
  }

  @Test func portsOfTheOtherService() throws {
    var push = Talk(1...3)
    push.route = Talk.route(2196)
    #expect(rules(push) == ["push-on-feedback-port"])
    let (conversation, _, _) = try push.heard()
    #expect(conversation.count(of: .unknown) == 3)
    push.route = Talk.route(2195)
    #expect(rules(push).isEmpty)

    var feedback = Talk()
    feedback.answerBytes([0x52, 0x89, 0x58, 0x1c, 0, 32] + [UInt8](repeating: 7, count: 32))
    feedback.route = Talk.route(2195)
    #expect(rules(feedback) == ["feedback-on-push-port"])
    feedback.route = Talk.route(2196)
    #expect(rules(feedback).isEmpty)
  }

  /// Instead of what would be wrong with a notification.
  @Test(arguments: [[0], Array("GET / HTTP/1.0\r\n\r\n".utf8)]) func feedbackClientThatWrites(_ bytes: [UInt8]) {
    var talk = Talk()
    talk.send(bytes)
    talk.route = Talk.route(2196)
    #expect(talk.findings().map(\.rule) == ["feedback-client-writes"])
  }

  private func connections(_ count: Int, every seconds: Int, _ ending: StreamEnding) -> [String] {
    var dissector = Dissector(.standard, into: Hearing(conversations: Conversations()))
    for number in 0..<count {
      var stream = ByteStream(number: number * 2, route: Talk.route(2195))
      stream.beginning = .handshake
      dissector.open(stream)
      let time = CaptureTime(seconds: 1_384_732_800 + number * seconds, nanoseconds: 0, digits: 6)
      dissector.append(
        notification(UInt32(number)).span, from: .packet(.init(number: number + 1, time: time)), to: number * 2)
      dissector.close(number * 2, ending)
    }
    dissector.finish()
    return dissector.records.records.flatMap(\.findings).map(\.rule).filter(Self.rules.contains)
  }

  @Test func connectionsInQuickSuccession() {
    #expect(connections(60, every: 0, .finished) == ["rapid-connections"])
    #expect(connections(60, every: 1, .finished) == ["rapid-connections"])
    #expect(connections(60, every: 10, .finished).isEmpty)
    // The service closed them, as it does after each answer.
    #expect(connections(60, every: 0, .finishedAfterPeer).isEmpty)
    #expect(connections(60, every: 0, .open).isEmpty)
  }
}
