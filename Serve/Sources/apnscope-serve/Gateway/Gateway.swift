import APNSDiagnosis
import APNSInput
import APNSWire

/// Decides how a push gateway reacts to the notifications on its connections.
///
/// It judges each notification by the rules of the other commands, and reacts as Apple documents, unless a ``Behavior``
/// says otherwise. It trusts lengths, as the service did.
typealias Gateway = Dissector<GatewaySink>

extension Gateway {
  init(_ definitions: Definitions, _ edition: Edition, _ behavior: Behavior) {
    var policy = RolePolicy(role: .provider)
    policy.isRoleCertain = true
    self.init(
      definitions, policy: policy, rules: RulePolicy(edition: edition), recovers: false,
      into: GatewaySink(catalog: definitions.catalog, edition: edition, behavior: behavior))
  }

  /// Receives the next bytes of an open stream. Returns the reactions, in order. After one that ``Reaction/isLast``,
  /// bytes of the stream are not judged.
  mutating func receive(_ bytes: Span<UInt8>, on stream: Int) -> [Reaction] {
    append(bytes, from: .input(offset: 0), to: stream)
    // The gateway need not wait for what follows an unknown command, or a length that no notification has.
    if let frame = heldFrame(of: stream),
      frame.condition == .unknownCommand || frame.count + frame.needed > Catalog.longestFrame
    {
      records.refuse(frame)
    }
    let reactions = records.reactions
    records.reactions = []
    if reactions.last?.isLast == true { discard(stream) }
    return reactions
  }

  /// Closes a stream without judging the bytes that are left.
  mutating func discard(_ stream: Int) {
    records.isJudging = false
    close(stream, .finished)
    records.isJudging = true
    records.accepted[stream] = nil
  }
}

/// Finds the notifications that call for a reaction.
struct GatewaySink: RecordSink {
  let catalog: Catalog
  let edition: Edition
  var behavior: Behavior
  /// The number of notifications that could be accepted on each stream.
  var accepted: [Int: Int] = [:]
  var reactions: [Reaction] = []
  var isJudging = true

  var wantsMore: Bool { reactions.last?.isLast != true }

  /// Refuses a frame that cannot be read.
  mutating func refuse(_ frame: FrameRef) {
    guard wantsMore else { return }
    react(behavior.documented, ReplyPolicy(catalog.schema(of: frame), in: edition).reply(to: .malformed), nil)
  }

  mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
    guard isJudging, wantsMore else { return }
    let identifier = record.number(.identifier, in: bytes, catalog).flatMap { UInt32(exactly: $0) }
    if let reply = record.refusal?.answer {
      react(behavior.documented, reply, identifier)
    } else if case .frame(let frame, nil) = record.content {
      let count = accepted[record.stream.number, default: 0] + 1
      accepted[record.stream.number] = count
      let token = catalog.leaf(.token, of: frame, in: bytes).map { [UInt8](copying: bytes.extracting($0.range)) }
      guard let reaction = behavior.deviation(token: token ?? [], count) else { return }
      // Where the policy has no error response, the gateway sends none.
      let policy = ReplyPolicy(catalog.schema(of: frame), in: edition)
      react(reaction, reaction.status.map { policy.reply(to: .status($0)) }, identifier)
    }
  }

  private mutating func react(_ reaction: Reaction, _ reply: GatewayReply?, _ identifier: UInt32?) {
    var reaction = reaction
    reaction.identifier = identifier
    reaction.status =
      switch reply {
      case .status(let status): status
      case .errorResponse: ErrorResponse.unknown
      case .close, nil: nil
      }
    reactions.append(reaction)
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
