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

  /// All findings about a frame that begins at `offset` in the stream.
  func findings(
    on facts: borrowing FrameFacts, _ bytes: Span<UInt8>, at offset: Int
  ) -> [Finding] {
    let frame = facts.frame
    let replies = frame.isFrame ? replies[Int(frame.schema)] : facts.role == .provider ? unframedReplies : nil
    var report = Report(policy, at: offset, replies: replies)
    for family in families { family.check(facts, bytes, &report) }
    report.close(at: frame.end)
    return report.findings
  }

  /// Counts the findings into `counted` if enough of each kind were reported. Returns false otherwise.
  func count(
    on facts: borrowing FrameFacts, _ bytes: Span<UInt8>, _ counting: Counting, into counted: inout CountedFrames
  ) -> Bool {
    counted.begin()
    var report = Report(policy, at: 0, counting: counting)
    swap(&counted, &report.counted)
    for family in families where report.areCounted { family.check(facts, bytes, &report) }
    report.close(at: facts.frame.end)
    swap(&counted, &report.counted)
    return report.areCounted
  }
}
