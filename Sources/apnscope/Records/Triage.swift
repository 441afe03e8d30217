import APNSDiagnosis
import APNSInput
import APNSViews
import Octets

/// Counts what the summary at the end says: what was read, and the findings.
struct Triage {
  private(set) var frames = 0
  /// Frames with findings above note.
  private(set) var bad = 0
  private(set) var shown = 0
  private(set) var filtered = 0
  /// Findings that are in the baseline.
  private(set) var known = 0
  private(set) var severities: [Finding.Severity: Int] = [:]
  /// What was found above note, by root cause or, if that is unknown, by rule.
  private(set) var problems: [String: Problem] = [:]
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

  typealias LocatedFinding = (finding: Finding, record: Record)

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

  /// - Parameter known: The number of its findings that are in the baseline.
  mutating func count(_ record: Record, known: Int) {
    shown += 1
    self.known += known
    if case .frame = record.content { frames += 1 }
    for finding in record.findings {
      add(1, of: finding.mainID, finding.severity, (finding, record))
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

  var foundSomething: Bool { frames > 0 || worst != nil }

  /// The finding to look at first: one with the most common root cause, since that repairs most.
  var target: LocatedFinding? {
    let caused = problems.filter { $0.value.caused != nil }
    return caused.min { ($1.value.count, $0.key) < ($0.value.count, $1.key) }?.value.caused ?? first
  }
}

// The root cause says more than the rule.
extension Finding {
  var mainID: String { cause?.id ?? rule }
}

/// The sentences of the summary on standard error.
extension RecordPipeline {
  /// What was read, what to look at first, and what to run next: a line each. Empty if there is nothing to report.
  var summary: [String] {
    var parts: [String] = []
    var more: [String?] = [triage.target.map { "next: apnscope explain \($0.finding.mainID)" }]
    switch ending {
    case .lines(let lines): return lines
    case .counts(let baseline): parts = counts(baseline: baseline) + triage.remarks
    case .triage:
      if let target = triage.target {
        let problems = triage.problems.count > 1 ? ": \(commonProblems)" : ""
        parts = ["\(plural(triage.frames, "frame")), \(triage.bad) to look at\(problems)"] + triage.remarks
        let next = repair(target) ?? next(target)
        more = ["first: \(sentence(about: target))", next.map { "next: \($0)" } ?? more[0]]
      } else {
        let read = triage.frames > 0 && !triage.remarks.isEmpty ? [plural(triage.frames, "frame")] : []
        parts = read + triage.remarks + [reasonForNothing].compactMap(\.self)
      }
    }
    return parts.isEmpty ? [] : [parts.joined(separator: "; ")] + more.compactMap(\.self)
  }

  /// For output that consists of findings: how many there are, and how many are hidden.
  private func counts(baseline: String?) -> [String] {
    let shown = Finding.Severity.allCases.reversed().filter { $0 > .note || !hidesNotes }
    let counts = shown.compactMap { severity in triage.severities[severity].map { plural($0, severity.rawValue) } }
    var parts: [String] = []
    if !counts.isEmpty {
      parts.append("\(plural(triage.frames, "frame")): \(counts.joined(separator: ", "))")
    } else if let reason = reasonForNothing {
      parts.append(reason)
    } else if triage.foundSomething {
      parts.append("\(plural(triage.frames, "frame")), no findings")
    }
    if triage.known > 0, let baseline {
      parts.append("\(triage.known) known from \(baseline == "-" ? "standard input" : baseline)")
    }
    if hidesNotes, let notes = triage.severities[.note] {
      parts.append("\(plural(notes, "note")) hidden (-v shows \(notes == 1 ? "it" : "them"))")
    }
    return parts
  }

  /// Why nothing is shown, if that may be unexpected.
  private var reasonForNothing: String? {
    if triage.filtered > 0, triage.shown == 0 {
      return "\(plural(triage.filtered, "record")) read, none matches the filter"
    }
    guard triage.frames == 0, triage.hadBytes else { return nil }
    if let stream = selection.stream { return "no frame found in stream \(stream)" }
    return "no frame found" + (triage.shown == 0 ? barePackets : "")
  }

  /// The packets of a capture that contains no stream data.
  private var barePackets: String {
    guard let tally = triage.tally else { return "" }
    guard tally.tcpPackets > 0 else { return tally.packets == 0 ? ": no packets" : "" }
    let connections = plural(tally.connections, "connection")
    return ": \(plural(tally.tcpPackets, "TCP packet")), \(connections), none with data"
  }

  /// Errors first, then by number.
  private var commonProblems: String {
    let sorted = triage.problems.sorted { one, other in
      (other.value.severity, other.value.count, one.key) < (one.value.severity, one.value.count, other.key)
    }
    let most = 5
    let shown = sorted.count > most ? sorted.prefix(most - 1) : sorted[...]
    let text = shown.map { "\($0.value.count) \($0.key)" }.joined(separator: ", ")
    return text + (shown.count < sorted.count ? " and \(sorted.count - shown.count) others" : "")
  }

  /// The place of a finding, and the main clause of its message.
  private func sentence(about target: Triage.LocatedFinding) -> String {
    let (finding, record) = (target.finding, target.record)
    let sentence = finding.cause?.evidence ?? finding.message
    let clause = sentence.firstRange(of: ": ").map { sentence[..<$0.lowerBound] } ?? sentence[...]
    let file = inputs.count > 1 ? "\(input(of: record)) " : ""
    return "\(file)\(record.place(of: finding)): \(finding.mainID), \(clause)"
  }

  /// The command that rewrites the stream as its sender should have written it.
  private func repair(_ target: Triage.LocatedFinding) -> String? {
    guard triage.problems.values.contains(where: { $0.caused?.finding.cause?.repaired != nil }) else { return nil }
    let name = input(of: target.record).split(separator: "/").last ?? ""
    let stem = name.split(separator: ".").first ?? name
    return command(["--repair", "\(stem).repaired.bin".asArgument], reading: target)
  }

  /// The command that shows the frame in full, or one that makes it anew.
  private func next(_ target: Triage.LocatedFinding) -> String? {
    let isSelected = triage.shown == 1 || selection.isWanted != nil
    let flags = selection.flags + (isSelected ? [] : ["-Y", "number == \(target.record.number)"])
    guard format == .tree else { return command(flags, reading: target) }
    // Only an error of the sender can be corrected, not bytes missing from a capture.
    guard case .frame = target.record.content, triage.worst == .error else { return nil }
    return command(flags + ["-T", "command"], reading: target)
  }

  /// A command for a shell that reads the input again; nil if that is not possible, since it came from a pipe, the
  /// command line or an interface, or if the output consists of commands.
  private func command(_ options: [String], reading target: Triage.LocatedFinding) -> String? {
    let (options, input) = (inputFlags + settings.flags + options, input(of: target.record))
    let readOnce = (options + [input]).contains { $0.hasPrefix("/dev/fd/") || $0.hasPrefix("/proc/") }
    let unnamed = ["", "-", "--hex", InputSource(path: "-").title]
    guard format != .command, !unnamed.contains(input), !readOnce else { return nil }
    let stream = target.record.stream
    let chosen = stream.isDirected ? ["--stream", String(stream.numberInFile)] : []
    let line = shellLine(["apnscope"] + options + chosen + [input.asArgument])
    // Nothing can be pasted of a name that is not safe to print.
    return printable(line) == line ? line : nil
  }
}

extension String {
  /// The path of a file as an argument: one that begins with a hyphen would be a flag.
  var asArgument: String { hasPrefix("-") ? "./" + self : self }
}
