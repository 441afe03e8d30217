/// Detects that all named tokens were refused, because they may belong to the other environment.
struct RefusedTokens: Sendable {
  private var hashes: Set<UInt64> = []
  private var hasRepeated = false
  private var answers = 0
  private var otherAnswers = 0
  private var accepted = 0

  /// Fewer refused tokens may be a coincidence.
  private static let least = 3
  private static let most = 1 << 10

  mutating func note(_ conversation: Conversation) {
    accepted += conversation.count(of: .accepted)
    guard let answer = conversation.answer, !answer.isShutdown else { return }
    guard answer.status == 8, let named = conversation.named, named.tokenHash != 0 else {
      otherAnswers += 1
      return
    }
    answers += 1
    if hashes.contains(named.tokenHash) { hasRepeated = true }
    if hashes.count < Self.most { hashes.insert(named.tokenHash) }
  }

  var remarks: [String] {
    guard answers >= Self.least, otherAnswers == 0, !hasRepeated, accepted < answers else { return [] }
    return [
      "\(answers) different tokens were all refused with status 8: tokens of the development environment are not "
        + "those of the production environment; compare the gateway with where the tokens are from"
    ]
  }
}
