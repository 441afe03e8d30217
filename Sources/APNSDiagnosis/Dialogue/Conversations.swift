import APNSInput
import APNSWire
import Octets

/// All conversations of an input. The input is read twice: first for the answers, then for the notifications that they
/// name.
///
/// Memory is bounded. A conversation is returned by ``takeFinished()`` when its connection is over, and only a few
/// bytes are kept for each answer.
public struct Conversations: Sendable {
  private let catalog: Catalog
  private var answers = AnswerTable()
  private var open: [Int: Conversation] = [:]
  /// Ordered by connection.
  private var finished: [Conversation] = []
  /// No conversation below `lowest` is open. `highest` is the highest connection so far.
  private var lowest = 0
  private var highest = -1
  private var isSecondReading = false
  /// Kept for a third reading of the notifications.
  private var fates: [UInt32: Fates] = [:]
  private let keepsFates: Bool
  private var tokens = RefusedTokens()
  private var sentAgain = SentAgain()
  /// What is in other protocols, and therefore unreadable: one entry for each protocol.
  public private(set) var foreign: [Foreign] = []
  /// The tokens that the feedback service reported.
  public private(set) var feedback: FeedbackTokens
  /// The number of conversations that contain anything.
  public private(set) var count = 0
  /// Whether some notifications were not presumably accepted.
  public private(set) var isBad = false

  /// Creates an empty set of conversations.
  ///
  /// - Parameters:
  ///   - catalog: the frame types of the input.
  ///   - keepsFates: whether ``fate(of:)`` and ``isAnswerOrNamed(_:)`` will be called after both readings.
  public init(_ catalog: Catalog, keepsFates: Bool = false) {
    self.catalog = catalog
    self.keepsFates = keepsFates
    feedback = FeedbackTokens(catalog)
  }

  /// Whether there are more conversations than can be kept for a third reading, so that its result would be incomplete.
  public private(set) var hasForgotten = false
  private static let maxFates = 1 << 19

  /// Ends the first reading. The same records must be added again.
  public mutating func readAgain() { isSecondReading = true }

  /// Ends the second reading and finishes all conversations.
  public mutating func finish() {
    let rest = open.keys.sorted()
    for connection in rest { if let conversation = open.removeValue(forKey: connection) { finish(conversation) } }
  }

  /// Removes and returns finished conversations in ascending order of their connections. They wait for open
  /// conversations with a lower number, unless too many wait.
  public mutating func takeFinished() -> [Conversation] {
    while lowest <= highest, open[lowest] == nil { lowest += 1 }
    let count = finished.count < Self.maxWaiting ? finished.prefix { $0.connection < lowest }.count : finished.count
    defer { finished.removeFirst(count) }
    return Array(finished[..<count])
  }

  private static let maxWaiting = 1 << 10

  /// Adds a record in the order in which the dissector returned it.
  ///
  /// - Parameters:
  ///   - record: the record.
  ///   - bytes: the bytes of the record.
  public mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
    if isSecondReading { noteForeign(record) }
    switch (record.role, isSecondReading) {
    case (.gateway?, false): noteAnswer(record, bytes)
    case (.gateway?, true): addGatewayRecord(record, bytes)
    case (.feedback?, false):
      answers.note(.feedback, of: record.stream.connection)
      feedback.note(record, bytes)
    case (.provider?, true): addProviderRecord(record, bytes)
    case (nil, true): if isFeedback(record.stream) { feedback.noteClient(record) }
    default: break
    }
  }

  /// Ends one direction of a connection.
  ///
  /// - Parameters:
  ///   - stream: the stream that ended.
  ///   - role: its role; nil if it is not known.
  ///   - ending: how it ended.
  public mutating func end(of stream: ByteStream, _ role: StreamRole?, _ ending: StreamEnding) {
    guard isSecondReading, role != .feedback, stream.isDirected, !isFeedback(stream) else { return }
    // The provider opens the connection. A gateway that sent nothing has no known role.
    let isProvider = role.map { $0 == .provider } ?? stream.number.isMultiple(of: 2)
    change(stream) { conversation in
      conversation.note(stream)
      if isProvider { conversation.providerEnding = ending } else { conversation.gatewayEnding = ending }
    }
    if open[stream.connection]?.hasEnded == true { end(of: stream.connection) }
  }

  /// Finishes the conversation of a connection on which nothing more follows.
  public mutating func end(of connection: Int) {
    guard isSecondReading, let conversation = open.removeValue(forKey: connection) else { return }
    finish(conversation)
  }

  /// The fate of the notification in a record. It is known after both readings.
  public func fate(of record: Record) -> Conversation.Fate {
    if let fates = fates[UInt32(clamping: record.stream.connection)] { return fates.fate(of: record) }
    return record.isCut || record.isRefused ? .unknown : .accepted
  }

  /// Whether the record is an answer, or the notification that an answer names.
  public func isAnswerOrNamed(_ record: Record) -> Bool {
    fates[UInt32(clamping: record.stream.connection)]?.isAnswerOrNamed(record) ?? false
  }

  /// Observations about all conversations together, as one sentence each.
  public var remarks: [String] { tokens.remarks + sentAgain.remarks }

  /// Whether each discarded notification was sent again on another connection.
  public var areDiscardedSentAgain: Bool { sentAgain.isComplete }
}

