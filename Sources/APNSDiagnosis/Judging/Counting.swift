/// Which frames to count instead of reporting them as records. These are complete frames without findings, and frames
/// whose findings have no cause and were reported often enough.
public struct Counting: Sendable {
  private let records: Int
  private let countsNotes: Bool
  /// The findings in records so far; none if their number does not matter.
  private var reported = CountedFrames()

  /// Counts only frames without findings by default. Findings of one rule and severity are counted after this many
  /// `records` with them, and, with `countsNotes`, notes without reporting any.
  package init(after records: Int = .max, countsNotes: Bool = false) {
    self.records = records
    self.countsNotes = countsNotes
  }

  /// Whether enough of each finding of this frame were reported, so that further ones are only counted.
  func isEnough(of frame: CountedFrames) -> Bool {
    frame.findings.allSatisfy { found in
      if found.severity == .note, countsNotes { return true }
      return reported.findings.contains {
        $0.rule == found.rule && $0.severity == found.severity && $0.frames >= records
      }
    }
  }

  mutating func add(_ findings: [Finding]) {
    if records < .max { reported.add(CountedFrames(findings.lazy.filter { $0.cause == nil })) }
  }
}

/// Frames that are counted, with their findings by rule and severity. There are few, so a linear search is faster than
/// hashing.
public struct CountedFrames: Sendable, Hashable {
  /// The number of frames.
  public private(set) var count = 0
  /// The number of frames with findings above notes.
  package private(set) var bad = 0
  /// The findings of each rule and severity.
  public private(set) var findings: [Findings] = []

  /// The findings of one rule and severity.
  public struct Findings: Sendable, Hashable {
    /// The ``Rule/id``.
    public let rule: String
    /// The severity.
    public let severity: Finding.Severity
    /// The number of findings.
    public fileprivate(set) var count = 0
    /// The number of frames that have them.
    public fileprivate(set) var frames = 0
  }

  init() {}

  /// One frame with these findings.
  init(_ list: some Sequence<Finding>) {
    count = 1
    for finding in list {
      if finding.severity > .note { bad = 1 }
      let index = entry(for: finding.rule, finding.severity)
      findings[index].count += 1
      findings[index].frames = 1
    }
  }

  mutating func add(_ other: CountedFrames, times: Int = 1) {
    count += other.count * times
    bad += other.bad * times
    for found in other.findings {
      let index = entry(for: found.rule, found.severity)
      findings[index].count += found.count * times
      findings[index].frames += found.frames * times
    }
  }

  /// The index of the findings of a rule and severity, which are added if there are none yet.
  private mutating func entry(for rule: String, _ severity: Finding.Severity) -> Int {
    // Findings of one rule usually follow each other.
    if let index = findings.lastIndex(where: { $0.rule == rule && $0.severity == severity }) { return index }
    findings.append(Findings(rule: rule, severity: severity))
    return findings.count - 1
  }
}
