import APNSDiagnosis
import APNSInput
import APNSWire

/// What is known after reading inputs, apart from their records.
struct InputReading {
  var failures: [Failure] = []
  /// The inputs that were read, and remarks on them or on a sequence of captures, which has no name.
  var notes: [(name: String, isEmpty: Bool, remark: String?)] = []
  /// The counts of the last capture or sequence of captures.
  var tally: Reassembler.Tally?
}

extension RecordSink where Self: ~Copyable {
  var wantsMore: Bool { !Interrupt.isRaised }
}

/// Passes each record to a closure, until it returns false.
struct RecordVisitor: RecordSink {
  let visit: (Record, Span<UInt8>) -> Bool
  private var isDone = false
  var wantsMore: Bool { !isDone && !Interrupt.isRaised }

  init(_ visit: @escaping (Record, Span<UInt8>) -> Bool) { self.visit = visit }

  mutating func take(_ record: Record, _ bytes: Span<UInt8>) { isDone = isDone || !visit(record, bytes) }
}

extension InputOptions {
  /// Reads all sources and calls `visit` with each record, until it returns false.
  func forEachRecord(
    of sources: [InputSource], _ settings: StreamSettings, quiet: Bool = true,
    _ visit: @escaping (Record, Span<UInt8>) -> Bool
  ) -> InputReading {
    var dissector = settings.dissector(into: RecordVisitor(visit))
    return read(sources, by: settings.definitions, into: &dissector, quiet: quiet)
  }

  /// Reads all sources in order. If one fails, the others are still read. Consecutive captures share a reassembler, so
  /// that connections continue from one to the next.
  /// - Parameters:
  ///   - verbose: Whether the interpretation of text is always reported.
  ///   - readsAhead: Whether a second thread reads.
  ///   - showsLosses: Whether all losses are visible in the records. Otherwise they are remarks.
  func read(
    _ sources: [InputSource], by definitions: Definitions, into dissector: inout Dissector<some RecordSink & ~Copyable>,
    quiet: Bool = true, verbose: Bool = false, readsAhead: Bool = processorCount() > 1, showsLosses: Bool = true
  ) -> InputReading {
    var reading = InputReading()
    var captures = Reassembler()
    var hasCaptures = false
    // Of several inputs, a remark on one needs its name.
    let isOneOfMany = paths.count > 1 || paths.contains { $0.path != "-" && FileKind($0.path) == .folder }
    let second = readsAhead ? WorkerThread() : nil
    for (index, source) in sources.enumerated() {
      guard dissector.wantsMore else {
        if Interrupt.isRaised, reading.failures.isEmpty {
          reading.failures.append(.interrupted(source.name).reading(input: index))
        }
        break
      }
      do throws(Failure) { try read(source, number: index) } catch {
        reading.failures.append(error.reading(input: index))
      }
    }
    endCaptures()
    dissector.finish()
    return reading

    func read(_ source: InputSource, number: Int) throws(Failure) {
      if source.isStandardInput, source.copy == nil, !quiet { StandardError.sayWaiting() }
      var file = try InputFile(source, as: from)
      if file.format == .pcap { hasCaptures = true } else { endCaptures() }
      dissector.begin(input: number, after: captures.tally.connections)
      defer {
        if file.format != .pcap { dissector.finish() }
        let remark = file.remark(verbose: verbose).map { isOneOfMany && !$0.isEmpty ? "\(file.name): \($0)" : $0 }
        reading.notes.append((file.name, file.isEmpty, remark))
      }
      guard file.format == .pcap || filter == nil || file.isEmpty else {
        throw .usage("\(file.name) is not a capture, so -f has no packets to filter; drop -f")
      }
      try file.read(by: definitions, filter: filter, number: number, with: second, &captures, into: &dissector)
    }

    func endCaptures() {
      guard hasCaptures else { return }
      captures.finish(into: &dissector)
      dissector.finish()
      let tally = captures.tally
      captures = Reassembler()
      hasCaptures = false
      reading.tally = tally
      reading.notes.append(("", false, showsLosses ? tally.unrecorded : "\(tally)"))
    }
  }

  /// Reads the sources twice: first the answers, then what they refer to. Streams in another protocol are failures.
  /// - Parameters:
  ///   - connections: The numbers of the connections to read; nil for all.
  ///   - keepsFates: Whether the fates of notifications will be needed.
  ///   - onFinished: Receives each conversation when it is over.
  func conversations(
    in sources: [InputSource], _ settings: StreamSettings, connections: ClosedRange<Int>? = nil, keepsFates: Bool,
    onFinished: (Conversation) -> Void
  ) throws(Failure) -> (Conversations, [Failure]) {
    var conversations = Conversations(settings.catalog, keepsFates: keepsFates)
    var failures: [Failure] = []
    try withoutActuallyEscaping(onFinished) { onFinished throws(Failure) in
      for reading in 0..<2 {
        if reading == 1 { conversations.readAgain() }
        var dissector = settings.dissector(
          into: ConversationSink(conversations: conversations, wanted: connections, onFinished: onFinished))
        failures = read(sources, by: settings.definitions, into: &dissector).failures
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