extension Conversations {
  /// A protocol that some streams are in.
  public struct Foreign: Sendable {
    /// The finding about the first stream, which names the protocol and says what to do.
    public let finding: Finding
    /// The number of the input that contains the first stream.
    public let input: Int
    /// The number of streams.
    public fileprivate(set) var streams = 1
  }

  private func isFeedback(_ stream: ByteStream) -> Bool { answers[stream.connection]?.isFeedback ?? false }

  private mutating func change(_ stream: ByteStream, _ body: (inout Conversation) -> Void) {
    highest = max(highest, stream.connection)
    let answer = answers[stream.connection]
    body(&open[stream.connection, default: Conversation(stream.connection, answer)])
  }

  private mutating func finish(_ ended: Conversation) {
    var conversation = ended
    conversation.resolve()
    guard conversation.hasMessages else { return }
    count += 1
    isBad = isBad || conversation.isBad
    tokens.note(conversation)
    sentAgain.note(conversation)
    let index = finished.lastIndex { $0.connection < conversation.connection }.map { $0 + 1 } ?? 0
    finished.insert(conversation, at: index)
    guard keepsFates, conversation.needsFates else { return }
    guard fates.count < Self.maxFates else {
      hasForgotten = true
      return
    }
    fates[UInt32(clamping: conversation.connection)] = Fates(conversation)
  }

  private mutating func noteForeign(_ record: Record) {
    guard case .unparsed(let reason) = record.content,
      let finding = record.findings.first(where: { $0.rule == reason && ForeignProtocol.isRule($0.rule) })
    else { return }
    change(record.stream) { $0.isForeign = true }
    if let index = foreign.firstIndex(where: { $0.finding.rule == finding.rule }) {
      foreign[index].streams += 1
    } else {
      foreign.append(Foreign(finding: finding, input: record.input))
    }
  }

  // MARK: The service

  private mutating func noteAnswer(_ record: Record, _ bytes: Span<UInt8>) {
    guard let (status, identifier) = response(in: record, bytes) else { return }
    answers.note(
      .init(status: status, identifier: identifier, from: record.packets.first), of: record.stream.connection)
  }

  private func response(in record: Record, _ bytes: Span<UInt8>) -> (status: UInt8, identifier: UInt32)? {
    guard case .frame(_, nil) = record.content, let status = record.number(.status, in: bytes, catalog),
      let identifier = record.number(.identifier, in: bytes, catalog)
    else { return nil }
    return (UInt8(truncatingIfNeeded: status), UInt32(truncatingIfNeeded: identifier))
  }

  private mutating func addGatewayRecord(_ record: Record, _ bytes: Span<UInt8>) {
    let response = response(in: record, bytes)
    // Other protocols are not part of a conversation, and other complete frames are no answers.
    if response == nil, record.isOtherThanAnswer { return }
    change(record.stream) { conversation in
      conversation.note(record, from: record.stream.route?.reversed)
      guard let (status, identifier) = response else {
        if conversation.answer == nil { conversation.brokenBytes += record.count }
        if conversation.answer != nil { conversation.spareBytes += record.count }
        if conversation.answer == nil, record.isCut { conversation.isAnswerCut = true }
        return
      }
      if status == 0 {
        conversation.successes += 1
      } else if conversation.answer == nil {
        conversation.answer = .init(
          status: status, identifier: identifier, packet: record.packets.first?.number, number: record.number)
      } else {
        conversation.moreAnswers += 1
      }
    }
  }

  // MARK: The provider

  private mutating func addProviderRecord(_ record: Record, _ bytes: Span<UInt8>) {
    if isFeedback(record.stream) { return feedback.noteClient(record) }
    switch record.content {
    case .frame(let frame, _):
      addFrame(frame, record, bytes)
      feedback.noteSent(record, bytes)
    case .gap:
      change(record.stream) { conversation in
        guard !conversation.isLate(record) else { return }
        let point = conversation.sent
        let holes = conversation.holes ?? (point, point, 0)
        conversation.holes = (holes.first, point, holes.bytes + record.count)
      }
    case .unparsed(let reason):
      let fault = record.refusal
      // The service reads the rest of a frame as the start of the next one.
      guard fault != nil || reason == Record.restOfFrame else { return }
      change(record.stream) { conversation in
        guard conversation.firstRefused == nil else { return }
        conversation.note(record, from: record.stream.route)
        conversation.firstRefused = Conversation.Named(
          record, fault: fault, tokenSize: nil, payloadSize: nil, tokenHash: 0, isNotification: false,
          before: fault == nil ? conversation.lastSound : conversation.sent, after: conversation.sent)
      }
    case .overlap: break
    }
  }

