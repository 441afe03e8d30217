import Octets

/// Counts the discarded notifications that were sent again on another connection. It compares tokens and payloads,
/// because a sender may number notifications anew. Memory is bounded.
struct SentAgain: Sendable {
  private typealias Sending = (connection: Int, ordinal: Int)
  /// The notifications of connections on which some may be discarded, and all later ones, in the order in which they
  /// were sent, by the hash of token and payload.
  private var sendings: [UInt64: [Sending]] = [:]
  private var count = 0
  /// The last ordinal that was not discarded, by connection.
  private var ends: [Int: Int] = [:]
  private var discarded = 0
  private static let most = 1 << 15

  var isEmpty: Bool { count == 0 }
  /// Whether all of them were sent again, so that nothing is left to send.
  var isComplete: Bool { discarded > 0 && again == discarded }

  mutating func note(_ hash: UInt64, _ ordinal: Int, on connection: Int) {
    count += 1
    if hash != 0, count <= Self.most { sendings[hash, default: []].append((connection, ordinal)) }
  }

  mutating func note(_ conversation: Conversation) {
    let count = conversation.count(of: .discarded)
    discarded += count
    if count > 0, ends.count < Self.most { ends[conversation.connection] = conversation.zones.discarded.ordinal }
  }

  private var again: Int {
    sendings.values.reduce(0) { sum, all in
      let lost = all.indices.filter { index in ends[all[index].connection].map { all[index].ordinal > $0 } ?? false }
      guard let first = lost.first else { return sum }
      return sum + min(lost.count, all[first...].count { $0.connection != all[first].connection })
    }
  }

  var remark: String? {
    let again = again
    guard again > 0 else { return nil }
    return "\(count > Self.most ? "at least " : "")\(again) of the \(plural(discarded, "discarded notification")) "
      + "\(again == 1 ? "was" : "were") sent again on another connection"
  }
}

/// Detects that all named tokens were refused, because they may belong to the other environment.
struct RefusedTokens: Sendable {
  private var hashes: Set<UInt64> = []
  /// Whether another answer, or the same token twice, shows another reason.
  private var hasOtherReason = false
  private var accepted = 0

  mutating func note(_ conversation: Conversation) {
    accepted += conversation.count(of: .accepted)
    guard let answer = conversation.answer, !answer.isShutdown, !hasOtherReason else { return }
    let hash = answer.status == 8 ? conversation.named?.tokenHash ?? 0 : 0
    hasOtherReason = hash == 0 || !hashes.insert(hash).inserted
    if hashes.count > 1 << 10 { hasOtherReason = true }
  }

  /// Fewer than three refused tokens may be a coincidence.
  var remark: String? {
    guard hashes.count >= 3, !hasOtherReason, accepted < hashes.count else { return nil }
    return "\(hashes.count) different tokens were all refused with status 8: tokens of the development environment are "
      + "not those of the production environment; compare the gateway with where the tokens are from"
  }
}
