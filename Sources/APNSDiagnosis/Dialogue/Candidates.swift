import APNSInput

/// What the first reading keeps of a connection: its answer, or that it belongs to the feedback service.
struct KnownAnswer: Sendable {
  let isFeedback: Bool
  let status: UInt8
  let identifier: UInt32
  /// The packet's input and its number; nil outside captures. There may be many answers, so it takes few bytes.
  private let packet: (UInt32, UInt32)?

  /// The mark of the feedback service.
  init() { (isFeedback, status, identifier, packet) = (true, 0, 0, nil as (UInt32, UInt32)?) }

  init(status: UInt8, identifier: UInt32, from packet: Origin.Packet?) {
    (isFeedback, self.status, self.identifier) = (false, status, identifier)
    self.packet = packet.map(Self.numbers)
  }

  private static func numbers(_ packet: Origin.Packet) -> (UInt32, UInt32) {
    (UInt32(clamping: packet.input), UInt32(clamping: packet.number))
  }

  /// Whether a packet was captured after the answer's packet; nil if that is not known.
  func precedes(_ other: Origin.Packet?) -> Bool? {
    guard let packet, let other else { return nil }
    return packet < Self.numbers(other)
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
