/// Which frames need not come as records: complete ones without a finding, and those whose findings, all without a cause,
/// say nothing new. Their number is enough.
public struct Counting: Sendable {
  fileprivate let records: Int
  fileprivate let countsNotes: Bool

  /// - Parameters:
  ///   - records: how many records with findings of one rule and severity come before further ones are counted.
  ///   - countsNotes: notes are counted from the first one on.
  public init(after records: Int = .max, countsNotes: Bool = false) {
    self.records = records
    self.countsNotes = countsNotes
  }
}

/// Frames that do not come as records.
public struct CountedFrames: Sendable {
  public private(set) var count = 0
  /// Those with findings above notes.
  public private(set) var bad = 0
  /// How many findings, in how many frames.
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

/// Findings of one frame that nothing is said about but how many there are.
struct CountedFinding: Sendable, Hashable {
  let rule: String
  let severity: Finding.Severity
  fileprivate(set) var count = 1
}

extension [CountedFinding] {
  /// Adds one more. Those of one rule usually follow each other.
  mutating func add(_ rule: String, _ severity: Finding.Severity) {
    if let index = lastIndex(where: { $0.rule == rule && $0.severity == severity }) {
      self[index].count += 1
    } else {
      append(CountedFinding(rule: rule, severity: severity))
    }
  }
}

/// Findings that records reported, by rule and severity: of which there are enough. Few, so looking through them is faster
/// than hashing.
struct ReportedFindings {
  private let counting: Counting
  private var entries: [Entry] = []
  private var records = 0

  private struct Entry {
    let rule: String
    let severity: Finding.Severity
    var records = 1
    /// Counted by records.
    var last: Int
  }

  init(_ counting: Counting) { self.counting = counting }

  /// Further ones are only counted.
  func areEnough(_ rule: String, _ severity: Finding.Severity) -> Bool {
    if severity == .note, counting.countsNotes { return true }
    for index in entries.indices where entries[index].severity == severity && entries[index].rule == rule {
      return entries[index].records >= counting.records
    }
    return false
  }

  /// Adds those of one record.
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
