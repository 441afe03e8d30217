import APNSInput
import APNSWire

/// All conversations of an input. The input is read twice: first for the answers, then for the notifications that they
/// name.
///
/// A conversation is returned by ``takeFinished()`` when its connection is over. Its answer is kept; if fates will be
/// asked for, those of conversations with an answer or a doubt are kept, too.
public struct Conversations: Sendable {
  private let catalog: Catalog
  /// The answers that the first reading found, by connection; nil for connections of the feedback service.
  private var answers: [Int: Conversation.Answer?] = [:]
  private var open: [Int: Conversation] = [:]
  /// Ordered by connection.
  private var finished: [Conversation] = []
  /// No conversation below `lowest` is open. `highest` is the highest connection so far.
  private var lowest = 0
  private var highest = -1
  private var isSecondReading = false
  /// What a third reading needs of each conversation: the zones, and the answer and the named frame, by record number.
  /// Nil if there is no third reading.
  private var kept: [Int: (zones: Conversation.Zones, answer: Int?, named: Int?)]?
  private var tokens = RefusedTokens()
  private var sentAgain = SentAgain()
  /// What is in other protocols, and therefore unreadable: the first finding about each, which names it and says what
  /// to do, the input that contains it, and the number of streams.
  package private(set) var foreign: [(finding: Finding, input: Int, streams: Int)] = []
  /// The tokens that the feedback service reported.
  public private(set) var feedback: FeedbackTokens
  /// The number of conversations that contain anything.
  public private(set) var count = 0
  /// Whether some notifications were not presumably accepted.
  package private(set) var isBad = false

  private static let maxWaiting = 1 << 10

  /// No conversations yet. `keepsFates` says whether ``fate(of:)`` and `isAnswerOrNamed(_:)` will be called.
  public init(_ catalog: Catalog, keepsFates: Bool = false) {
    self.catalog = catalog
    kept = keepsFates ? [:] : nil
    feedback = FeedbackTokens(catalog)
  }

  /// Ends the first reading. The same records must be added again.
  public mutating func readAgain() { isSecondReading = true }

  /// Ends the second reading and finishes all conversations.
  public mutating func finish() {
    for connection in open.keys.sorted() { end(of: connection) }
    open = [:]
  }

  /// Removes and returns finished conversations in ascending order of their connections. They wait for open
  /// conversations with a lower number, unless too many wait.
  public mutating func takeFinished() -> [Conversation] {
    while lowest <= highest, open[lowest] == nil { lowest += 1 }
    let count = finished.count < Self.maxWaiting ? finished.prefix { $0.connection < lowest }.count : finished.count
    let taken = Array(finished[..<count])
    if count == finished.count { finished = [] } else { finished.removeFirst(count) }
    return taken
  }

