import APNSWire

/// Judges frames by all rules. It is a class because a copy for each frame would be expensive.
final class Inspector: Sendable {
  let policy: RulePolicy
  private let families: [RuleFamily]
  /// How the gateway replies to each frame type; nil for types that the gateway does not read.
  private let replies: [ReplyPolicy?]
  /// How the gateway replies to bytes that are not a frame.
  private let unframedReplies: ReplyPolicy

  init(_ definitions: Definitions, _ policy: RulePolicy) {
    self.policy = policy
    families = definitions.families
    replies = definitions.catalog.schemas.map { $0.role == .provider ? ReplyPolicy($0, in: policy.edition) : nil }
    unframedReplies = ReplyPolicy(nil, in: policy.edition)
  }

  /// All findings about a frame that begins at `offset` in the stream. Those that are only counted need no messages.
  func findings(
    on facts: borrowing FrameFacts, _ bytes: Span<UInt8>, at offset: Int = 0, omitsMessages: Bool = false
  ) -> [Finding] {
    let frame = facts.frame
    let replies = frame.isFrame ? replies[Int(frame.schema)] : facts.role == .provider ? unframedReplies : nil
    var report = Report(policy, at: offset, replies: replies, omitsMessages: omitsMessages)
    for family in families { family.check(facts, bytes, &report) }
    report.close(at: frame.end)
    return report.findings
  }

  func findings(at offset: Int, _ add: (inout Report) -> Void) -> [Finding] {
    var report = Report(policy, at: offset)
    add(&report)
    return report.findings
  }
}
