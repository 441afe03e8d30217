import APNSDiagnosis
import APNSInput
import APNSWire

extension InputOptions {
  /// Reads the sources twice: first the answers, then what they refer to. Streams in another protocol are failures.
  /// - Parameters:
  ///   - connections: The numbers of the connections to read; nil for all.
  ///   - keepsFates: Whether the fates of notifications will be needed.
  ///   - onFinished: Receives each conversation when it is over.
  func conversations(
    in sources: [InputSource], _ settings: StreamSettings, connections: ClosedRange<Int>? = nil, keepsFates: Bool,
    _ progress: Progress?,
    onFinished: @escaping (Conversation) -> Void
  ) throws(Failure) -> (Conversations, [Failure]) {
    func read(
      _ conversations: Conversations, onFinished: @escaping (Conversation) -> Void = { _ in }
    ) -> (Conversations, [Failure]) {
      var dissector = settings.dissector(
        into: ConversationSink(conversations: conversations, wanted: connections, onFinished: onFinished))
      let failures = self.read(sources, by: settings.definitions, into: &dissector, progress: progress)
      return (dissector.records.conversations, failures)
    }
    var (conversations, failures) = read(Conversations(settings.catalog, keepsFates: keepsFates))
    if Interrupt.isRaised { throw .interrupted }
    conversations.readAgain()
    (conversations, _) = read(conversations, onFinished: onFinished)
    if Interrupt.isRaised { throw .interrupted }
    conversations.finish()
    for conversation in conversations.takeFinished() { onFinished(conversation) }
    for foreign in conversations.foreign {
      let (finding, count) = (foreign.finding, foreign.streams)
      let streams = count == 1 ? "" : " (\(count) streams)"
      failures.append(.unreadable("\(sources[foreign.input].name): \(finding.message)\(streams); \(finding.fix)"))
    }
    return (conversations, failures)
  }
}

/// Passes the records of an input to `Conversations`.
private struct ConversationSink: InputSink {
  var conversations: Conversations
  let wanted: ClosedRange<Int>?
  let onFinished: (Conversation) -> Void

  var showsLosses: Bool { false }
  mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
    if isWanted(record.stream.connection) { conversations.take(record, bytes) }
  }
  mutating func end(of stream: ByteStream, _ role: StreamRole?, _ ending: StreamEnding) {
    guard isWanted(stream.connection) else { return }
    conversations.end(of: stream, role, ending)
  }
  mutating func end(of connection: Int) {
    conversations.end(of: connection)
    for conversation in conversations.takeFinished() { onFinished(conversation) }
  }
  private func isWanted(_ connection: Int) -> Bool { wanted?.contains(connection) ?? true }
}
