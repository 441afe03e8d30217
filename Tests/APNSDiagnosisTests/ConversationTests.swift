import APNSDiagnosis
import APNSInput
import APNSWire
import Testing

/// What became of each notification, by what both sides said.
@Suite struct ConversationTests {
  private func counts(_ talk: Talk, _ edition: Edition = .standard) throws -> [Int] {
    let (conversation, records, all) = try talk.heard(edition)
    let counts = Conversation.Fate.allCases.map { conversation.count(of: $0) }
    // The same by each record, and by the numbers that are printed.
    for (fate, count) in zip(Conversation.Fate.allCases, counts) {
      #expect(records.count { all.fate(of: $0) == fate } == count, "\(fate)")
      #expect(conversation.ordinals(of: fate).reduce(0) { $0 + $1.count } == count, "\(fate)")
    }
    #expect(counts.reduce(0, +) == conversation.notifications)
    return counts
  }

  @Test func whatFollowsTheRejectedIsDiscarded() throws {
    var talk = Talk()
    for number in 1...1000 { talk.send(notification(UInt32(number))) }
    talk.answer(8, 600)
    #expect(try counts(talk) == [599, 1, 400, 0])
    let (conversation, _, _) = try talk.heard()
    #expect(conversation.ordinals(of: .discarded) == [601...1000] && conversation.sentAfterAnswer == 0)
  }

  /// Status 10 names the last one that was accepted, status 1 one that is malformed, status 0 none that is refused.
  @Test(
    arguments: [(10, [4, 0, 2, 0]), (1, [3, 1, 2, 0]), (255, [3, 1, 2, 0]), (0, [6, 0, 0, 0])] as [(UInt8, [Int])])
  func statusesAreAsInTheGuide(_ status: UInt8, _ expected: [Int]) throws {
    #expect(try counts(Talk(1...6, answer: (status, 4))) == expected)
  }

  /// Closed after a status 0, nothing says how much more it had read.
  @Test func closeAfterSuccessLeavesTheRestOpen() throws {
    var talk = Talk(1...6, answer: (0, 4))
    talk.endings = (.open, .finished)
    #expect(try counts(talk) == [4, 0, 0, 2])
  }

  @Test func anAnswerOfStatus0IsNotTheAnswer() throws {
    var talk = Talk(1...3)
    talk.answer(0, 1)
    talk.answer(0, 2)
    talk.answer(7, 3)
    #expect(try counts(talk) == [2, 1, 0, 0])
    let (conversation, _, _) = try talk.heard()
    #expect(conversation.successes == 2 && conversation.answer?.status == 7)
  }

  private func faultyFrame(_ number: UInt8, lengthOff distance: UInt8 = 0) -> [UInt8] {
    var frame: [UInt8] = [1, 0, 0, 0, number, 0x52, 0x8a, 0xaa, 0x78]
    frame += counted(goodToken) + counted(goodPayload)
    frame[frame.count - goodPayload.count - 1] += distance
    return frame
  }

  /// A zero after each frame is no notification of command 0, and is not sent again.
  @Test func bytesBetweenFramesAreNoNotifications() throws {
    var talk = Talk()
    for number: UInt8 in 1...4 { talk.send(faultyFrame(number) + (number < 4 ? [0] : [])) }
    talk.answer(8, 2)
    #expect(try counts(talk) == [1, 1, 2, 0])
  }

  /// Its length says one byte more, but all of the last notification was sent.
  @Test func aWrongLengthIsNoMissingByte() throws {
    var talk = Talk()
    talk.send(faultyFrame(1))
    talk.send(faultyFrame(2, lengthOff: 1))
    talk.answer(8, 1)
    #expect(try counts(talk) == [0, 1, 1, 0])
  }

  /// If the port is that of the feedback service, the notification that an answer names was sent all the same.
  @Test func theFeedbackPortIsSaidFirst() throws {
    var talk = Talk(1...2, answer: (8, 1))
    talk.route = Talk.route(2196)
    #expect(try talk.heard().conversation.remarks.contains { $0.hasPrefix("port 2196") })
  }

