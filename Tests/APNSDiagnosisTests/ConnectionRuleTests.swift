import APNSDiagnosis
import APNSInput
import APNSWire
import TestSupport
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
    var dissector = Dissector(.standard, into: Hearing(conversations: Conversations(.standard)))
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

  private struct Visit {
    let client: UInt32
    let opened: Int
    /// How many connections are opened before this one is closed.
    var overlap = 0
  }

  /// The numbers of the connections, in the order in which they are opened, that are reported.
  private func reported(_ visits: [Visit]) -> [Int] {
    var dissector = Dissector(.standard, into: Hearing(conversations: Conversations(.standard)))
    var open: [(number: Int, until: Int)] = []
    for (number, visit) in visits.enumerated() {
      for index in open.indices.reversed() where open[index].until < number {
        dissector.close(open.remove(at: index).number * 2, .finished)
      }
      let source = Endpoint(address: .v4(visit.client), port: UInt16(truncatingIfNeeded: number))
      var stream = ByteStream(
        number: number * 2, route: .init(source: source, destination: Talk.route(2195).destination))
      stream.beginning = .handshake
      dissector.open(stream)
      let time = CaptureTime(seconds: visit.opened, nanoseconds: 0, digits: 6)
      dissector.append(
        notification(UInt32(number)).span, from: .packet(.init(number: number + 1, time: time)), to: number * 2)
      open.append((number, number + visit.overlap))
    }
    dissector.finish()
    return dissector.records.records.filter { $0.findings.contains { $0.rule == "rapid-connections" } }
      .map { $0.stream.number / 2 }.sorted()
  }

  /// The same, counted slowly.
  private func expected(_ visits: [Visit]) -> [Int] {
    var seen: Set<UInt32> = []
    return visits.indices.filter { number in
      let visit = visits[number]
      let recent = visits[..<number].enumerated().filter { earlier, other in
        earlier + other.overlap < number && other.client == visit.client
          && (0..<60).contains(visit.opened - other.opened)
      }
      return recent.count >= 20 && seen.insert(visit.client).inserted
    }
  }

  @Test func anyMinuteCounts() {
    let start = 1_384_732_800
    func visits(_ times: [Int], by client: UInt32 = 7) -> [Visit] {
      times.map { Visit(client: client, opened: start + $0) }
    }
    func times(_ count: Int, at second: Int) -> [Int] { [Int](repeating: second, count: count) }
    // Fifteen on each side of the end of a minute that begins with the first connection.
    #expect(reported(visits([0] + times(15, at: 50) + times(15, at: 61))) == [21])
    #expect(reported(visits(times(20, at: 0) + [59])) == [20])
    #expect(reported(visits(times(20, at: 0) + [60])).isEmpty)
    #expect(reported(visits(times(19, at: 0) + [1])).isEmpty)
    // A long connection does not hide the short ones.
    var long = visits([0] + times(12, at: 4000) + times(12, at: 4001))
    long[0].overlap = 10
    #expect(reported(long) == [21])
    // Past 2038.
    #expect(reported(times(21, at: 2_200_000_000).map { Visit(client: 7, opened: $0) }) == [20])
  }

  @Test func eachClientIsReportedOnce() {
    let visits = (0..<2000).map { Visit(client: UInt32($0 % 40), opened: 1_384_732_800 + $0 / 100) }
    #expect(reported(visits) == Array(800..<840))
  }

  @Test func countsAsTheTimesSay() {
    var count = 0
    for run in 0..<60 {
      let seed = runSeed &+ UInt64(run)
      var random = SeededGenerator(seed: seed)
      var now = 1_384_732_800
      let pause = Int.random(in: 1...4, using: &random)
      let visits = (0..<300).map { _ in
        now += Int.random(in: 0...pause, using: &random)
        if random.chance(2) { now += Int.random(in: 0...90, using: &random) }
        return Visit(
          client: UInt32.random(in: 1...3, using: &random), opened: now,
          overlap: random.chance(20) ? Int.random(in: 1...40, using: &random) : 0)
      }
      let expected = expected(visits)
      #expect(reported(visits) == expected, "APNSCOPE_SEED=\(seed)")
      count += expected.count
    }
    #expect(count > 30)
  }

  /// The clients that have been idle for longest are forgotten, not the ones that connect again and again.
  @Test func manyClientsAreNotTooMany() {
    let visits = (0..<20_001).map { number in
      Visit(client: number.isMultiple(of: 1000) ? 7 : UInt32(number + 100), opened: 1_384_732_800)
    }
    #expect(reported(visits) == [20_000])
  }
}
