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
    _ progress: Progress?, onFinished: (Conversation) -> Void
  ) throws(Failure) -> (Conversations, [Failure]) {
    var conversations = Conversations(settings.catalog, keepsFates: keepsFates)
    var failures: [Failure] = []
    try withoutActuallyEscaping(onFinished) { onFinished throws(Failure) in
      for reading in 0..<2 {
        if reading == 1 { conversations.readAgain() }
        var dissector = settings.dissector(
          into: ConversationSink(conversations: conversations, wanted: connections, onFinished: onFinished))
        failures = read(sources, by: settings.definitions, into: &dissector, progress: progress).failures
        if Interrupt.isRaised { throw .interrupted }
        conversations = dissector.records.conversations
      }
    }
    conversations.finish()
    conversations.takeFinished().forEach(onFinished)
    for foreign in conversations.foreign {
      let (finding, count) = (foreign.finding, foreign.streams)
      let streams = count == 1 ? "" : " (\(count) streams)"
      failures.append(.unreadable("\(sources[foreign.input].name): \(finding.message)\(streams); \(finding.fix)"))
    }
    return (conversations, failures)
  }
}

/// Passes the records of an input to `Conversations`.
private struct ConversationSink: RecordSink {
  var conversations: Conversations
  let wanted: ClosedRange<Int>?
  let onFinished: (Conversation) -> Void

  mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
    if isWanted(record.stream.connection) { conversations.take(record, bytes) }
  }

  mutating func end(of stream: ByteStream, _ role: StreamRole?, _ ending: StreamEnding) {
    if isWanted(stream.connection) { conversations.end(of: stream, role, ending) }
  }

  mutating func end(of connection: Int) {
    conversations.end(of: connection)
    conversations.takeFinished().forEach(onFinished)
  }

  private func isWanted(_ connection: Int) -> Bool { wanted?.contains(connection) ?? true }
}