  /// Adds a record and its bytes, in the order in which the dissector returned it.
  public mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
    let connection = record.stream.connection
    if isSecondReading { noteForeign(record) }
    switch (record.role, isSecondReading) {
    case (.gateway?, false):
      if let answer = answer(in: record, bytes) { note(answer, of: connection) }
    case (.gateway?, true): addGatewayRecord(record, bytes)
    case (.feedback?, false):
      note(nil, of: connection)
      feedback.note(record, bytes)
    case (.provider?, true), (nil, true):
      if isFeedback(record.stream) {
        feedback.noteClient(record)
      } else if record.role != nil {
        addProviderRecord(record, bytes)
      } else if case .gap = record.content, record.stream.isDirected {
        if isProvider(record.stream, nil) {
          addProviderRecord(record, bytes)
        } else {
          addGatewayRecord(record, bytes)
        }
      }
    default: break
    }
  }

  /// Ends one direction of a connection. The role is nil if it is not known.
  public mutating func end(of stream: ByteStream, _ role: StreamRole?, _ ending: StreamEnding) {
    guard isSecondReading, role != .feedback, stream.isDirected, !isFeedback(stream) else { return }
    let isProvider = isProvider(stream, role)
    change(stream) { conversation in
      conversation.note(stream)
      if isProvider { conversation.providerEnding = ending } else { conversation.gatewayEnding = ending }
    }
    if open[stream.connection]?.hasEnded == true { end(of: stream.connection) }
  }

  /// Finishes the conversation of a connection on which nothing more follows.
  public mutating func end(of connection: Int) {
    guard isSecondReading, var conversation = open.removeValue(forKey: connection) else { return }
    conversation.resolve()
    guard conversation.hasMessages else { return }
    count += 1
    isBad = isBad || conversation.isBad
    tokens.note(conversation)
    sentAgain.note(conversation)
    let index = finished.lastIndex { $0.connection < connection }.map { $0 + 1 } ?? 0
    finished.insert(conversation, at: index)
    guard conversation.needsFates else { return }
    kept?[connection] = (conversation.zones, conversation.answer?.number, conversation.named?.number)
  }

  /// The fate of the notification in a record. It is known after both readings. All of them are accepted on a
  /// connection of which nothing is kept.
  public func fate(of record: Record) -> Conversation.Fate {
    let zones = kept?[record.stream.connection]?.zones ?? Conversation.Zones(accepted: .end)
    return zones.fate(of: record.number, by: \.number, isCut: record.isCut, isRefused: record.refusal != nil)
  }

  /// Whether the record is an answer, or the notification that an answer names.
  package func isAnswerOrNamed(_ record: Record) -> Bool {
    let kept = kept?[record.stream.connection]
    return record.number == (record.role == .gateway ? kept?.answer : kept?.named)
  }

  /// Observations about all conversations together, as one sentence each.
  public var remarks: [String] { [tokens.remark, sentAgain.remark].compactMap(\.self) }

  /// Whether each discarded notification was sent again on another connection.
  package var areDiscardedSentAgain: Bool { sentAgain.isComplete }
}

extension Conversations {
  /// The role is not known before the first frame. The provider opens the connection.
  private func isProvider(_ stream: ByteStream, _ role: StreamRole?) -> Bool {
    role.map { $0 == .provider } ?? stream.number.isMultiple(of: 2)
  }

  private func isFeedback(_ stream: ByteStream) -> Bool { answers[stream.connection].map { $0 == nil } ?? false }

  /// Keeps the first answer that refuses something, otherwise the last one.
  private mutating func note(_ answer: Conversation.Answer?, of connection: Int) {
    if answers[connection].map({ $0?.status == 0 }) ?? true { answers.updateValue(answer, forKey: connection) }
  }

  private mutating func change(_ stream: ByteStream, _ body: (inout Conversation) -> Void) {
    highest = max(highest, stream.connection)
    let answer = answers[stream.connection] ?? nil
    body(&open[stream.connection, default: Conversation(stream.connection, answer)])
  }

  private mutating func noteForeign(_ record: Record) {
    guard case .unparsed(let reason) = record.content, ForeignProtocol.isRule(reason),
      let finding = record.findings.first(where: { $0.rule == reason })
    else { return }
    change(record.stream) { $0.isForeign = true }
    if let index = foreign.firstIndex(where: { $0.finding.rule == finding.rule }) {
      foreign[index].streams += 1
    } else {
      foreign.append((finding, record.input, 1))
    }
  }

  private func answer(in record: Record, _ bytes: Span<UInt8>) -> Conversation.Answer? {
    guard case .frame(_, nil) = record.content, let status = record.number(.status, in: bytes, catalog),
      let identifier = record.number(.identifier, in: bytes, catalog)
    else { return nil }
    return Conversation.Answer(
      status: UInt8(truncatingIfNeeded: status), identifier: UInt32(truncatingIfNeeded: identifier),
      origin: record.packets.first, number: record.number)
  }

  private mutating func addGatewayRecord(_ record: Record, _ bytes: Span<UInt8>) {
    let answer = answer(in: record, bytes)
    switch record.content {
    case .gap: return change(record.stream) { $0.missingBytes += record.count }
    // Other protocols are not part of a conversation, and other complete frames are no answers.
    case .unparsed(let reason): if ForeignProtocol.isRule(reason) { return }
    case .frame(_, let condition): if condition == nil, answer == nil { return }
    case .overlap: return
    }
    change(record.stream) { conversation in
      conversation.note(record, from: record.stream.route?.reversed)
      switch (answer, conversation.answer) {
      case (nil, nil): conversation.brokenBytes += record.count
      case (nil, _?): break
      case (let answer?, _) where answer.status == 0: conversation.successes += 1
      case (_?, nil): conversation.answer = answer
      case (_?, _?): conversation.moreAnswers += 1
      }
    }
  }

