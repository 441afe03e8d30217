import APNSDiagnosis
import APNSInput
import APNSViews
import Octets

/// Collects what a run ends with on standard error: what was read, the first thing to look at, and the command to run
/// next.
struct Triage {
  private var frames = 0
  private var bad = 0
  private var shown = 0
  private var filteredCount = 0
  /// What was found above note, by root cause or, if that is unknown, by rule.
  private var problems: [String: Problem] = [:]
  /// The first finding of the highest severity above note.
  private var first: LocatedFinding?
  private let namesInputs: Bool
  private var severities: [Finding.Severity: Int] = [:]
  private var known = 0
  private var remarks: [String] = []
  private var streams: [Int] = []
  private var hadBytes = false
  /// The counts of the last capture or sequence of captures.
  var tally: Reassembler.Tally?
  private(set) var worst: Finding.Severity?

  /// Findings with one root cause or of one rule.
  private struct Problem {
    var severity: Finding.Severity
    var count = 0
    /// The first finding, if a root cause is known.
    var caused: LocatedFinding?
  }

  /// A finding in a record of an input.
  private struct LocatedFinding {
    let finding: Finding
    let record: Record
    let input: String
  }

  /// - Parameter namesInputs: Whether places include the name of the input, because there are several.
  init(namesInputs: Bool = false) { self.namesInputs = namesInputs }

  /// Notes the number of a stream, whether it is shown or not.
  mutating func note(stream: Int) {
    if streams.last != stream, streams.count < 16, !streams.contains(stream) { streams.append(stream) }
  }

