import APNSWire
import Octets

/// Counts the discarded notifications that were sent again on another connection. It compares tokens and payloads,
/// because a sender may number notifications anew.
///
/// Memory is bounded: for a connection with an answer, the last notifications are kept until it ends, and after that
/// only the discarded ones.
struct SentAgain: Sendable {
  /// The counts for all notifications with one token and payload.
  private struct Entry {
    let connection: Int
    var discarded = 0
    var again = 0
    var againOn: Set<Int> = []
  }

  private var entries: [UInt64: Entry] = [:]
  /// The last notifications of each open connection, in order; 0 for a notification that the capture contains only
  /// partly.
  private var recent: [Int: [UInt64]] = [:]
  private var recentCount = 0
  private var discarded = 0
  private var isPartial = false

  private static let most = 1 << 15
  private static let maxOfConnection = 1 << 12

  var isEmpty: Bool { entries.isEmpty }

  /// Whether all of them were sent again, so that nothing is left to send.
  var isComplete: Bool { discarded > 0 && !isPartial && again == discarded }

  /// - Parameter isKept: whether notifications of this connection may turn out to be discarded.
  mutating func note(_ key: UInt64, on connection: Int, isKept: Bool) {
    if key != 0, let entry = entries[key], entry.connection != connection {
      entries[key]?.again += 1
      if entry.againOn.count < 2 { entries[key]?.againOn.insert(connection) }
    }
    guard isKept else { return }
    if recentCount >= Self.most || recent[connection, default: []].count >= Self.maxOfConnection {
      drop(recent[connection, default: []].count / 2 + 1, of: connection)
    }
    recent[connection, default: []].append(key)
    recentCount += 1
    if key != 0, entries[key] == nil {
      if entries.count < Self.most { entries[key] = Entry(connection: connection) } else { isPartial = true }
    }
  }

  /// Adds a finished conversation.
  mutating func note(_ conversation: Conversation) {
    let count = conversation.notifications - conversation.zones.discarded.ordinal
    let kept = recent[conversation.connection] ?? []
    discarded += conversation.count(of: .discarded)
    if count > kept.count { isPartial = true }
    for key in kept.suffix(max(count, 0)) where key != 0 { entries[key]?.discarded += 1 }
    drop(kept.count, of: conversation.connection)
    recent[conversation.connection] = nil
  }

  private mutating func drop(_ count: Int, of connection: Int) {
    guard let kept = recent[connection]?.prefix(count) else { return }
    for key in kept where entries[key].map({ $0.connection == connection && $0.discarded == 0 }) == true {
      entries[key] = nil
    }
    recent[connection]?.removeFirst(kept.count)
    recentCount -= kept.count
  }

  private var again: Int { entries.values.reduce(0) { $0 + min($1.discarded, $1.again) } }

  var remarks: [String] {
    let again = again
    guard again > 0 else { return [] }
    let connections = entries.values.reduce(into: Set<Int>()) { if $1.discarded > 0 { $0.formUnion($1.againOn) } }
    let place = connections.count == 1 ? "connection \(connections.first ?? 0)" : "other connections"
    return [
      "\(isPartial ? "at least " : "")\(again) of the \(plural(discarded, "discarded notification")) "
        + "\(again == 1 ? "was" : "were") sent again on \(place)"
    ]
  }
}
