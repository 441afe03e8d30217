import APNSDiagnosis
import APNSInput
import APNSWire

/// Replaces tokens, texts and all other data that may be private by stand-ins of the same size, so that the findings
/// are preserved: the same rules at the same offsets, with the same causes.
///
/// Values of well-structured frames are replaced one by one. In bytes outside frames or in frames with false lengths,
/// the bytes that findings depend on are kept, if they are no more than three in a row. They are found by trial, with
/// an effort of at most about a hundred times that of reading the stream. Longer runs are replaced, and findings
/// change; ``difference(_:_:in:)`` tells.
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

  /// A redacted stream.
  public struct Redacted: Sendable {
    /// The captured bytes of the stream, redacted.
    public let bytes: [UInt8]
    /// Number of bytes of unknown meaning that are kept because findings depend on them.
    public let kept: Int
  }

  /// Redacts one stream.
  /// - Parameters:
  ///   - held: The stream.
  ///   - answered: The result of ``answered(in:)``.
  public func redact(_ held: StreamLog.LoggedStream, answered: Set<UInt64> = []) -> Redacted {
    var dissector = dissector(into: RedactionPlanner(catalog, standIns, answered: answered))
    held.replay(held.bytes, into: &dissector)
    // Trials compare what is found without causes, whose search takes too long.
    var plain = Redactor(standIns, catalog: catalog, policy: policy, recovers: false)
      .dissector(into: TraceRecorder())
    held.replay(held.bytes, into: &plain)
    var search = EditSearch(
      held: held, expected: plain.records.trace,
      redactor: Redactor(
        standIns, catalog: catalog, policy: policy, recovers: false))
    let edits = dissector.records.edits
    search.apply(edits)
    let kept = search.replaceLongRuns(of: edits)
    return Redacted(bytes: search.bytes, kept: kept)
  }

  /// The identifiers in all error responses. They are kept in the notifications that they refer to.
  public func answered(in log: StreamLog) -> Set<UInt64> {
    var identifiers: Set<UInt64> = []
    for held in log.streams {
      var dissector = dissector(into: AnsweredIdentifiers(catalog: catalog))
      held.replay(held.bytes, into: &dissector)
      identifiers.formUnion(dissector.records.identifiers)
    }
    return identifiers
  }

  private struct AnsweredIdentifiers: RecordSink {
    let catalog: Catalog
    var identifiers: Set<UInt64> = []
    var wantsMore: Bool { true }

    mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
      guard record.role == .gateway, let identifier = record.number(.identifier, in: bytes, catalog) else { return }
      identifiers.insert(identifier)
    }
  }

  /// The first difference between the findings in two logs, in any of the editions; nil if there is none.
  public func difference(
    _ one: StreamLog, _ other: StreamLog, in editions: [Edition] = Edition.allCases
  ) -> (stream: Int, Difference)? {
    for (index, held) in one.streams.enumerated() {
      guard index < other.streams.count, other.streams[index].stream.number == held.stream.number else {
        return (held.stream.number, Difference(offset: 0, what: "the stream is missing"))
      }
      for edition in editions {
        let rules = RulePolicy(edition: edition)
        let pair = [held, other.streams[index]]
        let traces = pair.map { trace($0, rules).trace }
        if let record = traces[0].firstDifference(from: traces[1]) {
          let entries = pair.map { trace($0, rules, keeping: record).entry }
          return (held.stream.number, Difference(entries[0], entries[1]))
        }
      }
    }
    guard let more = other.streams.dropFirst(one.streams.count).first else { return nil }
    return (more.stream.number, Difference(offset: 0, what: "there is another stream"))
  }

  private func trace(_ held: StreamLog.LoggedStream, _ rules: RulePolicy, keeping record: Int? = nil) -> TraceRecorder {
    var dissector = dissector(into: TraceRecorder(keeping: record), rules)
    held.replay(held.bytes, into: &dissector)
    return dissector.records
  }

  fileprivate func dissector<Records: RecordSink>(
    into records: Records, _ rules: RulePolicy = RulePolicy()
  ) -> Dissector<Records> {
    Dissector(Definitions(catalog), policy: policy, rules: rules, recovers: recovers, into: records)
  }
}

/// Finds out by trial which edits preserve the findings.
private struct EditSearch {
  private let held: StreamLog.LoggedStream
  private let expected: FindingTrace
  private let redactor: Redactor
  private(set) var bytes: [UInt8]
  /// Number of bytes that may still be read for further trials.
  private var effort: Int

  init(held: StreamLog.LoggedStream, expected: FindingTrace, redactor: Redactor) {
    self.held = held
    self.expected = expected
    self.redactor = redactor
    bytes = held.bytes
    effort = 1 << 16 + 64 * held.bytes.count
  }

  mutating func apply(_ edits: [Edit]) {
    guard !attempt(edits) else { return }
    // Certain values are replaced together, because equal frames must stay equal.
    add(edits.filter { !$0.isOpaque })
    add(edits.filter(\.isOpaque))
  }

  /// Applies all edits, or as many of them as possible.
  private mutating func add(_ edits: [Edit]) {
    guard !edits.isEmpty, !attempt(edits), effort > 0 else { return }
    if edits.count > 1 {
      add(Array(edits[..<(edits.count / 2)]))
      add(Array(edits[(edits.count / 2)...]))
    } else if edits[0].range.count > 1 {
      let (first, second) = edits[0].halves
      add([first])
      add([second])
    }
  }

  private mutating func attempt(_ edits: [Edit]) -> Bool {
    let before = bytes
    for edit in edits { bytes.replaceSubrange(edit.range, with: edit.bytes) }
    if bytes == before { return true }
    var dissector = redactor.dissector(into: TraceComparison(with: expected))
    held.replay(bytes, into: &dissector)
    // 64 accounts for the fixed cost of a trial.
    effort -= dissector.records.reached + 64
    if dissector.records.isComplete { return true }
    bytes = before
    return false
  }

  /// Replaces the values and runs of which more than three bytes were kept. In a run, only bytes that say something
  /// count: zeros and control characters may be lengths, and punctuation is always kept. Returns how many bytes are
  /// kept.
  mutating func replaceLongRuns(of edits: [Edit]) -> Int {
    var kept = 0
    for edit in edits {
      var (run, longest, here) = (0, 0, 0)
      for (index, place) in edit.range.enumerated() {
        let isKept = bytes[place] != edit.bytes[index]
        if !edit.isOpaque || held.bytes[place].isTelling {
          // A byte between kept ones counts as kept even if its replacement is the same by chance.
          run = isKept || (run > 0 && edit.bytes[index] == held.bytes[place]) ? run + 1 : 0
          longest = max(longest, run)
        }
        if isKept, edit.isOpaque { here += 1 }
      }
      if longest < 4 { kept += here } else { bytes.replaceSubrange(edit.range, with: edit.bytes) }
    }
    return kept
  }
}

extension Edit {
  fileprivate var halves: (Edit, Edit) {
    let middle = range.count / 2
    return (
      Edit(range: range.lowerBound..<(range.lowerBound + middle), bytes: Array(bytes[..<middle]), isOpaque: isOpaque),
      Edit(range: (range.lowerBound + middle)..<range.upperBound, bytes: Array(bytes[middle...]), isOpaque: isOpaque)
    )
  }
}

extension UInt8 {
  /// Whether it is a letter, a digit, or not ASCII.
  fileprivate var isTelling: Bool {
    self >= 0x80 || (0x30...0x39).contains(self) || (0x61...0x7a).contains(self | 0x20)
  }
}
