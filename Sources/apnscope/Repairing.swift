import APNSDiagnosis
import APNSInput
import APNSViews
import APNSWire

/// Writes a stream as its sender should have written it, where the cause of a fault tells, and shows what it changes.
struct Repairing: InputSink, ~Copyable {
  private let text: RepairText
  private var shown: OutputFile
  private var repaired: OutputFile
  private let stream: Int?
  private var firstStream: Int?
  /// Up to here in the stream, bytes are repaired already.
  private var doneUntil = 0
  private(set) var changed = 0
  private(set) var unexplained = 0
  private(set) var mixture: Failure?
  private(set) var worst: Finding.Severity?

  init(_ text: RepairText, showing shown: consuming OutputFile, to path: String, stream: Int?) throws(Failure) {
    self.text = text
    self.shown = shown
    self.stream = stream
    repaired = try OutputFile(path)
  }

  var wantsMore: Bool { mixture == nil && !shown.isClosed }
  var wantsInput: Bool { wantsMore && !Interrupt.isRaised }
  var showsLosses: Bool { false }
  mutating func note(_ name: String, isEmpty: Bool, remark: String?) {}

  mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
    guard stream == nil || stream == record.stream.number else { return }
    if case .overlap = record.content { return }
    if firstStream == nil { firstStream = record.stream.number }
    guard firstStream == record.stream.number else {
      mixture = .unreadable(
        "there is more than one stream, and only one can be repaired; choose one with --stream \(firstStream ?? 0) or "
          + "--stream \(record.stream.number)")
      return
    }
    let severities = record.findings.map(\.severity)
    worst = [worst, severities.max()].compactMap { $0 }.max()
    let start = record.offset
    if let cause = record.findings.lazy.compactMap(\.cause).first, let right = cause.repaired, start >= doneUntil {
      shown.append { text.write(record, bytes, cause, repaired: right.span, to: &$0) }
      repaired.append { $0.write(right.span) }
      doneUntil = cause.range.upperBound
      changed += 1
    } else if severities.contains(.error), start >= doneUntil {
      unexplained += 1
    }
    let first = min(max(doneUntil - start, 0), bytes.count)
    repaired.append { $0.write(bytes.extracting(first...)) }
  }

  /// Not `complete`: nothing is written.
  mutating func close(complete: Bool) throws(Failure) {
    try shown.close(complete: complete)
    try repaired.close(complete: complete && changed > 0)
  }
}

extension Dissect {
  /// The run of `--repair`.
  func repair(to path: String, _ sources: [Inputs.Source]) throws -> ExitStatus {
    for source in sources where isSameFile(source.name, path) {
      throw Failure.usage("\(path) is also read, and nothing is repaired in place; name another file to --repair")
    }
    let columns = display.look.columns(writesFile: output != nil)
    let palette = display.look.palette(writesFile: output != nil)
    let sink = try Repairing(
      RepairText(.standard, width: columns, palette: palette), showing: try OutputFile(output), to: path,
      stream: selection.stream)
    var dissector = Dissector(.standard, policy: roles.policy, rules: try rules.policy(), into: sink)
    var failures = input.read(sources, into: &dissector, quiet: quiet, progress: nil)
    if let mixture = dissector.records.mixture { failures.append(mixture) }
    try dissector.records.close(complete: dissector.records.mixture == nil)
    for failure in failures { failure.report() }
    let (changed, unexplained) = (dissector.records.changed, dissector.records.unexplained)
    if !quiet, failures.isEmpty {
      let left =
        unexplained == 0
        ? "" : "; \(plural(unexplained, "bad record")) without a cause that could be told stand as they were"
      Talk.say(
        changed == 0
          ? "nothing is repaired, and \(path) is not written\(left)"
          : "\(plural(changed, "place")) repaired in \(path)\(left); what was meant is a guess: compare before you use it"
      )
    }
    if !failures.isEmpty { return .unreadable }
    return failOn.isReached(by: dissector.records.worst) ? .findings : .clean
  }
}
