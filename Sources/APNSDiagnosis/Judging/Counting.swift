/// Which frames to count instead of reporting them as records. These are complete frames without findings, and frames
/// whose findings have no cause and were reported often enough.
public struct Counting: Sendable {
  fileprivate let records: Int
  fileprivate let countsNotes: Bool

  /// Creates a policy that counts only frames without findings, by default.
  ///
  /// - Parameters:
  ///   - records: how many records to report with findings of the same rule and severity before counting further ones.
  ///   - countsNotes: whether to count notes without reporting any.
  public init(after records: Int = .max, countsNotes: Bool = false) {
    self.records = records
    self.countsNotes = countsNotes
  }
}

/// Frames that were counted instead of being reported as records.
public struct CountedFrames: Sendable {
  /// The number of frames.
  public private(set) var count = 0
  /// The number of frames with findings above notes.
  public private(set) var bad = 0
  /// For each rule and severity, the number of findings and the number of frames that have them.
  public private(set) var findings: [(rule: String, severity: Finding.Severity, count: Int, frames: Int)] = []

  /// Adds this many frames, each of which has these findings.
  mutating func add(_ frames: Int = 1, each found: [CountedFinding]) {
    count += frames
    if found.contains(where: { $0.severity > .note }) { bad += frames }
    for finding in found {
      if let index = findings.firstIndex(where: { $0.rule == finding.rule && $0.severity == finding.severity }) {
        findings[index].count += finding.count * frames
        findings[index].frames += frames
      } else {
        findings.append((finding.rule, finding.severity, finding.count * frames, frames))
      }
    }
  }
}

/// Findings of one frame that are counted only.
struct CountedFinding: Sendable, Hashable {
  let rule: String
  let severity: Finding.Severity
  fileprivate(set) var count = 1
}

extension [CountedFinding] {
  /// Adds one finding. The search starts at the end, because findings of one rule usually follow each other.
  mutating func add(_ rule: String, _ severity: Finding.Severity) {
    if let index = lastIndex(where: { $0.rule == rule && $0.severity == severity }) {
      self[index].count += 1
    } else {
      append(CountedFinding(rule: rule, severity: severity))
    }
  }
}

/// The findings that records have reported, by rule and severity. There are few, so a linear search is faster than
/// hashing.
struct ReportedFindings {
  private let counting: Counting
  private var entries: [Entry] = []
  private var records = 0

  private struct Entry {
    let rule: String
    let severity: Finding.Severity
    var records = 1
    /// The number of the last record that reported it.
    var last: Int
  }

  init(_ counting: Counting) { self.counting = counting }

  /// Whether enough were reported, so that further ones are only counted.
  func areEnough(_ rule: String, _ severity: Finding.Severity) -> Bool {
    if severity == .note, counting.countsNotes { return true }
    for index in entries.indices where entries[index].severity == severity && entries[index].rule == rule {
      return entries[index].records >= counting.records
    }
    return false
  }

  /// Adds the findings of one record.
  mutating func add(_ findings: [Finding]) {
    guard counting.records < .max else { return }
    records += 1
    for finding in findings where finding.cause == nil {
      if let index = entries.firstIndex(where: { $0.severity == finding.severity && $0.rule == finding.rule }) {
        if entries[index].last < records { entries[index].records += 1 }
        entries[index].last = records
      } else {
        entries.append(Entry(rule: finding.rule, severity: finding.severity, last: records))
      }
    }
  }
}
