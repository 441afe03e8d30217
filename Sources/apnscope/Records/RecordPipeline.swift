import APNSDiagnosis
import APNSViews

/// Shows records: it reads an input and writes the selected records through a view, then a summary on standard error,
/// and returns an exit status.
final class RecordPipeline: RecordSink {
  let settings: StreamSettings
  let format: ViewFormat
  /// The names of the inputs, indexed by number.
  let inputs: [String]
  let selection: RecordSelection
  /// Whether notes are counted but not shown.
  var hidesNotes = false
  /// Whether the name of an input is written before its records, as by `head` and `tail`.
  var hasHeadings = false
  var ending = Ending.triage
  /// Number of threads. Two are the useful maximum: they share reading if little is written, and writing if each record
  /// is written.
  var jobs = 1
  /// Known findings, which are ignored.
  var baseline: Baseline?
  /// The outputs. The first one is opened last, when the run begins.
  var writers: [RecordWriter] = []
  /// Whether bytes of several streams may be joined in a format for one stream.
  var joinsStreams = false
  /// The options that read the same input again in the same way.
  private(set) var inputFlags: [String] = []
  private let view: any View
  private let output: OutputPath?
  private let failOn: FailOn
  private let quiet: Bool

  // The state of the run.

  private(set) var triage = Triage()
  /// A second stream occurred, but the format contains only one.
  var mixture: Failure?
  private var firstStream: Int?
  /// The input whose heading was written last.
  private var headed: Int?

  /// The summary at the end, on standard error.
  enum Ending {
    /// The first finding to look at, and the command to run next.
    case triage
    /// The number of findings, of hidden ones, and of known ones in the baseline file.
    case counts(baseline: String?)
    case lines([String])
  }

  /// - Parameter exit: Nil if findings don't matter.
  init(
    _ settings: StreamSettings, _ selection: RecordSelection, _ view: any View, _ format: ViewFormat = .line,
    inputs: [String], output: OutputPath?, _ exit: FailOnOption?, _ messages: QuietOption
  ) {
    (self.settings, self.selection, self.view, self.format) = (settings, selection, view, format)
    (self.inputs, self.output, failOn, quiet) = (inputs, output, exit?.failOn ?? .never, messages.quiet)
  }

  /// - Parameter other: The format to use if the options choose none.
  convenience init(
    _ settings: StreamSettings, _ selection: RecordSelection, _ records: RecordOptions, else other: ViewFormat,
    inputs: [String], output: OutputPath?, _ exit: FailOnOption, _ messages: QuietOption
  ) throws(Failure) {
    let format = try records.format(else: other)
    self.init(
      settings, selection, try format.view(settings, inputs: inputs, records.text.terminal(for: output), records),
      format, inputs: inputs, output: output, exit, messages)
    // Notes are for people who ask for them, or whose exit status depends on them. Programs always get them.
    hidesNotes = format.isText && !records.verbose && failOn != .note
    hasHeadings = format.isText && inputs.count > 1
  }

  /// Whether a second stream is an error, because the format has only one.
  private var refusesMixture: Bool { format.isOneStream && !joinsStreams }

  /// What the dissector may count without passing on the records; nil if records are selected or all are shown.
  private var counting: Counting? {
    guard let shown = type(of: view).recordsOfEachRule, selection.isAll, !refusesMixture, !hasHeadings else {
      return nil
    }
    guard baseline == nil else { return Counting() }
    return Counting(after: writers.count > 1 ? .max : shown, countsNotes: hidesNotes)
  }

  // MARK: - The run

  /// Reads the sources and shows their records.
  /// - Parameter verbose: Whether the interpretation of text is always reported.
  func run(_ input: InputOptions, _ sources: [InputSource], verbose: Bool = false) throws -> ExitStatus {
    inputFlags = input.flags
    return try run { dissector in
      // A view that writes remarks also shows all gaps and overlaps.
      input.read(
        sources, by: settings.definitions, into: &dissector, quiet: quiet, verbose: verbose,
        readsAhead: jobs > 1 && !type(of: view).showsEachAlone, showsLosses: view.saysRemarks)
    }
  }

