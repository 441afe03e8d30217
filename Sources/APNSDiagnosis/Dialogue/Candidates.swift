import APNSInput

/// What the first reading keeps of a connection: its answer, or that it belongs to the feedback service.
struct KnownAnswer: Sendable {
  var isFeedback = false
  var status: UInt8 = 0
  var identifier: UInt32 = 0
  var packet: Origin.Packet?

  /// Whether a packet was captured after the answer's packet; nil if that is not known.
  func precedes(_ other: Origin.Packet?) -> Bool? {
    guard let packet, let other else { return nil }
    return (packet.input, packet.number) < (other.input, other.number)
  }
}

/// Notifications with one identifier, of which an answer may mean one.
struct Candidates: Sendable {
  private(set) var count = 0
  private(set) var first: Conversation.Named?
  /// The point after the last one.
  private(set) var end = Conversation.Point()
  /// The first one that breaks the status's rule, and the number of those.
  private var faulty: Conversation.Named?
  private var faultyCount = 0

  mutating func note(_ point: Conversation.Point, isFaulty: Bool, _ named: () -> Conversation.Named) {
    count += 1
    end = point
    if isFaulty { faultyCount += 1 }
    guard first == nil || isFaulty && faulty == nil else { return }
    let new = named()
    first = first ?? new
    if isFaulty { faulty = new }
  }

  var match: Conversation.Match? {
    guard let first else { return nil }
    if count == 1 { return .exact(first) }
    if faultyCount == 1, let faulty { return .exact(faulty) }
    return .several(first, count: count)
  }
}