  /// Counts a record that did not match the filter.
  mutating func countFiltered() { filteredCount += 1 }

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
    worst = max(worst ?? severity, severity)
    guard severity > .note else { return }
    if let located, first.map({ $0.finding.severity < severity }) ?? true { first = located }
    var problem = problems[id] ?? Problem(severity: severity)
    problem.count += count
    problem.severity = max(problem.severity, severity)
    if located?.finding.cause != nil, problem.caused == nil { problem.caused = located }
    problems[id] = problem
  }

  /// Notes that an input was read, with a remark on what could not be read.
  mutating func note(input: String, isEmpty: Bool, remark: String?) {
    if isEmpty { remarks.append("\(input) is empty") } else { hadBytes = true }
    if let remark, !remark.isEmpty { remarks.append(remark) }
  }

  var errors: Int { severities[.error] ?? 0 }

  var foundSomething: Bool { frames > 0 || worst != nil }

  /// What was read, what to look at first, and what to run next: a line each. Empty if there is nothing to report.
  /// - Parameters:
  ///   - flags: The options that read the same input again.
  ///   - selection: The options that select the same records.
  ///   - wanted: The number of the requested stream.
  func lines(flags: [String], selection: [String], format: ViewFormat, wanted: Int?) -> [String] {
    guard let target else {
      let read = frames > 0 && !remarks.isEmpty ? [plural(frames, "frame")] : []
      return lines(read + remarks + [reasonForNothing(wanted)].compactMap { $0 })
    }
    let found = "\(plural(frames, "frame")), \(bad) to look at" + (problems.count > 1 ? ": \(commonProblems)" : "")
    let next = repair(target, flags, format) ?? next(target, flags + selection, format) ?? explanation
    return lines([found] + remarks, first: sentence(about: target), next: next)
  }

  /// The same for output that consists of findings: how many there are, and how many are hidden.
  func counts(hidesNotes: Bool, baseline: String?, wanted: Int?) -> [String] {
    let shownSeverities = Finding.Severity.allCases.reversed().filter { $0 > .note || !hidesNotes }
    let counts = shownSeverities.compactMap { severity in severities[severity].map { plural($0, severity.rawValue) } }
    var parts: [String] = []
    if !counts.isEmpty {
      parts.append("\(plural(frames, "frame")): \(counts.joined(separator: ", "))")
    } else if let reason = reasonForNothing(wanted) {
      parts.append(reason)
    } else if frames > 0 || worst != nil {
      parts.append("\(plural(frames, "frame")), no findings")
    }
    if known > 0, let baseline { parts.append("\(known) known from \(baseline == "-" ? "standard input" : baseline)") }
    if hidesNotes, let notes = severities[.note] {
      parts.append("\(plural(notes, "note")) hidden (-v shows \(notes == 1 ? "it" : "them"))")
    }
    return lines(parts + remarks, next: explanation)
  }

  private func lines(_ parts: [String], first: String? = nil, next: String? = nil) -> [String] {
    guard !parts.isEmpty else { return [] }
    let more = [first.map { "first: \($0)" }, next.map { "next: \($0)" }]
    return [parts.joined(separator: "; ")] + more.compactMap { $0 }
  }

  /// Why nothing is shown, if that may be unexpected.
  private func reasonForNothing(_ wanted: Int?) -> String? {
    if filteredCount > 0, shown == 0 { return "\(plural(filteredCount, "record")) read, none matches the filter" }
    if let wanted, !streams.contains(wanted), !streams.isEmpty {
      let numbers = streams.sorted().map(String.init).joined(separator: ", ")
      return "there is no stream \(wanted), only \(streams.count == 1 ? "stream" : "streams") \(numbers)"
    }
    if let wanted, streams.isEmpty, hadBytes, frames == 0 {
      return "there is no stream \(wanted): input that is not a capture is one stream, number 0"
    }
    return frames == 0 && hadBytes ? "no frame found" + (shown == 0 ? barePackets : "") : nil
  }

  /// The packets of a capture that contains no stream data.
  private var barePackets: String {
    guard let tally else { return "" }
    guard tally.tcpPackets > 0 else { return tally.packets == 0 ? ": no packets" : "" }
    let connections = plural(tally.connections, "connection")
    return ": \(plural(tally.tcpPackets, "TCP packet")), \(connections), none with data"
  }

  /// The finding to look at first: one with the most common root cause, since that repairs most.
  private var target: LocatedFinding? {
    let caused = problems.filter { $0.value.caused != nil }
    return caused.min { ($1.value.count, $0.key) < ($0.value.count, $1.key) }?.value.caused ?? first
  }

  /// The main clause of its message.
  private func sentence(about located: LocatedFinding) -> String {
    let sentence = located.finding.mainSentence
    let clause = sentence.firstRange(of: ": ").map { sentence[..<$0.lowerBound] } ?? sentence[...]
    return "\(place(of: located)): \(located.finding.mainID), \(clause)"
  }

  /// Errors first, then by number.
  private var commonProblems: String {
    let sorted = problems.sorted { one, other in
      (other.value.severity, other.value.count, one.key) < (one.value.severity, one.value.count, other.key)
    }
    let shown = sorted.count > Self.mostProblems ? sorted.prefix(Self.mostProblems - 1) : sorted[...]
    let text = shown.map { "\($0.value.count) \($0.key)" }.joined(separator: ", ")
    return text + (shown.count < sorted.count ? " and \(sorted.count - shown.count) others" : "")
  }

  private static let mostProblems = 5

  private func place(of located: LocatedFinding) -> String {
    let (finding, record) = (located.finding, located.record)
    var parts: [String] = []
    if record.stream.isDirected { parts.append("stream \(record.stream.numberInFile)") }
    if let packet = record.packets.first { parts.append("packet \(packet.number)") }
    if let position = record.position(of: finding) {
      parts.append("line \(position.line), column \(position.column)")
    }
    let file = namesInputs ? "\(located.input) " : ""
    return "\(file)#\(record.number) at 0x\(String(finding.range.lowerBound, radix: 16))"
      + (parts.isEmpty ? "" : " (" + parts.joined(separator: ", ") + ")")
  }

  /// The command that rewrites the stream as its sender should have written it.
  private func repair(_ target: LocatedFinding, _ flags: [String], _ format: ViewFormat) -> String? {
    guard target.finding.cause?.repaired != nil, format != .command else { return nil }
    let name = target.input.split(separator: "/").last ?? ""
    let stem = name.split(separator: ".").first ?? name
    return command(flags + ["--repair", "\(stem).repaired.bin"], reading: target)
  }

  /// The command that shows the frame in full, or one that makes it anew.
  private func next(_ target: LocatedFinding, _ flags: [String], _ format: ViewFormat) -> String? {
    guard format != .command else { return nil }
    let isSelected = shown == 1 || flags.contains("-Y")
    let flags = isSelected ? flags : flags + ["-Y", "number == \(target.record.number)"]
    guard format == .tree else { return command(flags, reading: target) }
    // Only an error of the sender can be corrected, not bytes missing from a capture.
    guard case .frame = target.record.content, worst == .error else { return nil }
    return command(flags + ["-T", "command"], reading: target)
  }

  /// The command that explains what was found, which does not read the input again.
  private var explanation: String? { target.map { "apnscope explain \($0.finding.mainID)" } }

  /// A command for a shell; nil if the input cannot be read again, since it came from a pipe, the command line or an
  /// interface.
  private func command(_ options: [String], reading located: LocatedFinding) -> String? {
    let readOnce = (options + [located.input]).contains { $0.hasPrefix("/dev/fd/") || $0.hasPrefix("/proc/") }
    guard !["", "-", "--hex"].contains(located.input), !readOnce else { return nil }
    let stream = located.record.stream
    let chosen = stream.isDirected ? ["--stream", String(stream.numberInFile)] : []
    return shellLine(["apnscope"] + options + chosen + [located.input])
  }
}

// The root cause says more than the rule.
extension Finding {
  /// The name of the root cause; if it is unknown, that of the rule.
  var mainID: String { cause?.id ?? rule }
  /// The evidence for the root cause; if it is unknown, the message of the rule.
  var mainSentence: String { cause?.evidence ?? message }
}
