import APNSDiagnosis
import APNSInput
import APNSViews
import Octets

/// Collects what a run ends with on standard error: what was read, the first thing to look at, and the command to run
/// next.
package struct Triage {
  private var frames = 0
  private var bad = 0
  private var shown = 0
  private var filteredCount = 0
  private var rules: [String: Int] = [:]
  private var causes: [String: (count: Int, first: Sighting)] = [:]
  /// The first finding of the highest severity above note.
  private var first: Sighting?
  /// The first record that can be repaired.
  private var repairable: Sighting?
  private var severities: [Finding.Severity: Int] = [:]
  private var known = 0
  private var remarks: [String] = []
  private var streams: [Int] = []
  private var hadBytes = false
  /// The counts of the last capture or sequence of captures.
  private var tally: Reassembler.Tally?
  package private(set) var worst: Finding.Severity?

  /// A finding in a record of an input.
  private struct Sighting {
    let finding: Finding
    let record: Record
    let input: String
  }

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
      let sighting = Sighting(finding: finding, record: record, input: input)
      severities[finding.severity, default: 0] += 1
      if let cause = finding.cause {
        causes[cause.id, default: (0, sighting)].count += 1
        if cause.repaired != nil, repairable == nil { repairable = sighting }
      }
      worst = max(worst ?? finding.severity, finding.severity)
      guard finding.severity > .note else { continue }
      isBad = true
      rules[finding.rule, default: 0] += 1
      if first.map({ $0.finding.severity < finding.severity }) ?? true { first = sighting }
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

  /// What was read, what to look at first, and what to run next: a line each. Empty if there is nothing to report.
  /// - Parameters:
  ///   - flags: The options that read the same input again.
  ///   - selection: The options that select the same records.
  ///   - wanted: The number of the requested stream.
  package func lines(flags: [String], selection: [String], format: ViewFormat, wanted: Int?) -> [String] {
    guard let first else {
      return lines(remarks + [reasonForNothing(wanted)].compactMap { $0 })
    }
    let found = "\(plural(frames, "frame")), \(bad) to look at\(rules.count > 1 ? ": \(commonRules)" : "")"
    let next = repair(flags, format) ?? next(flags + selection, format, first) ?? explanation
    return lines([found] + remarks, first: sentence(about: first), next: next)
  }

  /// The same for output that consists of findings: how many there are, and how many are hidden.
  package func counts(hidesNotes: Bool, baseline: String?, wanted: Int?) -> [String] {
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

  /// Root causes, the one of most findings first.
  private var commonCauses: [(id: String, count: Int, first: Sighting)] {
    causes.map { ($0.key, $0.value.count, $0.value.first) }.sorted { ($1.count, $0.id) < ($0.count, $1.id) }
  }

  /// A root cause says more than the finding it explains; a message is shortened to its main clause.
  private func sentence(about first: Sighting) -> String {
    guard let cause = commonCauses.first else {
      let message = first.finding.message
      let clause = message.firstRange(of: ": ").map { message[..<$0.lowerBound] } ?? message[...]
      return "\(place(of: first)): \(first.finding.rule), \(clause)"
    }
    let others = commonCauses.dropFirst().prefix(3).map { "\($0.id) (\($0.count))" }
    let rest = others.isEmpty ? "" : ", then " + others.joined(separator: ", ")
    return "\(place(of: cause.first)): \(cause.first.finding.rule), most likely cause: "
      + "\(cause.id) (\(plural(cause.count, "frame")))\(rest)"
  }

  private var commonRules: String {
    rules.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(4)
      .map { "\($0.value) \($0.key)" }.joined(separator: ", ")
  }

  private func place(of sighting: Sighting) -> String {
    let (finding, record) = (sighting.finding, sighting.record)
    var parts: [String] = []
    if record.stream.isDirected { parts.append("stream \(record.stream.numberInFile)") }
    if let packet = record.packets.first { parts.append("packet \(packet.number)") }
    if let position = record.position(of: finding) {
      parts.append("line \(position.line), column \(position.column)")
    }
    return "#\(record.number) at 0x\(String(finding.range.lowerBound, radix: 16))"
      + (parts.isEmpty ? "" : " (" + parts.joined(separator: ", ") + ")")
  }

  /// The command that rewrites the stream.
  private func repair(_ flags: [String], _ format: ViewFormat) -> String? {
    guard let repairable, format != .command else { return nil }
    return command(flags + ["--repair", "repaired.bin"], reading: repairable)
  }

  /// The command that shows the frame in full, or one that makes it anew.
  private func next(_ flags: [String], _ format: ViewFormat, _ first: Sighting) -> String? {
    guard format != .command else { return nil }
    guard format == .tree else { return command(flags, reading: first) }
    // Only an error of the sender can be corrected, not bytes missing from a capture.
    guard case .frame = first.record.content, worst == .error else { return nil }
    return command(flags + ["-T", "command"], reading: first)
  }

  /// The command that explains what was found, which does not read the input again.
  private var explanation: String? {
    guard let id = commonCauses.first?.id ?? first?.finding.rule else { return nil }
    return "apnscope explain \(id)"
  }

  /// A command for a shell; nil if the input cannot be read again, since it came from a pipe, the command line or an
  /// interface.
  private func command(_ options: [String], reading sighting: Sighting) -> String? {
    guard !["", "-", "--hex"].contains(sighting.input) else { return nil }
    let stream = sighting.record.stream
    let chosen = stream.isDirected ? ["--stream", String(stream.numberInFile)] : []
    return (["apnscope"] + options + chosen + [sighting.input]).map(shellWord).joined(separator: " ")
  }
}