  func run(_ read: (inout Dissector<RecordPipeline>) -> InputReading) throws -> ExitStatus {
    let content = view is CaptureView ? OutputFile.Content.capture : .init(format)
    writers.insert(RecordWriter(view, to: try OutputFile(output, content: content), jobs: jobs), at: 0)
    var dissector = settings.dissector(counting: counting, into: self)
    let reading = read(&dissector)
    var failures = reading.failures + [mixture].compactMap(\.self)
    note(reading, failures)
    let wasStopped = mixture != nil || failures.contains(where: \.isInterruption)
    let isComplete = failures.isEmpty || (triage.foundSomething && !wasStopped)
    // An output that says what was not read is kept if nothing but that failed.
    let isUnread = !wasStopped && failures.allSatisfy { $0.status == .unreadable }
    for writer in writers {
      let isKept = isComplete || isUnread && type(of: writer.view).saysUnread
      do throws(Failure) { try writer.close(complete: isKept) } catch { failures.append(error) }
    }
    let hasSummary = !quiet && (failures.isEmpty || triage.foundSomething)
    let status = failures.report(quiet: quiet || hasSummary)
    if let omission = writers[0].view.omission { triage.remarks.append(omission) }
    // A closed pipe ends quietly; after a write error nothing else matters.
    if hasSummary, !isClosed {
      // What cannot be read comes first, since the rest follows from it.
      let next = failures.lazy.compactMap(\.next).first.map { ["next: \($0)"] }
      StandardError.say(summary.filter { next == nil || !$0.hasPrefix("next: ") } + (next ?? []))
    }
    return status ?? (failOn.isReached(by: triage.worst) ? .findings : .clean)
  }

  /// Passes on the remarks, and what could not be read; a view that does not write them ignores them.
  private func note(_ reading: InputReading, _ failures: [Failure]) {
    triage.note(reading, withRemarks: !view.saysRemarks)
    for writer in writers {
      for remark in reading.notes.compactMap(\.remark) + failures.map(\.sentence) where !remark.isEmpty {
        writer.view.note(remark)
      }
      for failure in failures {
        guard let input = failure.input else { continue }
        // After an interruption, the rest is not read.
        for unread in input..<(failure.isInterruption ? inputs.count : input + 1) {
          writer.view.note(unread: unread, failure.sentence)
        }
      }
    }
  }

  /// Whether nothing more can be written, because readers closed their pipes or writing failed.
  private var isClosed: Bool { writers.allSatisfy(\.isClosed) }

  // MARK: - Records

  var wantsMore: Bool { !isClosed && mixture == nil && selection.count.map { triage.shown < $0 } ?? true }

  var wantsInput: Bool { wantsMore && !Interrupt.isRaised }

  func pause() { for writer in writers { writer.flush() } }

  func count(_ frames: CountedFrames) {
    triage.count(frames)
    for findings in frames.findings where findings.severity > .note || !hidesNotes { writers[0].view.count(findings) }
  }

  func take(_ record: Record, _ bytes: Span<UInt8>) {
    guard selection.stream == nil || selection.stream == record.stream.number, wantsMore else { return }
    for writer in writers where writer.includesKnown && selection.contains(record, bytes) {
      writer.take(withoutHiddenNotes(record), bytes)
    }
    guard let baseline, !record.findings.isEmpty else { return show(record, bytes, known: 0) }
    var rest = record
    rest.findings.removeAll { baseline.knows($0, in: record, bytes, settings.catalog) }
    show(rest, bytes, known: record.findings.count - rest.findings.count)
  }

  private func show(_ record: Record, _ bytes: Span<UInt8>, known: Int) {
    guard selection.contains(record, bytes) else { return triage.countFiltered() }
    if refusesMixture, record.stream.isDirected {
      let (first, number) = (firstStream ?? record.stream.number, record.stream.number)
      guard first == number else {
        mixture = .unreadable(
          "\(input(of: record)) contains more than one stream, and their bytes cannot be joined; choose one with "
            + "--stream \(first) or --stream \(number)")
        return
      }
      firstStream = first
    }
    if hasHeadings, headed != record.input {
      let heading = "\(triage.shown == 0 ? "" : "\n")==> \(printable(input(of: record))) <==\n"
      writers[0].append { $0.write(heading) }
      headed = record.input
    }
    triage.count(record, known: known)
    let record = withoutHiddenNotes(record)
    for writer in writers where !writer.includesKnown { writer.take(record, bytes) }
  }

  func input(of record: Record) -> String { inputs.indices.contains(record.input) ? inputs[record.input] : "" }

  private func withoutHiddenNotes(_ record: Record) -> Record {
    guard hidesNotes, record.findings.contains(where: { $0.severity == .note }) else { return record }
    var rest = record
    rest.findings.removeAll { $0.severity == .note }
    return rest
  }
}
