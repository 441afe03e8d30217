import APNSDiagnosis
import APNSInput
import APNSWire

/// What a provider did during a scenario: its notifications with their fates, and its connections.
struct ProviderTraffic {
  /// The notifications that were sent to the push gateway, in order of arrival.
  private(set) var notifications: [Notification] = []
  /// The errors in what was sent to the push gateway, in order.
  private(set) var faults: [Fault] = []
  /// The connections to the push gateway with notifications or an answer, by number.
  private(set) var conversations: [Int: Conversation] = [:]
  /// When the gateway last sent something, by the number of the connection.
  private(set) var answerTimes: [Int: CaptureTime] = [:]
  /// The connections to each service, numbered without gaps.
  let connections: [ServedConnection]
  /// What the provider wrote to the feedback service: the number of bytes, and the first connection with some.
  private(set) var writtenToFeedback: (bytes: Int, connection: Int)?

  /// A notification.
  struct Notification {
    let connection: Int
    /// The number of the packet with its first byte.
    let packet: Int?
    let time: CaptureTime?
    let identifier: UInt32?
    /// Whether it should have an identifier: its frame type has a field for one, and all of it has arrived.
    let mayHaveIdentifier: Bool
    /// The hash of its token and payload; 0 if only a part arrived.
    let content: UInt64
    let fate: Conversation.Fate

    var evidence: Evidence { Evidence(connection: connection, packet: packet, identifier: identifier) }
  }

  /// An error in what the provider sent.
  struct Fault {
    let evidence: Evidence
    /// Whether the bytes are no complete, well-formed frame, as opposed to a frame with an invalid value.
    let isStructural: Bool
  }

  /// Whether one connection was opened after another had ended.
  func isSuccessor(_ connection: Int, of earlier: Int) -> Bool {
    guard let later = self[connection], let end = self[earlier]?.end else { return false }
    return later.opening > end
  }

  /// The first connection to the push gateway that was opened after this one had ended.
  func successor(of connection: Int) -> ServedConnection? {
    connections.first { $0.isPush && isSuccessor($0.number, of: connection) }
  }

  /// The notifications on connections that were opened after this one had ended.
  func notifications(after connection: Int) -> [Notification] {
    notifications.filter { isSuccessor($0.connection, of: connection) }
  }

  /// The connection on which the gateway did what the scenario demands.
  var stepConnection: ServedConnection? {
    connections.first { connection in
      if case .step? = connection.reaction?.reason { connection.isPush } else { false }
    }
  }

  /// Whether the provider closed the connection before the gateway did.
  func wasLeft(_ connection: Int) -> Bool { self[connection]?.ending == .finished }

  /// Whether another connection to the push gateway was open when this one ended.
  func hasOthers(beside connection: Int) -> Bool {
    guard let end = self[connection]?.end else { return false }
    return connections.contains { other in
      other.isPush && other.number != connection && other.opening < end && (other.end ?? .max) > end
    }
  }

  /// The connection with this number.
  subscript(number: Int) -> ServedConnection? {
    let index = number - (connections.first?.number ?? 0)
    return connections.indices.contains(index) ? connections[index] : nil
  }

  /// Reads packets.
  ///
  /// - Parameters:
  ///   - packets: The packets of the scenario.
  ///   - connections: Its connections.
  ///   - definitions: The frame types and rules.
  ///   - roles: The ports of the services.
  ///   - rules: How to judge notifications.
  init(
    _ packets: [SessionPacket], _ connections: [ServedConnection], _ definitions: Definitions, _ roles: RolePolicy,
    _ rules: RulePolicy
  ) {
    self.connections = connections
    let first = connections.first?.number ?? 0
    let catalog = definitions.catalog
    var conversations = Conversations(catalog, keepsFates: true)
    // The fates depend on the answers, so the packets are read twice.
    var sink = TrafficSink(conversations: conversations, catalog: catalog)
    for isSecond in [false, true] {
      if isSecond { conversations.readAgain() }
      var dissector = Dissector(
        definitions, policy: roles, rules: rules, into: TrafficSink(conversations: conversations, catalog: catalog))
      var reassembler = Reassembler()
      for packet in packets { packet.read(into: &reassembler, &dissector) }
      // The scenario ended, but the provider may have continued.
      dissector.stop()
      reassembler.finish(into: &dissector)
      dissector.finish()
      sink = dissector.records
      conversations = sink.conversations
    }
    conversations.finish()
    for conversation in sink.finished + conversations.takeFinished() {
      self.conversations[first + conversation.connection] = conversation
    }
    for (connection, time) in sink.answerTimes { answerTimes[first + connection] = time }
    writtenToFeedback = conversations.feedback.written.map { ($0.bytes, first + $0.connection) }
    let pushes = Set(connections.filter(\.isPush).map(\.number))
    for seen in sink.seen where pushes.contains(first + seen.record.stream.connection) {
      add(seen, conversations.fate(of: seen.record), catalog, firstConnection: first)
    }
  }

