import APNSDiagnosis
import APNSInput
import APNSWire
import Testing

/// What became of each notification, by what both sides said.
@Suite struct ConversationTests {
  private func notification(_ identifier: UInt32, token: Int = 32) -> [UInt8] {
    var draft = FrameDraft(EnhancedNotification.schema)
    draft.values = [
      "identifier": .integer(UInt64(identifier)), "expiry": .integer(1_384_819_201),
      "token": .octets([UInt8](repeating: 7, count: token)), "payload": .octets(Array(#"{"aps":{"alert":"Hi"}}"#.utf8)),
    ]
    guard let bytes = try? draft.bytes() else { preconditionFailure("a draft lacks a field") }
    return bytes
  }

  private func answer(_ status: UInt8, _ identifier: UInt32) -> [UInt8] {
    [8, status] + (0..<4).reversed().map { UInt8(truncatingIfNeeded: identifier >> ($0 * 8)) }
  }

  /// Both directions read twice, as the command does.
  private func conversation(
    _ sent: [[UInt8]], _ answered: [UInt8], _ endings: (StreamEnding, StreamEnding) = (.open, .open)
  ) throws -> Conversation {
    var heard = Conversations()
    for pass in 0..<2 {
      if pass == 1 { heard.readAgain() }
      var dissector = Dissector(.standard, into: Hearing(conversations: heard))
      dissector.open(ByteStream(number: 0, isDirected: true))
      dissector.open(ByteStream(number: 1, isDirected: true))
      for bytes in sent { dissector.append(bytes.span, from: .input(offset: 0), to: 0) }
      // An answer may come in pieces.
      for byte in answered { dissector.append([byte].span, from: .input(offset: 0), to: 1) }
      dissector.close(0, endings.0)
      dissector.close(1, endings.1)
      dissector.finish()
      heard = dissector.records.conversations
    }
    heard.settle()
    return try #require(heard[0])
  }

  private func counts(_ conversation: Conversation) -> [Int] {
    for fate in Conversation.Fate.allCases {
      let told = (1...max(conversation.notifications, 1)).count { conversation.fate(of: $0) == fate }
      #expect(conversation.notifications == 0 || told == conversation.count(of: fate), "\(fate)")
    }
    return Conversation.Fate.allCases.map { conversation.count(of: $0) }
  }

  /// A capture may hold what no connection does; each stream is numbered from 1.
  @Test func takesNotificationsOfBothSides() throws {
    let told = try conversation(
      [notification(1), notification(2), notification(3)], notification(9) + notification(10))
    #expect(told.notifications == 5 && told.numbers == 1...3)
  }

  private var thousand: [[UInt8]] { (1...1000).map { notification($0) } }

  @Test func whatStandsBehindTheRejectedIsDiscarded() throws {
    let rejected = try conversation(thousand, answer(8, 600))
    #expect(counts(rejected) == [599, 1, 400, 0])
    #expect(rejected.fate(of: 600) == .rejected && rejected.fate(of: 601) == .discarded)
  }

  /// The shutdown names the last one that was accepted.
  @Test func shutdownRejectsNothing() throws {
    #expect(counts(try conversation(thousand, answer(10, 600))) == [600, 0, 400, 0])
  }

  @Test func otherByteOrderIsRecognised() throws {
    let found = try conversation((1...9).map { notification(UInt32($0).byteSwapped) }, answer(7, 3))
    #expect(counts(found) == [2, 1, 6, 0])
    #expect(found.remarks.contains { $0.contains("other order") })
  }

  /// Between the first and the last of those that share an identifier nothing can be told.
  @Test func sharedIdentifierLeavesThemOpen() throws {
    let found = try conversation([1, 5, 2, 5, 3].map { notification($0) }, answer(8, 5))
    #expect(counts(found) == [1, 0, 1, 3])
  }

  /// The service could not read the identifier: what is at fault shows in the frames.
  @Test func identifierOfNobodyPointsToTheFault() throws {
    let sent = (1...6).map { notification($0, token: $0 == 4 ? 0 : 32) }
    let found = try conversation(sent, answer(2, 0))
    #expect(counts(found) == [3, 1, 2, 0])
    if case .presumed = found.match {} else { Issue.record("\(found.match)") }
  }

  @Test func silenceMeansAcceptedWhileTheServiceStays() throws {
    let sent = (1...3).map { notification($0) }
    #expect(counts(try conversation(sent, [])) == [3, 0, 0, 0])
    #expect(counts(try conversation(sent, [], (.finished, .finished))) == [3, 0, 0, 0])
    let closed = try conversation(sent, [], (.open, .reset))
    #expect(counts(closed) == [0, 0, 0, 3] && closed.closedInSilence)
  }
}

private struct Hearing: RecordSink {
  var conversations: Conversations
  var wantsMore: Bool { true }
  mutating func take(_ record: Record, _ bytes: Span<UInt8>) { conversations.take(record, bytes) }
  mutating func end(of stream: ByteStream, _ role: StreamRole?, _ ending: StreamEnding) {
    conversations.end(of: stream, role, ending)
  }
}
