import APNSDiagnosis
import APNSInput
import APNSViews
import APNSWire

/// Writes a stream as its sender should have written it, if the cause of a fault tells, and shows what it changes.
struct Repairing<V: View>: InputSink, ~Copyable {
  private let text: RepairText
  private var shown: OutputFile
  private let report: ReportTarget
  private var repaired: Dissector<ViewSink<V>>
  private let stream: Int?
  private var firstStream: Int?
  /// Up to here in the stream, bytes are repaired already.
  private var doneUntil = 0
  private(set) var changed = 0
  private(set) var mixture: Failure?

  init(
    _ text: RepairText, showing shown: consuming OutputFile, report: ReportTarget, stream: Int?,
    into repaired: consuming Dissector<ViewSink<V>>
  ) {
    self.text = text
    self.shown = shown
    self.report = report
    self.stream = stream
    self.repaired = repaired
  }

  var wantsMore: Bool { mixture == nil && repaired.records.wantsMore }
  var wantsInput: Bool { wantsMore && !Interrupt.isRaised }
  var showsLosses: Bool { false }
  mutating func note(_ name: String, isEmpty: Bool, remark: String?) {}

  mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
    guard stream == nil || stream == record.stream.number else { return }
    if case .overlap = record.content { return }
    if firstStream == nil {
      firstStream = record.stream.number
      repaired.open(record.stream, at: record.offset)
    }
    let number = record.stream.number
    guard firstStream == number else {
      mixture = .unreadable(
        "there is more than one stream, and only one can be repaired; choose one with --stream \(firstStream ?? 0) or "
          + "--stream \(number)")
      return
    }
    if case .gap = record.content { return repaired.gap(of: record.count, in: number) }
    let start = record.offset
    if let cause = record.findings.lazy.compactMap(\.cause).first, let right = cause.repaired, start >= doneUntil {
      switch report {
      case .output: shown.append { text.write(record, bytes, cause, repaired: right.span, to: &$0) }
      case .standardError:
        var out = Output()
        text.write(record, bytes, cause, repaired: right.span, to: &out)
        _ = out.read { writeAll($0, to: 2) }
      case .nowhere: break
      }
      append(right.span)
      doneUntil = cause.range.upperBound
      changed += 1
    }
    append(bytes.extracting(min(max(doneUntil - start, 0), bytes.count)...))
  }

  private mutating func append(_ bytes: Span<UInt8>) {
    guard let firstStream, !bytes.isEmpty else { return }
    repaired.append(bytes, from: .input(offset: 0), to: firstStream)
  }

  /// What is left in the repaired stream.
  var left: Triage { repaired.records.triage }

  /// Not `complete`: nothing is written.
  mutating func close(complete: Bool) throws(Failure) {
    repaired.finish()
    try shown.close(complete: complete)
    try repaired.records.close(complete: complete)
  }
}

/// Where what changes is shown.
enum ReportTarget {
  case output
  /// The stream goes to standard output.
  case standardError
  case nowhere
}

extension Dissect {
  /// The run of `--repair`.
  struct Repair: ViewUser {
    let command: Dissect
    let path: String
    let sources: [Inputs.Source]
    let rules: RulePolicy

    func use(_ view: some View) throws -> ExitStatus {
      let (inputs, output) = (Inputs.paths(of: sources), command.output)
      for path in [path, output ?? "-"] where path != "-" { try Showing.check(path) }
      guard path != output else { throw Failure.usage("\(path) is used for two outputs; give each its own file") }
      let report: ReportTarget =
        path != "-" || output != nil ? .output : command.quiet ? .nowhere : .standardError
      let look = command.display.look
      let format = command.display.format(else: .raw)
      let sink = ViewSink(
        view, to: try OutputFile(path, reading: inputs, content: format == .raw ? .bytes : .text),
        selection: command.selection, filter: nil, limit: nil, refusesMixture: false,
        inputs: sources.map(\.name), hasHeadings: false, hidesNotes: command.display.hidesNotes(format, command.failOn),
        baseline: nil, reports: [], jobs: 1, progress: nil, isWanted: nil)
      let text = RepairText(
        .standard, width: look.columns(writesFile: output != nil),
        palette: report == .standardError ? look.color.palette(for: 2) : look.palette(writesFile: output != nil))
      let repairing = Repairing(
        text, showing: try OutputFile(output, reading: inputs), report: report, stream: command.selection.stream,
        into: Dissector(protocolDefinitions, policy: command.roles.policy, rules: rules, into: sink))
      var dissector = Dissector(protocolDefinitions, policy: command.roles.policy, rules: rules, into: repairing)
      var failures = command.input.read(sources, into: &dissector, quiet: command.quiet, progress: nil)
      if let mixture = dissector.records.mixture { failures.append(mixture) }
      do throws(Failure) {
        try dissector.records.close(complete: dissector.records.mixture == nil && !Interrupt.isRaised)
      } catch {
        failures.append(error)
      }
      for failure in failures { failure.report() }
      let left = dissector.records.left
      if !command.quiet, failures.isEmpty {
        Talk.say(account(changed: dissector.records.changed, errors: left.errors))
      }
      if !failures.isEmpty { return .unreadable }
      return command.failOn.isReached(by: left.worst) ? .findings : .clean
    }

    private func account(changed: Int, errors: Int) -> String {
      let (left, isFile) = (plural(errors, "error"), path != "-")
      guard changed > 0 else {
        let what = errors == 0 ? "nothing had to be repaired" : "no known cause explains the \(left)"
        return what + (isFile ? "; \(path) has the stream unchanged" : "")
      }
      return "\(plural(changed, "place")) repaired" + (isFile ? " in \(path)" : "")
        + (errors == 0 ? "" : "; \(left) left, which no known cause explains")
        + "; the repair is a guess: compare it with the original before you use it"
    }
  }
}
