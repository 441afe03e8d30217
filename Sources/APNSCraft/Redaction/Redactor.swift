import APNSDiagnosis
import APNSInput
import APNSWire

/// Puts stand-ins of the same size in the place of tokens, texts and whatever else may be private in streams, such that
/// everything that is found in them stays: the same rules at the same bytes, with the same causes.
///
/// What is certain is replaced value by value. Of bytes that no frame claims, or whose frame has lengths that lie, those
/// are kept on which a finding hangs: they are found by trying, at most so often that it takes no longer than reading
/// the stream some hundred times.
public struct Redactor: Sendable {
  private let catalog: Catalog
  private let policy: RolePolicy
  private let recovers: Bool
  private let standIns: StandIns

  /// - Parameters:
  ///   - policy: who wrote the streams, as for reading them.
  ///   - recovers: lengths are doubted, as for reading them.
  public init(
    _ standIns: StandIns, catalog: Catalog = .standard, policy: RolePolicy = RolePolicy(), recovers: Bool = true
  ) {
    self.catalog = catalog
    self.policy = policy
    self.recovers = recovers
    self.standIns = standIns
  }

  /// Why a stream cannot be redacted.
  public struct Refusal: Error, Sendable, Hashable {
    /// Of the stream.
    public let stream: Int
    /// In the stream's captured bytes.
    public let offset: Int
    /// A clause: what cannot be done.
    public let what: String
  }

  /// A stream that was redacted.
  public struct Redacted: Sendable {
    public let bytes: [UInt8]
    /// Bytes that no frame claims, and that stay since findings hang on them.
    public let kept: Int
  }

  /// - Parameter answered: the identifiers of ``answered(in:)``.
  public func redact(_ held: StreamLog.Held, answered: Set<UInt64> = []) throws(Refusal) -> Redacted {
    var dissector = dissector(into: Planner(catalog, standIns, answered: answered))
    held.replay(held.bytes, into: &dissector)
    var search = Search(held: held, expected: dissector.records.trace, redactor: self)
    let edits = dissector.records.edits
    search.apply(edits)
    return Redacted(bytes: search.bytes, kept: try search.kept(of: edits))
  }

  /// The identifiers in all error responses: those of the notifications that they name stay as they are.
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

  /// The first place at which what is found in two logs of streams is not the same, by the text of one of the editions.
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

  private func trace(_ held: StreamLog.Held, _ rules: RulePolicy, keeping record: Int? = nil) -> Tracer {
    var dissector = dissector(into: Tracer(keeping: record), rules)
    held.replay(held.bytes, into: &dissector)
    return dissector.records
  }

  fileprivate func dissector<Records: RecordSink>(
    into records: Records, _ rules: RulePolicy = RulePolicy()
  ) -> Dissector<Records> {
    Dissector(Definitions(catalog), policy: policy, rules: rules, recovers: recovers, into: records)
  }
}

/// Tries which edits leave the findings as they are.
private struct Search {
  private let held: StreamLog.Held
  private let expected: Trace
  private let redactor: Redactor
  private(set) var bytes: [UInt8]
  /// Bytes that may still be read for trying.
  private var effort: Int

  init(held: StreamLog.Held, expected: Trace, redactor: Redactor) {
    self.held = held
    self.expected = expected
    self.redactor = redactor
    bytes = held.bytes
    effort = 1 << 18 + 64 * held.bytes.count
  }

  mutating func apply(_ edits: [Edit]) {
    guard !attempt(edits) else { return }
    // What is certain goes together, as frames that are the same have to stay the same.
    add(edits.filter { !$0.isOpaque })
    add(edits.filter(\.isOpaque))
  }

  /// All of them, or as many as can be.
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
    var dissector = redactor.dissector(into: Comparison(with: expected))
    held.replay(bytes, into: &dissector)
    // Starting anew costs something, too.
    effort -= dissector.records.reached + 64
    if dissector.records.isComplete { return true }
    bytes = before
    return false
  }

  /// How many bytes could not be replaced; many in a row, or of a value, are too many.
  func kept(of edits: [Edit]) throws(Redactor.Refusal) -> Int {
    var kept = 0
    for edit in edits {
      var run = 0
      for (index, place) in edit.range.enumerated() {
        let isKept = bytes[place] != edit.bytes[index]
        // Between two that are kept, one that is the same by chance is kept, too.
        run = isKept || (run > 0 && edit.bytes[index] == held.bytes[place]) ? run + 1 : 0
        if isKept, edit.isOpaque { kept += 1 }
        guard run < (edit.isOpaque ? 17 : 4) else {
          throw Redactor.Refusal(
            stream: held.stream.number, offset: place - run + 1,
            what: effort <= 0
              ? "damaged frames have too many bytes to try which of them the findings depend on"
              : edit.isOpaque
                ? "bytes outside frames cannot be replaced without changing the findings"
                : "a value cannot be replaced without changing the findings")
        }
      }
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
