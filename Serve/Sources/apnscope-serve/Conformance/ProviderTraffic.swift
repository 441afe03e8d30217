import APNSDiagnosis
import APNSInput
import APNSWire
import Octets

/// What a provider did during a scenario: its notifications with their fates, and its connections.
struct ProviderTraffic {
  /// The notifications that were sent to the push gateway, in order of arrival.
  private(set) var notifications: [Notification] = []
  /// The errors in what was sent to the push gateway, in order.
  private(set) var faults: [Evidence] = []
  /// Those errors that are in no complete, well-formed frame.
  private(set) var structuralFaults: [Evidence] = []
  /// The connections to each service, in the order in which they were opened.
  private(set) var connections: [ServedConnection]
  /// What the provider wrote to the feedback service: the number of bytes, and the index of the first connection.
  let writtenToFeedback: (bytes: Int, connection: Int)?

  struct Notification {
    /// The index of the connection.
    let connection: Int
    /// Where it begins.
    let evidence: Evidence
    let time: CaptureTime?
    /// Whether it should have an identifier: its frame type has a field for one, and all of it has arrived.
    let mayHaveIdentifier: Bool
    /// The hash of its token and payload; 0 if only a part arrived.
    let content: UInt64
    let fate: Conversation.Fate

    /// Whether it arrived at least this many seconds after a time; false if that is not known.
    func isLate(by seconds: Double, after start: CaptureTime?) -> Bool {
      guard let start, let time else { return false }
      return Double(time.seconds - start.seconds) + Double(time.nanoseconds - start.nanoseconds) / 1e9 >= seconds
    }
  }

  /// Reads the packets of a scenario. The roles are those of the services' ports.
  init(
    _ packets: [SessionPacket], _ connections: [ServedConnection], _ definitions: Definitions, _ roles: RolePolicy,
    _ rules: RulePolicy
  ) {
    self.connections = connections
    let catalog = definitions.catalog
    var sink = TrafficSink(catalog: catalog, conversations: Conversations(catalog, keepsFates: true))
    // The fates depend on the answers, so the packets are read twice.
    for isSecond in [false, true] {
      if isSecond { sink.conversations.readAgain() }
      sink = TrafficSink(catalog: catalog, conversations: sink.conversations)
      var dissector = Dissector(definitions, policy: roles, rules: rules, into: sink)
      var reassembler = Reassembler()
      for packet in packets {
        reassembler.packet(packet.bytes.span, link: .ethernet, origin: packet.origin, into: &dissector)
      }
      // The scenario ended, but the provider may have continued.
      dissector.stop()
      reassembler.finish(into: &dissector)
      dissector.finish()
      sink = dissector.records
    }
    sink.conversations.finish()
    writtenToFeedback = sink.conversations.feedback.written
    for conversation in sink.conversations.takeFinished()
    where connections.indices.contains(conversation.connection) {
      self.connections[conversation.connection].conversation = conversation
    }
    for seen in sink.seen where connections.indices.contains(seen.record.stream.connection) {
      if connections[seen.record.stream.connection].isPush { add(seen, sink) }
    }
  }

  private mutating func add(_ seen: TrafficSink.Seen, _ sink: TrafficSink) {
    let record = seen.record
    let packet = record.packets.first
    let evidence = Evidence(
      connection: connections[record.stream.connection].number, packet: packet?.number, identifier: seen.identifier)
    let isComplete = if case .frame(_, nil) = record.content { true } else { false }
    for finding in record.findings where finding.severity == .error {
      let sentence = finding.cause.map { "\($0.evidence) (\($0.id))" } ?? "\(finding.message) (\(finding.rule))"
      faults.append(evidence.saying(sentence))
      if !isComplete { structuralFaults.append(evidence.saying(sentence)) }
    }
    guard case .frame(let frame, _) = record.content else { return }
    notifications.append(
      Notification(
        connection: record.stream.connection, evidence: evidence, time: packet?.time,
        mayHaveIdentifier: isComplete && sink.catalog.schema(of: frame)?.hasIdentifier ?? false, content: seen.content,
        fate: sink.conversations.fate(of: record)))
  }
}

extension ProviderTraffic {
  /// Whether one connection was opened after another had ended.
  func isSuccessor(_ connection: Int, of earlier: Int) -> Bool {
    connections[earlier].end.map { connections[connection].opening > $0 } ?? false
  }

  /// Whether the provider connected to the push gateway after this connection had ended.
  func hasSuccessor(of connection: Int) -> Bool {
    connections.indices.contains { connections[$0].isPush && isSuccessor($0, of: connection) }
  }

  /// The notifications on connections that were opened after this one had ended.
  func notifications(after connection: Int) -> [Notification] {
    notifications.filter { isSuccessor($0.connection, of: connection) }
  }

  /// The index of the connection on which the gateway did what the scenario demands.
  var stepConnection: Int? {
    connections.firstIndex { connection in
      if case .step? = connection.reaction?.reason { connection.isPush } else { false }
    }
  }

  /// Whether another connection to the push gateway was open when this one ended.
  func hasOthers(beside connection: Int) -> Bool {
    guard let end = connections[connection].end else { return false }
    return connections.indices.contains { index in
      let other = connections[index]
      return other.isPush && index != connection && other.opening < end && (other.end ?? .max) > end
    }
  }

  /// `20 notifications on 1 connection`
  var amount: String {
    "\(plural(notifications.count, "notification")) on "
      + plural(Set(notifications.map(\.connection)).count, "connection")
  }

  /// Throws if there are fewer than `least` notifications, which the scenario needs.
  func require(_ least: Int) throws(Evidence) {
    let count = notifications.count
    guard count < least else { return }
    throw Evidence(
      message: count > 0
        ? "the provider sent \(plural(count, "notification")), and this needs at least \(least)"
        : connections.contains(where: \.isPush)
          ? "the provider connected to the push gateway, but sent no notification"
          : "the provider did not connect to the push gateway")
  }
}

/// Passes records to `Conversations`, and keeps those that a provider sent.
private struct TrafficSink: RecordSink {
  let catalog: Catalog
  var conversations: Conversations
  var seen: [Seen] = []

  typealias Seen = (record: Record, identifier: UInt32?, content: UInt64)

  var wantsMore: Bool { true }

  mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
    conversations.take(record, bytes)
    guard record.stream.number.isMultiple(of: 2) else { return }
    let identifier = record.number(.identifier, in: bytes, catalog).map { UInt32(truncatingIfNeeded: $0) }
    seen.append((record, identifier, record.contentHash(in: bytes, catalog)))
  }

  mutating func end(of stream: ByteStream, _ role: StreamRole?, _ ending: StreamEnding) {
    conversations.end(of: stream, role, ending)
  }

  mutating func end(of connection: Int) { conversations.end(of: connection) }
}