  @Test func otherByteOrderIsRecognised() throws {
    var talk = Talk()
    for number in 1...9 { talk.send(notification(UInt32(number).byteSwapped)) }
    talk.answer(7, 3)
    #expect(try counts(talk) == [2, 1, 6, 0])
    guard case .byteSwapped = try talk.heard().conversation.match else { return #expect(Bool(false)) }
  }

  /// Between the first and the last of those that share an identifier nothing can be known.
  @Test func sharedIdentifierLeavesThemOpen() throws {
    #expect(try counts(Talk([1, 5, 2, 5, 3], answer: (8, 5))) == [1, 0, 1, 3])
    #expect(try counts(Talk([1, 5, 2, 5, 3], answer: (10, 5))) == [2, 0, 1, 2])
  }

  /// One of them breaks the rule that the status names.
  @Test func statusChoosesAmongThem() throws {
    var talk = Talk()
    for number in 1...6 { talk.send(notification(1234, token: number == 4 ? 0 : 32)) }
    talk.answer(2, 1234)
    #expect(try counts(talk) == [3, 1, 2, 0])
  }

  /// The service could not read the identifier: what is at fault shows in the frames.
  @Test func unknownIdentifierPointsToTheFault() throws {
    var talk = Talk()
    for number in 1...6 { talk.send(notification(UInt32(number), token: number == 4 ? 0 : 32)) }
    talk.answer(2, 0)
    #expect(try counts(talk) == [3, 1, 2, 0])
    // A shutdown names no frame at fault.
    talk.answer(10, 99, replacing: true)
    #expect(try counts(talk) == [0, 0, 0, 6])
  }

  /// What is no frame is no notification either.
  @Test func bytesBetweenFramesAreNotCounted() throws {
    var talk = Talk(1...2)
    talk.send(Array("[INFO] sent 1002\n".utf8))
    for number in 3...4 { talk.send(notification(UInt32(number))) }
    talk.answer(255, 0)
    #expect(try counts(talk) == [2, 0, 2, 0])
  }

  @Test func silenceMeansAcceptedWhileTheServiceStays() throws {
    var talk = Talk(1...3)
    #expect(try counts(talk) == [3, 0, 0, 0])
    talk.endings = (.finished, .finishedAfterPeer)
    #expect(try counts(talk) == [3, 0, 0, 0])
    for ending in [StreamEnding.finished, .reset] {
      talk.endings = (.open, ending)
      #expect(try counts(talk) == [0, 0, 0, 3] && talk.heard().conversation.closedInSilence)
      // The provider closes because the service did.
      talk.endings = (.finishedAfterPeer, ending)
      #expect(try counts(talk) == [0, 0, 0, 3])
    }
  }

  /// If the input has one side only, the other one's silence means nothing.
  @Test func nothingIsAcceptedWithoutTheOtherSide() throws {
    for faulty in [nil, 2] as [UInt32?] {
      var talk = Talk()
      for number in 1...3 as ClosedRange<UInt32> { talk.send(notification(number, token: number == faulty ? 0 : 32)) }
      talk.hasGateway = false
      #expect(try counts(talk) == [0, 0, 0, 3])
      let conversation = try talk.heard().conversation
      #expect(conversation.isOneSided && conversation.isBad)
      #expect(conversation.remarks.count == 1 && conversation.remarks[0].contains("the other direction is missing"))
      // An export without packets has both directions, if they have bytes.
      talk.beginning = .unknown
      #expect(try counts(talk) == (faulty == nil ? [3, 0, 0, 0] : [1, 0, 0, 2]))
      // A file or pasted text has one.
      talk.isDirected = false
      #expect(try counts(talk) == [0, 0, 0, 3])
    }
  }

  /// What is written in another protocol is named, and answers nothing.
  @Test func otherProtocolsAreNamed() throws {
    var talk = Talk(1...3)
    talk.answerBytes(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
    talk.endings = (.open, .finished)
    #expect(try counts(talk) == [0, 0, 0, 3])
    #expect(try talk.heard().conversation.remarks.contains { $0.contains("another protocol") })
    #expect(try talk.hear().conversations.foreign.map { $0.finding.rule } == ["http1-message"])
    talk = Talk()
    talk.send([0x16, 3, 1, 0, 5, 1, 0, 0, 1, 0])
    talk.answerBytes([0x16, 3, 3, 0, 5, 2, 0, 0, 1, 0])
    let heard = try talk.hear()
    #expect(heard.takenConversations.isEmpty)
    #expect(heard.conversations.foreign.map { $0.finding.rule } == ["tls-records"])
    #expect(heard.conversations.foreign.map { $0.streams } == [2])
  }

  /// A service that closes or resets without a packet refuses the frame at fault.
  @Test(arguments: [StreamEnding.finished, .reset]) func silentCloseRejectsTheFault(_ ending: StreamEnding) throws {
    var talk = Talk()
    for number in 1...5 { talk.send(notification(UInt32(number), token: number == 3 ? 0 : 32)) }
    talk.endings = (.open, ending)
    #expect(try counts(talk) == [2, 1, 2, 0] && talk.heard().conversation.isBad)
  }

  @Test func refusedIsNeverAccepted() throws {
    var talk = Talk()
    for number in 1...5 { talk.send(notification(UInt32(number), token: number == 2 ? 0 : 32)) }
    // No answer was captured.
    #expect(try counts(talk) == [1, 0, 0, 4] && talk.heard().conversation.isBad)
    // A later one is named.
    talk.answer(8, 4)
    #expect(try counts(talk) == [2, 1, 1, 1])
    #expect(try talk.heard().conversation.ordinals(of: .unknown) == [2...2])
  }

  /// The length of #2 is 4 bytes too small, so the service reads its last 4 bytes as the start of a frame.
  @Test func whatFollowsTheRestOfAFrameIsNotAccepted() throws {
    var talk = Talk(1...1)
    var cut = notification(2)
    cut[44] -= 4
    talk.send(cut)
    for number in 3...4 { talk.send(notification(UInt32(number))) }
    #expect(try counts(talk) == [1, 0, 0, 3] && talk.heard().conversation.isBad)
    talk.endings = (.open, .finished)
    #expect(try counts(talk) == [1, 0, 2, 1])
  }

  @Test func aPartOfAFrameIsUnknown() throws {
    var talk = Talk(1...2)
    talk.send(Array(notification(3).prefix(40)))
    talk.endings = (.finished, .open)
    #expect(try counts(talk) == [2, 0, 0, 1])
    talk.answer(8, 1)
    #expect(try counts(talk) == [0, 1, 1, 1])
  }

  @Test func captureThatBeganLateDiscardsAll() throws {
    var talk = Talk(50...53, answer: (8, 44))
    talk.beginning = .midway
    #expect(try counts(talk) == [0, 0, 4, 0])
    talk.beginning = .handshake
    #expect(try counts(talk) == [0, 0, 0, 4])
    talk.beginning = .unknown
    #expect(try counts(talk) == [0, 0, 0, 4])
  }

  @Test func namedInAGap() throws {
    var talk = Talk(1...2)
    talk.lose(notification(3).count)
    for number in 4...5 { talk.send(notification(UInt32(number))) }
    talk.answer(8, 3)
    #expect(try counts(talk) == [2, 0, 2, 0])
  }

  /// Before the first notification, too.
  @Test func namedInAGapAtTheStart() throws {
    var talk = Talk()
    talk.lose(notification(1).count)
    talk.send(notification(2))
    talk.answer(8, 1)
    #expect(try counts(talk) == [0, 0, 1, 0])
  }

  @Test func aLostAnswerLeavesAllOpen() throws {
    var talk = Talk(1...2)
    talk.lose(6, of: 1)
    talk.endings.gateway = .finished
    #expect(try counts(talk) == [0, 0, 0, 2])
  }

  /// What was written after the answer cannot be meant, and is discarded whatever is meant.
  @Test func answerMeansWhatWasSentBefore() throws {
    var talk = Talk(1...3, answer: (8, 2))
    talk.send(notification(2))
    talk.send(notification(4))
    #expect(try counts(talk) == [1, 1, 3, 0] && talk.heard().conversation.sentAfterAnswer == 2)
    var unknown = Talk(1...3, answer: (8, 99))
    unknown.send(notification(4))
    #expect(try counts(unknown) == [0, 0, 1, 3])
  }

  /// The packets of a capture need not be in order.
  @Test func answerBeforeItsNotification() throws {
    var talk = Talk(1...2, answer: (8, 4))
    for number in 3...5 { talk.send(notification(UInt32(number))) }
    #expect(try counts(talk) == [3, 1, 1, 0] && talk.heard().conversation.sentAfterAnswer == 0)
  }

  @Test func anAnswerWithoutNotifications() throws {
    #expect(try counts(Talk([UInt32](), answer: (8, 3))) == [0, 0, 0, 0])
  }

  /// The feedback service's client sends nothing; what it writes is no notification.
  @Test func feedbackClientSendsNoNotification() throws {
    var talk = Talk()
    talk.route = Talk.route(2196)
    talk.send([0])
    talk.answerBytes([0x52, 0x89, 0x58, 0x1c, 0, 32] + [UInt8](repeating: 7, count: 32))
    let all = try talk.hear()
    #expect(all.takenConversations.isEmpty)
    #expect(all.conversations.feedback.written?.bytes == 1 && all.conversations.feedback.tokens.count == 1)
  }

  /// What could not be read may have been tokens.
  @Test func unreadTuplesAreSaid() throws {
    let tuple: [UInt8] = [0x52, 0x89, 0x58, 0x1c, 0, 32] + [UInt8](repeating: 7, count: 32)
    for (count, isSaid) in [(38, false), (20, true)] {
      var talk = Talk()
      talk.route = Talk.route(2196)
      talk.answerBytes(tuple + tuple.prefix(count))
      let feedback = try talk.hear().conversations.feedback
      #expect(feedback.tokens.count == 1)
      #expect(feedback.remarks.contains { $0.hasPrefix("20 bytes of the service could not be read") } == isSaid)
    }
  }

  /// Conversations are handed out when their connections end, so that memory does not grow with them.
  @Test func endedConversationsAreHandedOut() throws {
    var all = Conversations(.standard)
    all.readAgain()
    var dissector = Dissector(.standard, into: Hearing(conversations: all))
    for connection in 0..<100 {
      dissector.open(ByteStream(number: connection * 2, isDirected: true))
      dissector.append(notification(1).span, from: .input(offset: 0), to: connection * 2)
      dissector.close(connection * 2, .finished)
      dissector.forget(connection: connection)
      all = dissector.records.conversations
      #expect(all.takeFinished().map(\.connection) == [connection])
      dissector.records.conversations = all
    }
  }
}

func notification(_ identifier: UInt32, token: Int = 32) -> [UInt8] {
  var draft = FrameDraft(EnhancedNotification.schema)
  draft.values = [
    "identifier": .integer(UInt64(identifier)), "expiry": .integer(1_384_819_201),
    "token": .octets([UInt8](repeating: 7, count: token)), "payload": .octets(Array(#"{"aps":{"alert":"Hi"}}"#.utf8)),
  ]
  guard let bytes = try? draft.bytes() else { preconditionFailure("a draft lacks a field") }
  return bytes
}

/// Both sides of a connection, a packet for each event.
struct Talk {
  private enum Event {
    case sent([UInt8])
    case lost(Int, of: Int)
    case answered([UInt8])
  }
  private var events: [Event] = []
  var endings: (provider: StreamEnding, gateway: StreamEnding) = (.open, .open)
  var beginning = ByteStream.Beginning.handshake
  /// Without ports, six bytes may begin a feedback tuple as well as be an answer.
  var route = Talk.route(2195)
  /// Whether the capture has packets of the service.
  var hasGateway = true
  var isDirected = true
  /// Of the packets of the service, after those before.
  var delay = 0

  static func route(_ port: UInt16) -> ByteStream.Route {
    ByteStream.Route(
      source: Endpoint(address: .v4(0x0a00_0001), port: 40000), destination: Endpoint(address: .v4(1), port: port))
  }

  init(_ identifiers: some Sequence<UInt32> = [], answer: (status: UInt8, identifier: UInt32)? = nil) {
    for identifier in identifiers { send(notification(identifier)) }
    if let answer { self.answer(answer.status, answer.identifier) }
  }

  mutating func send(_ bytes: [UInt8]) { events.append(.sent(bytes)) }
  mutating func lose(_ count: Int, of side: Int = 0) { events.append(.lost(count, of: side)) }
  mutating func answerBytes(_ bytes: [UInt8]) { events.append(.answered(bytes)) }

  mutating func answer(_ status: UInt8, _ identifier: UInt32, replacing: Bool = false) {
    if replacing { events.removeLast() }
    answerBytes([8, status] + (0..<4).reversed().map { UInt8(truncatingIfNeeded: identifier >> ($0 * 8)) })
  }

  /// The records of notifications, and what became of them.
  func heard(
    _ edition: Edition = .standard
  ) throws -> (
    conversation: Conversation, notifications: [Record], all: Conversations
  ) {
    let heard = try hear(edition)
    let notifications = heard.records.filter { record in
      guard record.role == .provider, case .frame = record.content else { return false }
      return !record.isForeign
    }
    return (try #require(heard.takenConversations.first), notifications, heard.conversations)
  }

  func hear(_ edition: Edition = .standard) throws -> Hearing {
    var heard = Hearing(conversations: Conversations(.standard, keepsFates: true))
    for pass in 0..<2 {
      if pass == 1 { heard.conversations.readAgain() }
      heard.records = []
      heard = dissect(RulePolicy(edition: edition), into: heard)
    }
    heard.conversations.finish()
    heard.takenConversations = heard.conversations.takeFinished()
    return heard
  }

  func findings() -> [Finding] {
    dissect(RulePolicy(), into: Hearing(conversations: Conversations(.standard))).records.flatMap(\.findings)
  }

  private func dissect(_ rules: RulePolicy, into heard: Hearing) -> Hearing {
    var dissector = Dissector(.standard, rules: rules, into: heard)
    for side in 0..<(hasGateway ? 2 : 1) {
      let route =
        side == 0 ? route : ByteStream.Route(source: route.destination, destination: route.source)
      var stream = ByteStream(number: side, route: route, isDirected: isDirected)
      stream.beginning = beginning
      dissector.open(stream)
    }
    var time = 1_384_732_800
    for (index, event) in events.enumerated() {
      let origin = Origin.packet(
        Origin.Packet(number: index + 1, time: CaptureTime(seconds: time, nanoseconds: 0, digits: 6)))
      switch event {
      case .sent(let bytes): dissector.append(bytes.span, from: origin, to: 0)
      case .lost(let count, let side): dissector.gap(of: count, in: side)
      case .answered(let bytes):
        dissector.append(bytes.span, from: origin, to: 1)
        time += delay
      }
    }
    dissector.close(1, endings.gateway)
    dissector.close(0, endings.provider)
    dissector.finish()
    return dissector.records
  }
}

struct Hearing: RecordSink {
  var conversations: Conversations
  var takenConversations: [Conversation] = []
  var records: [Record] = []
  var wantsMore: Bool { true }
  mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
    records.append(record)
    conversations.take(record, bytes)
  }
  mutating func end(of stream: ByteStream, _ role: StreamRole?, _ ending: StreamEnding) {
    conversations.end(of: stream, role, ending)
  }
  mutating func end(of connection: Int) { conversations.end(of: connection) }
}