  private mutating func addFrame(_ frame: FrameRef, _ record: Record, _ bytes: Span<UInt8>) {
    let catalog = catalog
    let identifier = record.number(.identifier, in: bytes, catalog).map { UInt32(truncatingIfNeeded: $0) }
    let isCut = record.isCut
    let refusal = record.refusal
    let fault = isCut ? nil : refusal ?? record.findings.first { $0.severity == .error }
    change(record.stream) { conversation in
      conversation.note(record, from: record.stream.route)
      let before = conversation.sent
      let isLate = conversation.isLate(record)
      if isLate, conversation.answered == nil { conversation.answered = before }
      if identifier != nil { conversation.hasIdentifiers = true }
      conversation.sent.ordinal += 1
      conversation.sent.number = max(before.number, record.number)
      conversation.lastSound = fault == nil ? conversation.sent : before
      if isCut { conversation.sent.cut += 1 }
      if isCut || refusal != nil {
        conversation.sent.doubtful += 1
        conversation.doubt(before.ordinal + 1, refusal?.rule)
      }
      let after = conversation.sent
      func named() -> Conversation.Named {
        let token = catalog.leaf(.token, of: frame, in: bytes)
        let payload = catalog.leaf(.payload, of: frame, in: bytes)
        return Conversation.Named(
          record, fault: fault, tokenSize: token?.count, payloadSize: payload?.count,
          tokenHash: token.map { $0.count > 0 ? bytes.hash(of: [$0.range]) : 0 } ?? 0, isNotification: true,
          before: before,
          after: after)
      }
      if refusal != nil, conversation.firstRefused == nil { conversation.firstRefused = named() }
      if refusal == nil, fault != nil, conversation.firstFaulty == nil { conversation.firstFaulty = named() }
      if record.findings.contains(where: { $0.rule == pushOnFeedbackPort.id }) { conversation.isMisdirected = true }
      guard !conversation.search.isEmpty else { return }
      let answer = conversation.search[0].answer
      let isMeant = refusal?.answer == .status(answer.status)
      if isMeant, conversation.search[0].faulty == nil { conversation.search[0].faulty = named() }
      if identifier == answer.identifier {
        conversation.search[0].same.note(after, late: isLate, isFaulty: isMeant, named)
      } else if identifier?.byteSwapped == answer.identifier {
        conversation.search[0].swapped.note(after, late: isLate, isFaulty: isMeant, named)
      }
    }
    let connection = record.stream.connection
    let isKept = open[connection].map { !$0.search.isEmpty || $0.firstFault != nil } ?? false
    if isKept || !sentAgain.isEmpty {
      sentAgain.note(record.contentHash(in: bytes, catalog), on: connection, isKept: isKept)
    }
  }
}

extension Span<UInt8> {
  fileprivate func hash(of values: [Range<Int>]) -> UInt64 {
    var hash = FNV1a()
    for index in values.joined() { hash.add(self[index]) }
    return hash.value
  }
}

extension Conversation {
  fileprivate mutating func note(_ record: Record, from route: ByteStream.Route?) {
    self.route = self.route ?? route
    time = time ?? record.packets.first?.time
    note(record.stream)
  }

  /// Whether the record was written after the answer had arrived. Every record after a late one is late, too.
  fileprivate func isLate(_ record: Record) -> Bool {
    if answered != nil { return true }
    if search.first?.answer.status == 0 { return false }
    return search.first?.answer.precedes(record.packets.first) ?? (answer != nil)
  }
}

extension Record {
  /// A hash of the token and the payload of a notification; 0 for a frame of which only a part is known.
  public func contentHash(in bytes: Span<UInt8>, _ catalog: Catalog) -> UInt64 {
    guard !isCut, case .frame(let frame, _) = content else { return 0 }
    return bytes.hash(of: [Field.Role.token, .payload].compactMap { catalog.leaf($0, of: frame, in: bytes)?.range })
  }

  fileprivate var isOtherThanAnswer: Bool {
    switch content {
    case .gap, .overlap: true
    case .unparsed(let reason): ForeignProtocol.isRule(reason)
    case .frame(_, let condition): condition == nil
    }
  }
}
