import APNSDiagnosis
import APNSInput
import APNSWire

/// Replaces tokens, texts and all other data that may be private by stand-ins of the same size.
///
/// Values of well-structured frames are replaced one by one, which preserves the findings: the same rules at the same
/// offsets. In bytes outside frames or in frames with false lengths, every byte is replaced that is not structure; at
/// most three in a row stay as they were. Findings about these bytes may change; ``difference(_:_:)`` tells.
public struct Redactor: Sendable {
  private let catalog: Catalog
  private let policy: RolePolicy
  private let recovers: Bool
  private let standIns: StandIns

  /// - Parameters:
  ///   - standIns: Makes the replacement values.
  ///   - catalog: The frame types.
  ///   - policy: The roles of the streams, as for dissecting them.
  ///   - recovers: Whether recovery is on, as for dissecting them.
  public init(
    _ standIns: StandIns, catalog: Catalog, policy: RolePolicy = RolePolicy(), recovers: Bool = true
  ) {
    self.catalog = catalog
    self.policy = policy
    self.recovers = recovers
    self.standIns = standIns
  }

  /// The captured bytes of a stream, redacted.
  public func redact(_ held: StreamLog.LoggedStream) -> [UInt8] {
    dissect(held, .standard, into: StreamRedaction(catalog, standIns)).redacted
  }

  /// The first difference between the findings in two logs, in any of the editions, as a clause that begins with its
  /// place; nil if there is none.
  public func difference(_ one: StreamLog, _ other: StreamLog) -> String? {
    func clause(_ stream: ByteStream, _ offset: Int, _ what: String) -> String {
      "at 0x\(String(offset, radix: 16)) of stream \(stream.number), \(what)"
    }
    for (held, now) in zip(one.streams, other.streams) {
      guard now.stream.number == held.stream.number else { return clause(held.stream, 0, "the stream is missing") }
      // The same bytes have the same findings.
      for edition in Edition.allCases where now.bytes != held.bytes {
        let before = dissect(held, edition, into: FindingTrace())
        let after = dissect(now, edition, into: FindingTrace())
        if let (offset, what) = before.difference(to: after) { return clause(held.stream, offset, what) }
      }
    }
    let count = min(one.streams.count, other.streams.count)
    let more = (one.streams.dropFirst(count) + other.streams.dropFirst(count)).first { !$0.bytes.isEmpty }
    return more.map { clause($0.stream, 0, "the stream is \(count < one.streams.count ? "missing" : "new")") }
  }

  private func dissect<Records: RecordSink>(
    _ held: StreamLog.LoggedStream, _ edition: Edition, into records: Records
  ) -> Records {
    var rules = RulePolicy(edition: edition)
    rules.omitsMessages = true
    var dissector = Dissector(Definitions(catalog), policy: policy, rules: rules, recovers: recovers, into: records)
    held.replay(into: &dissector)
    return dissector.records
  }
}

/// What the records of a stream and their findings say, apart from bytes and from the words, which may quote them.
private struct FindingTrace: RecordSink {
  /// A finding of a record, or the record itself, which follows its findings.
  struct Mark: Hashable {
    let offset: Int
    /// The finding's rule; nil for a record.
    let rule: String?
    /// A hash of everything else.
    let hash: Int
  }

  private var marks: [Mark] = []
  var wantsMore: Bool { true }

  /// The first difference to another dissection; nil if there is none.
  func difference(to other: FindingTrace) -> (offset: Int, what: String)? {
    guard marks != other.marks else { return nil }
    let same = zip(marks, other.marks).prefix { $0 == $1 }.count
    let (old, new) = (marks[same...].first, other.marks[same...].first)
    if let old, let rule = old.rule, !other.marks.contains(old) { return (old.offset, "\(rule) is no longer found") }
    if let new, let rule = new.rule, !marks.contains(new) { return (new.offset, "\(rule) is a new finding") }
    return ((old ?? new)?.offset ?? 0, "the bytes form another frame")
  }

  mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
    for finding in record.findings {
      let facts = hash(finding.range, finding.answer, finding.cause?.id, finding.cause?.range)
      marks.append(Mark(offset: finding.range.lowerBound, rule: finding.rule, hash: facts))
    }
    marks.append(Mark(offset: record.offset, rule: nil, hash: hash(record.count, record.role, record.content)))
  }

  private func hash<each Fact: Hashable>(_ facts: repeat each Fact) -> Int {
    var hasher = Hasher()
    repeat hasher.combine(each facts)
    return hasher.finalize()
  }
}
