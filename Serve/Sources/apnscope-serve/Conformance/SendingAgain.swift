/// What a provider sent again, compared with the fates of its notifications.
struct SendingAgain {
  /// What was sent again although the gateway had accepted or rejected it, and the connection on which it did.
  private(set) var unwanted: [(evidence: Evidence, earlier: Int)] = []
  /// What was sent again in another order than before.
  private(set) var disorder: [Evidence] = []
  /// What was discarded and not sent again.
  private(set) var missing: [Evidence] = []
  /// The number of notifications that were discarded.
  private(set) var discarded = 0
  /// The numbers of the connections on which discarded notifications were sent again.
  private(set) var connections: [Int] = []
  /// The number of notifications since the last one that was sent again.
  private(set) var sentSince = 0
  /// A notification with the token and payload of an earlier one on its connection, or on one that was still open. It
  /// is not known whether it was sent again.
  private(set) var repeatedContent: Evidence?
  /// What was sent twice on a connection, with the same identifier.
  private(set) var sentTwice: [Evidence] = []
  /// Whether the provider sends a few notifications over and over, so that it is not known which were sent twice.
  private(set) var isUniform = false

  init(_ traffic: ProviderTraffic) {
    /// The indices at which each content was sent first and last.
    var sent: [UInt64: (first: Int, last: Int)] = [:]
    /// The last one that was sent again: where it was discarded, as an index.
    var lastAgain: Int?
    let all = traffic.notifications
    for (index, notification) in all.enumerated() where notification.content != 0 {
      if notification.fate == .discarded { discarded += 1 }
      guard let (first, last) = sent[notification.content] else {
        sent[notification.content] = (index, index)
        sentSince += 1
        continue
      }
      sent[notification.content]?.last = index
      sentSince = 0
      let (evidence, earlier) = (notification.evidence, all[last])
      let isHere = earlier.connection == notification.connection
      let isTwice = isHere && earlier.evidence.identifier == evidence.identifier
      if isTwice { sentTwice.append(evidence.saying("sent twice on one connection")) }
      let isSuccessor = traffic.isSuccessor(notification.connection, of: all[first].connection)
      if !isSuccessor || isHere && !isTwice { repeatedContent = repeatedContent ?? evidence }
      guard isSuccessor else { continue }
      switch earlier.fate {
      case .accepted, .rejected:
        let isSamePlace = earlier.evidence.location == evidence.location
        let sentence =
          isSamePlace ? "sent twice" : "sent again, but \(earlier.fate) before (\(earlier.evidence.location))"
        unwanted.append((evidence.saying(sentence), earlier.connection))
      case .discarded:
        let number = traffic.connections[notification.connection].number
        if !connections.contains(number) { connections.append(number) }
        if let lastAgain, all[lastAgain].connection == earlier.connection, last < lastAgain, disorder.isEmpty {
          disorder = [
            evidence.saying("sent again after a notification that it preceded (\(earlier.evidence.location))")
          ]
        }
        lastAgain = last
      case .unknown: break
      }
    }
    isUniform = sent.count < ProviderTraffic.usefulCount && sent.count * 2 < all.count { $0.content != 0 }
    missing = sent.values.map(\.last).sorted().filter { all[$0].fate == .discarded }
      .map { all[$0].evidence.saying("discarded, and not sent again") }
  }
}
