/// Notifications with one identifier, of which an answer may mean one.
struct Candidates: Sendable {
  private(set) var count = 0
  private(set) var first: Conversation.Named?
  private(set) var end = Conversation.Point()
  /// The first one that breaks the status's rule, and the number of those.
  private var faulty: Conversation.Named?
  private var faultyCount = 0

  mutating func note(_ named: Conversation.Named, isFaulty: Bool) {
    count += 1
    end = named.after
    first = first ?? named
    guard isFaulty else { return }
    faultyCount += 1
    faulty = faulty ?? named
  }

  var match: Conversation.Match? {
    guard let first else { return nil }
    if count == 1 { return .exact(first) }
    if faultyCount == 1, let faulty { return .exact(faulty) }
    return .several(first, count: count)
  }
}
