import APNSDiagnosis
import APNSInput
import APNSWire

/// Replaces tokens, texts and all other data that may be private by stand-ins of the same size.
///
/// Values of well-structured frames are replaced one by one, which preserves the findings: the same rules at the same
/// offsets. In bytes outside frames or in frames with false lengths, every byte is replaced that is not structure; at
/// most three in a row stay as they were. Findings about these bytes may change; ``difference(_:_:in:)`` tells.
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
    dissect(held, RulePolicy(), into: StreamRedaction(catalog, standIns)).redacted
  }

  /// The first difference between the findings in two logs, in any of the editions; nil if there is none.
  public func difference(
    _ one: StreamLog, _ other: StreamLog, in editions: [Edition] = Edition.allCases
  ) -> Difference? {
    for (held, now) in zip(one.streams, other.streams) {
      let stream = held.stream.number
      guard now.stream.number == stream else { return Difference(stream, 0, "the stream is missing") }
      for rules in editions.map({ RulePolicy(edition: $0) }) {
        let before = dissect(held, rules, into: FindingTrace()).marks
        let after = dissect(now, rules, into: FindingTrace()).marks
        if let difference = Difference(stream, before, after) { return difference }
      }
    }
    let count = min(one.streams.count, other.streams.count)
    let more = (one.streams.dropFirst(count) + other.streams.dropFirst(count)).first { !$0.bytes.isEmpty }
    return more.map {
      Difference($0.stream.number, 0, "the stream is \(count < one.streams.count ? "missing" : "new")")
    }
  }

  private func dissect<Records: RecordSink>(
    _ held: StreamLog.LoggedStream, _ rules: RulePolicy, into records: Records
  ) -> Records {
    var rules = rules
    rules.omitsMessages = true
    var dissector = Dissector(Definitions(catalog), policy: policy, rules: rules, recovers: recovers, into: records)
    held.replay(into: &dissector)
    return dissector.records
  }
}

/// The first difference between two dissections of an input.
public struct Difference: Sendable, Hashable {
  /// Number of the stream.
  package let stream: Int
  /// Offset in the stream.
  package let offset: Int
  /// A clause that describes the difference.
  package let what: String

  fileprivate init(_ stream: Int, _ offset: Int, _ what: String) {
    (self.stream, self.offset, self.what) = (stream, offset, what)
  }

  /// The first difference between the marks of a stream; nil if there is none.
  fileprivate init?(_ stream: Int, _ before: [FindingTrace.Mark], _ after: [FindingTrace.Mark]) {
    guard before != after else { return nil }
    let same = zip(before, after).prefix { $0 == $1 }.count
    let (old, new) = (before[same...].first, after[same...].first)
    if let old, let rule = old.rule, !after.contains(old) {
      self.init(stream, old.offset, "\(rule) is no longer found")
    } else if let new, let rule = new.rule, !before.contains(new) {
      self.init(stream, new.offset, "\(rule) is a new finding")
    } else {
      self.init(stream, (old ?? new)?.offset ?? 0, "the bytes form another frame")
    }
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

  private(set) var marks: [Mark] = []
  var wantsMore: Bool { true }

  mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
    for finding in record.findings {
      var hasher = Hasher()
      hasher.combine(finding.range)
      hasher.combine(finding.answer)
      hasher.combine(finding.cause?.id)
      hasher.combine(finding.cause?.range)
      marks.append(Mark(offset: finding.range.lowerBound, rule: finding.rule, hash: hasher.finalize()))
    }
    var hasher = Hasher()
    hasher.combine(record.count)
    hasher.combine(record.role)
    if case .frame(let frame, let condition) = record.content {
      hasher.combine(frame)
      hasher.combine(condition)
    } else {
      hasher.combine("\(record.content)")
    }
    marks.append(Mark(offset: record.offset, rule: nil, hash: hasher.finalize()))
  }
}
