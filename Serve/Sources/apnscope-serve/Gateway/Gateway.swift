import APNSDiagnosis
import APNSInput
import APNSWire

/// Decides how a push gateway reacts to the notifications on its connections.
///
/// It judges each notification by the rules of the other commands, and reacts as Apple documents, unless a ``Behavior``
/// says otherwise. It trusts lengths, as the service did. Connections have numbers; those of open ones are different.
struct Gateway: ~Copyable {
  private var dissector: Dissector<GatewaySink>

  init(_ definitions: Definitions, _ edition: Edition, _ behavior: Behavior) {
    var policy = RolePolicy(role: .provider)
    policy.isRoleCertain = true
    dissector = Dissector(
      definitions, policy: policy, rules: RulePolicy(edition: edition), recovers: false,
      into: GatewaySink(catalog: definitions.catalog, edition: edition, behavior: behavior))
  }

  mutating func open(_ connection: Int) {
    dissector.open(ByteStream(number: connection * 2))
  }

  /// Receives the next bytes of an open connection. Returns the reactions, in order. After one that
  /// ``Reaction/isLast``, bytes of the connection are not judged.
  mutating func receive(_ bytes: Span<UInt8>, on connection: Int) -> [Reaction] {
    let stream = connection * 2
    dissector.append(bytes, from: .input(offset: 0), to: stream)
    // The gateway need not wait for what follows an unknown command, or a length that no notification has.
    if let frame = dissector.heldFrame(of: stream),
      frame.condition == .unknownCommand || frame.count + frame.needed > Catalog.longestFrame
    {
      dissector.records.refuse(frame)
    }
    let reactions = dissector.records.reactions
    dissector.records.reactions = []
    if reactions.last?.isLast == true { close(connection) }
    return reactions
  }

  /// The number of bytes that are kept of an incomplete notification.
  func heldBytes(of connection: Int) -> Int { dissector.heldBytes(of: connection * 2) }

  /// The number of bytes that are kept of incomplete notifications, over all connections.
  var heldBytes: Int { dissector.heldBytes }

  mutating func close(_ connection: Int) {
    // The bytes that are left are discarded.
    dissector.records.isJudging = false
    dissector.close(connection * 2, .finished)
    dissector.records.isJudging = true
    dissector.records.accepted[connection] = nil
  }
}

/// Finds the notifications that call for a reaction.
private struct GatewaySink: RecordSink {
  let catalog: Catalog
  let edition: Edition
  var behavior: Behavior
  /// The number of notifications that could be accepted on each connection.
  var accepted: [Int: Int] = [:]
  var reactions: [Reaction] = []
  var isJudging = true

  var wantsMore: Bool { reactions.last?.isLast != true }

  /// Refuses a frame that cannot be read.
  mutating func refuse(_ frame: FrameRef) {
    if wantsMore { refuse(ReplyPolicy(catalog.schema(of: frame), in: edition).reply(to: .malformed), nil) }
  }

  private mutating func refuse(_ reply: GatewayReply, _ identifier: UInt32?) {
    var reaction = behavior.documented
    (reaction.status, reaction.identifier) = (reply.status, identifier)
    reactions.append(reaction)
  }

  mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
    guard isJudging, wantsMore else { return }
    let identifier = record.number(.identifier, in: bytes, catalog).flatMap { UInt32(exactly: $0) }
    if let reply = record.refusal?.answer {
      refuse(reply, identifier)
    } else if case .frame(let frame, nil) = record.content {
      let count = accepted[record.stream.connection, default: 0] + 1
      accepted[record.stream.connection] = count
      let token = catalog.leaf(.token, of: frame, in: bytes).map { [UInt8](copying: bytes.extracting($0.range)) }
      guard var reaction = behavior.deviation(token: token ?? [], count) else { return }
      // Where the policy has no error response, the gateway sends none.
      let policy = ReplyPolicy(catalog.schema(of: frame), in: edition)
      reaction.status = reaction.status.flatMap { policy.reply(to: .status($0)).status }
      reaction.identifier = identifier
      reactions.append(reaction)
    }
  }
}

extension GatewayReply {
  /// The status of the error response; nil if there is none.
  fileprivate var status: UInt8? {
    switch self {
    case .status(let status): status
    case .errorResponse: ErrorResponse.unknown
    case .close: nil
    }
  }
}

extension Reaction {
  /// The bytes of the error response; empty if there is none.
  var packet: [UInt8] {
    guard let status else { return [] }
    var draft = FrameDraft(ErrorResponse.schema)
    // Observed: the gateway that could not read an identifier answered with 0.
    draft.values = ["status": .integer(UInt64(status)), "identifier": .integer(UInt64(identifier ?? 0))]
    // All values fit.
    return (try? draft.bytes()) ?? []
  }
}
