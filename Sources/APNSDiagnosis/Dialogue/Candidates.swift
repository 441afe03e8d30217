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