  private mutating func add(
    _ seen: TrafficSink.Seen, _ fate: Conversation.Fate, _ catalog: Catalog, firstConnection first: Int
  ) {
    let record = seen.record
    let location = Evidence(
      connection: first + record.stream.connection, packet: record.packets.first?.number, identifier: seen.identifier)
    let isComplete = if case .frame(_, nil) = record.content { true } else { false }
    for finding in record.findings where finding.severity == .error {
      faults.append(
        Fault(
          evidence: location.saying(
            finding.cause.map { "\($0.evidence) (\($0.id))" } ?? "\(finding.message) (\(finding.rule))"),
          isStructural: !isComplete))
    }
    guard case .frame(let frame, _) = record.content else { return }
    notifications.append(
      Notification(
        connection: first + record.stream.connection, packet: record.packets.first?.number,
        time: record.packets.first?.time, identifier: seen.identifier,
        mayHaveIdentifier: isComplete && catalog.schema(of: frame)?.hasIdentifier ?? false, content: seen.content,
        fate: fate))
  }
}

/// Where something happened, and what.
struct Evidence {
  var connection: Int?
  var packet: Int?
  var identifier: UInt32?
  var message = ""

  init(_ message: String) { self.message = message }

  init(connection: Int?, packet: Int? = nil, identifier: UInt32? = nil) {
    (self.connection, self.packet, self.identifier) = (connection, packet, identifier)
  }

  func saying(_ message: String) -> Evidence {
    var evidence = self
    evidence.message = message
    return evidence
  }

  /// The location, then the message.
  var sentence: String { [location, message].filter { !$0.isEmpty }.joined(separator: ": ") }

  /// `connection 0, packet 12, identifier 7`
  var location: String {
    [connection.map { "connection \($0)" }, packet.map { "packet \($0)" }, identifier.map { "identifier \($0)" }]
      .compactMap(\.self).joined(separator: ", ")
  }
}

/// Passes records to `Conversations`, and keeps those that a provider sent.
private struct TrafficSink: RecordSink {
  var conversations: Conversations
  let catalog: Catalog
  private(set) var finished: [Conversation] = []
  private(set) var seen: [Seen] = []
  private(set) var answerTimes: [Int: CaptureTime] = [:]

  struct Seen {
    let record: Record
    let identifier: UInt32?
    let content: UInt64
  }

  init(conversations: Conversations, catalog: Catalog) {
    self.conversations = conversations
    self.catalog = catalog
  }

  var wantsMore: Bool { true }

  mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
    conversations.take(record, bytes)
    guard record.stream.number.isMultiple(of: 2) else {
      if record.role == .gateway { answerTimes[record.stream.connection] = record.packets.last?.time }
      return
    }
    let identifier = record.number(.identifier, in: bytes, catalog).map { UInt32(truncatingIfNeeded: $0) }
    seen.append(Seen(record: record, identifier: identifier, content: record.contentHash(in: bytes, catalog)))
  }

  mutating func end(of stream: ByteStream, _ role: StreamRole?, _ ending: StreamEnding) {
    conversations.end(of: stream, role, ending)
  }

  mutating func end(of connection: Int) {
    conversations.end(of: connection)
    finished += conversations.takeFinished()
  }
}
