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
    for (held, now) in zip(one.streams, other.streams) where !now.isSame(as: held) {
      let stream = held.stream.number
      guard now.stream.number == stream else { return Difference(stream, 0, "the stream is missing") }
      for rules in editions.map({ RulePolicy(edition: $0) }) {
        let before = dissect(held, rules, into: FindingTrace()).fingerprints
        let after = dissect(now, rules, into: FindingTrace()).fingerprints
        guard before != after else { continue }
        let same = zip(before, after).prefix { $0 == $1 }.count
        let records = [held, now].map { dissect($0, rules, into: FindingTrace(keeping: same)).record }
        return Difference(stream, records[0], records[1])
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

  /// Describes how two records differ. Nil means that there is no such record.
  fileprivate init(_ stream: Int, _ before: Record?, _ after: Record?) {
    let (old, new) = (before?.findings ?? [], after?.findings ?? [])
    let (known, found) = (Set(old.map(FindingTrace.fingerprint)), Set(new.map(FindingTrace.fingerprint)))
    if let gone = old.first(where: { !found.contains(FindingTrace.fingerprint($0)) }) {
      self.init(stream, gone.range.lowerBound, "\(gone.rule) is no longer found")
    } else if let added = new.first(where: { !known.contains(FindingTrace.fingerprint($0)) }) {
      self.init(stream, added.range.lowerBound, "\(added.rule) is a new finding")
    } else {
      self.init(stream, (before ?? after)?.offset ?? 0, "the bytes form another frame")
    }
  }
}

/// Fingerprints of the records of a stream and their findings, without its bytes. Few bytes may have many records and
/// findings.
private struct FindingTrace: RecordSink {
  private(set) var fingerprints: [Int] = []
  /// The record to keep, counted from 0.
  private let kept: Int?
  private(set) var record: Record?

  init(keeping kept: Int? = nil) { self.kept = kept }

  var wantsMore: Bool { record == nil }

  mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
    if fingerprints.count == kept { self.record = record }
    var hasher = Hasher()
    hasher.combine(record.offset)
    hasher.combine(record.count)
    hasher.combine(record.role)
    switch record.content {
    case .frame(let frame, let condition):
      hasher.combine(frame)
      hasher.combine(condition)
    case .unparsed(let reason): hasher.combine(reason)
    case .gap: hasher.combine(-1)
    case .overlap(let place): hasher.combine(place)
    }
    for finding in record.findings { hasher.combine(Self.fingerprint(finding)) }
    fingerprints.append(hasher.finalize())
  }

  /// What a finding says, apart from the words, which may quote the bytes.
  static func fingerprint(_ finding: Finding) -> Int {
    var hasher = Hasher()
    hasher.combine(finding.rule)
    hasher.combine(finding.range)
    hasher.combine(finding.answer)
    hasher.combine(finding.cause?.id)
    hasher.combine(finding.cause?.range)
    return hasher.finalize()
  }
}
