import APNSDiagnosis
import APNSInput
import APNSViews
import Octets

/// Collects and writes the last line on standard error: what was read, the first finding to look at, and the command to
/// run next.
package struct Triage {
  private var frames = 0
  private var bad = 0
  private var shown = 0
  private var filteredCount = 0
  private var rules: [String: Int] = [:]
  /// The number of records that each root cause explains.
  private var causes: [String: Int] = [:]
  /// The first finding of the highest severity above note.
  private var first: (record: Record, finding: Finding, input: String)?
  /// The first record with a root cause that can be repaired.
  private var repairable: (record: Record, input: String)?
  private var severities: [Finding.Severity: Int] = [:]
  private var known = 0
  private var remarks: [String] = []
  private var streams: [Int] = []
  private var hadBytes = false
  /// The counts of the last capture or sequence of captures.
  private var tally: Reassembler.Tally?
  package private(set) var worst: Finding.Severity?

  package init() {}

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
    for finding in counted.findings {
      severities[finding.severity, default: 0] += finding.count
      worst = max(worst ?? finding.severity, finding.severity)
      if finding.severity > .note { rules[finding.rule, default: 0] += finding.count }
    }
  }

  /// Counts a record.
  /// - Parameter known: The number of its findings that are in the baseline.
  package mutating func count(_ record: Record, known: Int, of input: String) {
    shown += 1
    self.known += known
    if case .frame = record.content { frames += 1 }
    guard !record.findings.isEmpty else { return }
    var isBad = false
    for finding in record.findings {
      severities[finding.severity, default: 0] += 1
      if let cause = finding.cause {
        causes[cause.id, default: 0] += 1
        if cause.repaired != nil, repairable == nil { repairable = (record, input) }
      }
      worst = max(worst ?? finding.severity, finding.severity)
      guard finding.severity > .note else { continue }
      isBad = true
      rules[finding.rule, default: 0] += 1
      if first.map({ $0.finding.severity < finding.severity }) ?? true { first = (record, finding, input) }
    }
    if isBad { bad += 1 }
  }

  /// Notes that an input was read, with a remark on what could not be read.
  mutating func note(input: String, isEmpty: Bool, remark: String?) {
    if isEmpty { remarks.append("\(input) is empty") } else { hadBytes = true }
    if let remark, !remark.isEmpty { remarks.append(remark) }
  }

  mutating func note(_ tally: Reassembler.Tally) { self.tally = tally }

  var errors: Int { severities[.error] ?? 0 }

  var foundSomething: Bool { frames > 0 || worst != nil }

  /// The last line; nil if there is nothing to report.
  /// - Parameters:
  ///   - flags: The options that read the same input again.
  ///   - selection: The options that select the same records.
  ///   - wanted: The number of the requested stream.
  package func line(flags: [String], selection: [String], format: ViewFormat, wanted: Int?) -> String? {
    var parts = remarks
    if let first {
      parts.insert("\(plural(frames, "frame")), \(bad) to look at\(rules.count > 1 ? " (\(commonRules))" : "")", at: 0)
      parts.append(
        "first: #\(first.record.number) at 0x\(String(first.finding.range.lowerBound, radix: 16))"
          + "\(place(of: first.finding, in: first.record)): \(first.finding.rule), \(first.finding.message)")
      if let cause = likeliestCause { parts.insert(cause, at: 0) }
      if let next = repair(flags, format) ?? next(flags + selection, format, first.record, first.input) {
        parts.append(next)
      }
    } else if let reason = reasonForNothing(wanted) {
      parts.append(reason)
    }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  /// The last line in numbers, for output that consists of findings: how many there are, and how many are hidden.
  package func counts(hidesNotes: Bool, baseline: String?, wanted: Int?) -> String? {
    let told = Finding.Severity.allCases.reversed().filter { $0 > .note || !hidesNotes }
    let counts = told.compactMap { severity in severities[severity].map { plural($0, severity.rawValue) } }
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
    parts += remarks
    if let first { parts.append("for details: apnscope explain \(first.finding.rule)") }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
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

  /// The root cause to look at first.
  private var likeliestCause: String? {
    let sorted = causes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    guard let best = sorted.first else { return nil }
    let others = sorted.dropFirst().prefix(3).map { "\($0.key) (\($0.value))" }
    let rest = others.isEmpty ? "" : ", then " + others.joined(separator: ", ")
    return "most likely cause: \(best.key) (\(plural(best.value, "frame")))\(rest)"
  }

  private var commonRules: String {
    rules.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(4)
      .map { "\($0.value) \($0.key)" }.joined(separator: ", ")
  }

  private func place(of finding: Finding, in record: Record) -> String {
    var parts: [String] = []
    if record.stream.isDirected { parts.append("stream \(record.stream.numberInFile)") }
    if let packet = record.packets.first { parts.append("packet \(packet.number)") }
    if let position = record.position(of: finding) {
      parts.append("line \(position.line), column \(position.column)")
    }
    return parts.isEmpty ? "" : " (" + parts.joined(separator: ", ") + ")"
  }

  private func repair(_ flags: [String], _ format: ViewFormat) -> String? {
    guard let repairable, format != .command, !repairable.input.isEmpty else { return nil }
    let (record, input) = repairable
    if input == "-" || input == "--hex" { return "next: the same command with --repair repaired.bin" }
    var words = ["apnscope"] + flags + ["--repair", "repaired.bin"]
    if record.stream.isDirected { words += ["--stream", String(record.stream.numberInFile)] }
    return "next: " + (words + [input]).map(shellWord).joined(separator: " ")
  }

  private func next(_ flags: [String], _ format: ViewFormat, _ first: Record, _ input: String) -> String? {
    // Live traffic cannot be read again.
    guard format != .command, !input.isEmpty else { return nil }
    var words = ["apnscope"] + flags.map(shellWord)
    if format == .tree {
      // Only an error of the sender can be repaired, not bytes missing from a capture.
      guard case .frame = first.content, worst == .error else { return nil }
      words += ["-T", "command"]
    }
    let purpose = format == .tree ? ", then fix the line it prints" : ""
    if input == "-" || input == "--hex" {
      return format == .tree
        ? "next: the same command with -T command\(purpose)" : "next: the same command with -T tree"
    }
    if first.stream.isDirected { words += ["--stream", String(first.stream.numberInFile)] }
    return "next: " + (words + [shellWord(input)]).joined(separator: " ") + purpose
  }
}