  private mutating func addProviderRecord(_ record: Record, _ bytes: Span<UInt8>) {
    switch record.content {
    case .frame(let frame, _) where !record.isForeign:
      addFrame(frame, record, bytes)
      feedback.noteSent(frame, record, bytes)
    case .gap:
      change(record.stream) { conversation in
        // The packet of a gap is the one after it.
        guard conversation.answered == nil else { return }
        conversation.holes = (conversation.holes?.first ?? conversation.sent, conversation.sent)
      }
    case .unparsed, .frame:
      let fault = record.refusal
      // The service reads the rest of a frame as the start of the next one.
      guard fault != nil || record.content == .unparsed(reason: Record.restOfFrame) else { return }
      change(record.stream) { conversation in
        guard conversation.firstRefused == nil else { return }
        conversation.note(record, from: record.stream.route)
        conversation.firstRefused = Conversation.Named(
          record, fault: fault, isNotification: false,
          before: fault == nil ? conversation.lastSound : conversation.sent, after: conversation.sent)
      }
    case .overlap: break
    }
  }

  private mutating func addFrame(_ frame: FrameRef, _ record: Record, _ bytes: Span<UInt8>) {
    let (catalog, hasEarlier) = (catalog, !sentAgain.isEmpty)
    let identifier = record.number(.identifier, in: bytes, catalog).map { UInt32(truncatingIfNeeded: $0) }
    let refusal = record.refusal
    let fault = record.isCut ? nil : refusal ?? record.findings.first { $0.severity == .error }
    var again: (hash: UInt64, ordinal: Int)?
    change(record.stream) { conversation in
      conversation.note(record, from: record.stream.route)
      let before = conversation.sent
      let isLate = conversation.isLate(record)
      if isLate, conversation.answered == nil { conversation.answered = before }
      conversation.sent.ordinal += 1
      conversation.sent.number = max(before.number, record.number)
      conversation.lastSound = fault == nil ? conversation.sent : before
      if record.isCut { conversation.sent.cut += 1 }
      if record.isCut || refusal != nil { conversation.doubt(refusal?.rule) }
      let after = conversation.sent
      lazy var token = catalog.leaf(.token, of: frame, in: bytes).flatMap { $0.count > 0 ? $0.range : nil }
      lazy var named = Conversation.Named(
        record, fault: fault, isNotification: true, before: before, after: after,
        tokenHash: token.map { bytes.hash(of: [$0]) } ?? 0)
      if refusal != nil, conversation.firstRefused == nil { conversation.firstRefused = named }
      if refusal == nil, fault != nil, conversation.firstFaulty == nil { conversation.firstFaulty = named }
      if record.findings.contains(where: { $0.rule == Rule.pushOnFeedbackPort.id }) {
        conversation.isMisdirected = true
      }
      if hasEarlier || conversation.mayDiscard { again = (record.contentHash(in: bytes, catalog), after.ordinal) }
      guard let answer = conversation.known else { return }
      let isMeant = refusal?.answer == .status(answer.status)
      if isMeant, conversation.faulty == nil { conversation.faulty = named }
      if identifier == answer.identifier {
        let candidates = isLate ? \Conversation.late : \.same
        conversation[keyPath: candidates].note(named, isFaulty: isMeant)
      } else if identifier?.byteSwapped == answer.identifier, !isLate {
        conversation.swapped.note(named, isFaulty: isMeant)
      }
    }
    if let again { sentAgain.note(again.hash, again.ordinal, on: record.stream.connection) }
  }
}

extension Conversation {
  /// Whether the next notification may turn out to be discarded.
  fileprivate var mayDiscard: Bool {
    firstFault != nil || answered != nil || same.count + swapped.count > 0
      || known != nil && (beginning == .midway || holes != nil)
  }
}
