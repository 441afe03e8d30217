import APNSDiagnosis
import APNSInput

/// Counts what the summary at the end says: what was read, and the findings.
struct Triage {
  private(set) var frames = 0
  /// Frames with findings above note.
  private(set) var bad = 0
  private(set) var shown = 0
  /// Records that did not match the filter.
  private(set) var filtered = 0
  /// Findings that are in the baseline.
  private(set) var known = 0
  private(set) var severities: [Finding.Severity: Int] = [:]
  /// What was found above note, by root cause or, if that is unknown, by rule.
  private(set) var problems: [String: Problem] = [:]
  /// The numbers of the first streams, whether they are shown or not.
  private(set) var streams: [Int] = []
  private(set) var hadBytes = false
  /// Remarks on what could not be read.
  var remarks: [String] = []
  /// The counts of the last capture or sequence of captures.
  private(set) var tally: Reassembler.Tally?
  /// The first finding of the highest severity above note.
  private var first: LocatedFinding?

  /// Findings with one root cause or of one rule.
  struct Problem {
    var severity: Finding.Severity
    var count = 0
    /// The first finding, if a root cause is known.
    var caused: LocatedFinding?
  }

  /// A finding in a record of an input.
  struct LocatedFinding {
    let finding: Finding
    let record: Record
    let input: String
  }

  mutating func note(stream: Int) {
    if streams.last != stream, streams.count < 16, !streams.contains(stream) { streams.append(stream) }
  }

  mutating func note(_ reading: InputReading, withRemarks: Bool) {
    tally = reading.tally
    hadBytes = reading.notes.contains { !$0.isEmpty }
    for (name, isEmpty, remark) in reading.notes {
      if isEmpty { remarks.append("\(name) is empty") }
      if withRemarks, let remark, !remark.isEmpty { remarks.append(remark) }
    }
  }

  mutating func countFiltered() { filtered += 1 }

  /// Adds frames that were counted without being shown. Examples of their findings above note have been shown.
  mutating func count(_ counted: CountedFrames) {
    shown += counted.count
    frames += counted.count
    bad += counted.bad
    for finding in counted.findings { add(finding.count, of: finding.rule, finding.severity) }
  }

  /// Counts a record.
  /// - Parameter known: The number of its findings that are in the baseline.
  mutating func count(_ record: Record, known: Int, of input: String) {
    shown += 1
    self.known += known
    if case .frame = record.content { frames += 1 }
    for finding in record.findings {
      add(1, of: finding.mainID, finding.severity, LocatedFinding(finding: finding, record: record, input: input))
    }
    if record.findings.contains(where: { $0.severity > .note }) { bad += 1 }
  }

  private mutating func add(
    _ count: Int, of id: String, _ severity: Finding.Severity, _ located: LocatedFinding? = nil
  ) {
    severities[severity, default: 0] += count
    guard severity > .note else { return }
    if let located, first.map({ $0.finding.severity < severity }) ?? true { first = located }
    var problem = problems[id] ?? Problem(severity: severity)
    problem.count += count
    problem.severity = max(problem.severity, severity)
    if located?.finding.cause != nil, problem.caused == nil { problem.caused = located }
    problems[id] = problem
  }

  var worst: Finding.Severity? { severities.keys.max() }

  var errors: Int { severities[.error] ?? 0 }

  var foundSomething: Bool { frames > 0 || worst != nil }

  /// The finding to look at first: one with the most common root cause, since that repairs most.
  var target: LocatedFinding? {
    let caused = problems.filter { $0.value.caused != nil }
    return caused.min { ($1.value.count, $0.key) < ($0.value.count, $1.key) }?.value.caused ?? first
  }
}

// The root cause says more than the rule.
extension Finding {
  /// The name of the root cause; if it is unknown, that of the rule.
  var mainID: String { cause?.id ?? rule }
  /// The evidence for the root cause; if it is unknown, the message of the rule.
  var mainSentence: String { cause?.evidence ?? message }
}
