import APNSDiagnosis
import APNSInput
import APNSWire

/// Decides how a push gateway reacts to the notifications on its connections.
///
/// It judges each notification by the rules of the other commands, and reacts as Apple documents, unless a ``Behavior``
/// says otherwise. It trusts lengths, as the service did.
public struct Gateway: ~Copyable {
  private var dissector: Dissector<GatewaySink>

  /// Creates a gateway without connections.
  ///
  /// - Parameters:
  ///   - definitions: the frame types and rules.
  ///   - edition: the edition whose limits and replies apply.
  ///   - behavior: how the gateway deviates from the documents.
  public init(_ definitions: Definitions, edition: Edition, behavior: Behavior = Behavior()) {
    var policy = RolePolicy(role: .provider)
    policy.isRoleCertain = true
    dissector = Dissector(
      definitions, policy: policy, rules: RulePolicy(edition: edition), recovers: false,
      into: GatewaySink(definitions.catalog, edition, behavior))
  }

  /// Begins a connection. Its number must not be that of another open connection.
  public mutating func open(_ connection: Int) {
    dissector.open(ByteStream(number: connection * 2))
  }

  /// Receives the next bytes of a connection.
  ///
  /// - Parameters:
  ///   - bytes: the bytes.
  ///   - connection: the number of an open connection.
  /// - Returns: the reactions, in order. After one that ``Reaction/isLast``, bytes of the connection are not judged.
  public mutating func receive(_ bytes: Span<UInt8>, on connection: Int) -> [Reaction] {
    let stream = connection * 2
    dissector.append(bytes, from: .input(offset: 0), to: stream)
    // The gateway need not wait for what follows an unknown command, or a length that no notification has.
    if let frame = dissector.heldFrame(of: stream),
      frame.condition == .unknownCommand || frame.count + frame.needed > Catalog.longestFrame
    {
      dissector.records.refuse(frame)
    }
    let reactions = dissector.records.takeReactions()
    if reactions.last?.isLast == true { close(connection) }
    return reactions
  }

  /// The number of bytes that are kept of an incomplete notification.
  public func heldBytes(of connection: Int) -> Int { dissector.heldBytes(of: connection * 2) }

  /// The number of bytes that are kept of incomplete notifications, over all connections.
  public var heldBytes: Int { dissector.heldBytes }

  /// Ends a connection.
  public mutating func close(_ connection: Int) {
    // The bytes that are left are discarded.
    dissector.records.isJudging = false
    dissector.close(connection * 2, .finished)
    dissector.records.isJudging = true
    dissector.records.forget(connection)
  }
}

/// What the gateway does after a notification that it does not simply accept.
public struct Reaction: Sendable, Hashable {
  /// The identifier of the notification; nil if it has none.
  public let identifier: UInt32?
  /// The status of the error response to send first; nil if there is none.
  public let status: UInt8?
  /// What follows the error response.
  public let ending: Ending
  /// How the gateway does this; the delay is not nil.
  public let manner: Behavior.Manner
  /// Why the gateway does this.
  public let reason: Reason

  /// Why the gateway does something.
  public enum Reason: Sendable, Hashable {
    /// Apple documents it.
    case documented
    /// A ``Behavior/Rule`` demands it.
    case rule
    /// The ``Behavior/Step`` with this number, counted from 1, demands it.
    case step(Int)
  }

  /// What the gateway does with a connection.
  public enum Ending: Sendable, Hashable {
    /// It closes the connection.
    case close
    /// It aborts the connection (RST).
    case reset
    /// It leaves the connection open and stops reading.
    case stall
    /// It reads nothing for this time, in seconds. Then the connection continues.
    case pause(Double)
  }

  /// The bytes of the error response; empty if there is none.
  public var packet: [UInt8] {
    guard let status else { return [] }
    var draft = FrameDraft(ErrorResponse.schema)
    // Observed: the gateway that could not read an identifier answered with 0.
    draft.values = ["status": .integer(UInt64(status)), "identifier": .integer(UInt64(identifier ?? 0))]
    // All values fit.
    return (try? draft.bytes()) ?? []
  }

  /// Whether the gateway judges nothing after it on the same connection.
  public var isLast: Bool { if case .pause = ending { false } else { true } }
}

/// Finds the notifications that call for a reaction.
private struct GatewaySink: RecordSink {
  let catalog: Catalog
  private let edition: Edition
  private var behavior: Behavior
  /// The notifications that were accepted on each connection.
  private var accepted: [Int: Int] = [:]
  private var reactions: [Reaction] = []
  var isJudging = true

  init(_ catalog: Catalog, _ edition: Edition, _ behavior: Behavior) {
    self.catalog = catalog
    self.edition = edition
    self.behavior = behavior
  }

  var wantsMore: Bool { !hasLastReaction }

  private var hasLastReaction: Bool { reactions.last?.isLast ?? false }

  mutating func takeReactions() -> [Reaction] {
    defer { reactions = [] }
    return reactions
  }

  mutating func forget(_ connection: Int) { accepted[connection] = nil }

  /// Refuses a frame that cannot be read.
  mutating func refuse(_ frame: FrameRef) {
    guard !hasLastReaction else { return }
    let reply = ReplyPolicy(catalog.schema(of: frame), in: edition).reply(to: .malformed)
    reactions.append(Reaction(reply, nil, behavior))
  }

  mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
    guard isJudging, !hasLastReaction else { return }
    let identifier = record.number(.identifier, in: bytes, catalog).flatMap { UInt32(exactly: $0) }
    if let reply = record.refusal?.answer {
      reactions.append(Reaction(reply, identifier, behavior))
    } else if case .frame(let frame, nil) = record.content {
      let count = accepted[record.stream.connection, default: 0] + 1
      accepted[record.stream.connection] = count
      let token = catalog.leaf(.token, of: frame, in: bytes).map { [UInt8](copying: bytes.extracting($0.range)) }
      guard let deviation = behavior.deviation(token: token ?? [], count) else { return }
      reactions.append(Reaction(deviation, identifier, behavior, ReplyPolicy(catalog.schema(of: frame), in: edition)))
    }
  }
}

extension Reaction {
  /// As documented.
  fileprivate init(_ reply: GatewayReply, _ identifier: UInt32?, _ behavior: Behavior) {
    status = reply.status
    self.identifier = identifier
    (ending, manner, reason) = (.close, Behavior.Manner().completed(by: behavior), .documented)
  }

  /// As requested. Where the policy has no error response, the gateway sends none.
  fileprivate init(
    _ deviation: Behavior.Deviation, _ identifier: UInt32?, _ behavior: Behavior, _ policy: ReplyPolicy
  ) {
    (status, ending) =
      switch deviation.act {
      case .reject(let status): (policy.reply(to: .status(status)).status, .close)
      case .shutdown: (policy.reply(to: .status(ErrorResponse.shutdown)).status, .close)
      case .close: (nil, .close)
      case .reset: (nil, .reset)
      case .stall: (nil, .stall)
      case .pause(let seconds): (nil, .pause(seconds))
      }
    self.identifier = identifier
    (manner, reason) = (deviation.manner.completed(by: behavior), deviation.step.map { .step($0) } ?? .rule)
  }
}

extension Behavior.Manner {
  fileprivate func completed(by behavior: Behavior) -> Behavior.Manner {
    var manner = self
    manner.delaySeconds = delaySeconds ?? behavior.delaySeconds
    manner.splitsReply = splitsReply || behavior.splitsReplies
    return manner
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
