import APNSDiagnosis
import APNSViews

/// Shows records: it reads an input and writes records through a view, then a summary on standard error, and returns an
/// exit status.
struct RecordPipeline {
  let settings: StreamSettings
  let view: any View
  let format: ViewFormat
  /// The names of the inputs, indexed by number.
  let inputs: [String]
  /// The output file; nil means standard output.
  let output: OutputPath?
  var selection = RecordSelection()
  private let failOn: FailOn
  private let quiet: Bool
  /// Whether notes are counted but not shown.
  var hidesNotes = false
  /// Whether the name of an input is written before its records if there are several, as by `head` and `tail`.
  var hasHeadings = false
  var ending = Ending.triage
  /// Number of threads. Two are the useful maximum: they share reading if little is written, and writing if each record
  /// is written.
  var jobs = 1
  /// Known findings, which are ignored.
  var baseline: Baseline?
  /// Additional outputs; some also contain the findings of the baseline.
  var reports: [(writer: RecordWriter, includesKnown: Bool)] = []
  /// Selects the records of interest. Others are not even counted.
  var isWanted: ((Record) -> Bool)?
  /// Whether bytes of several streams may be joined in a format for one stream.
  var joinsStreams = false
  /// Whether the output is a capture.
  var writesCapture = false
  /// A remark for the summary at the end, made after the output is complete.
  var closingRemark: () -> String? = { nil }
  /// The progress line; nil if none is shown.
  private(set) var progress: Progress?
  /// The options that read the same input again in the same way.
  private var inputFlags: [String] = []

  /// The summary at the end, on standard error.
  enum Ending {
    /// The first finding to look at, and the command to run next.
    case triage
    /// The number of findings, of hidden ones, and of known ones in the baseline file.
    case counts(baseline: String?)
    case none
  }

  /// - Parameter exit: Nil if findings don't matter.
  init(
    _ settings: StreamSettings, _ view: any View, _ format: ViewFormat = .line, inputs: [String], output: OutputPath?,
    _ exit: FailOnOption?, _ messages: QuietOption
  ) {
    (self.settings, self.view, self.format, self.inputs, self.output) = (settings, view, format, inputs, output)
    (failOn, quiet) = (exit?.failOn ?? .never, messages.quiet)
  }

  /// - Parameter other: The format to use if the options choose none.
  init(
    _ settings: StreamSettings, _ records: RecordOptions, else other: ViewFormat, inputs: [String],
    output: OutputPath?, _ exit: FailOnOption, _ messages: QuietOption
  ) throws(Failure) {
    let format = try records.format(else: other)
    self.init(
      settings, try records.view(format, settings, inputs: inputs, to: output), format, inputs: inputs, output: output,
      exit, messages)
    // Notes are for people who ask for them, or whose exit status depends on them. Programs always get them.
    hidesNotes = format.isText && !records.verbose && failOn != .note
    hasHeadings = format.isText
  }

  /// Whether headings are written: only if there are several inputs.
  var writesHeadings: Bool { hasHeadings && inputs.count > 1 }

  /// What the dissector may count without passing on the records; nil if records are selected or all are shown.
  private var counting: Counting? {
    guard !type(of: view).showsFaultless, selection.isAll, !refusesMixture, !writesHeadings, isWanted == nil
    else { return nil }
    guard baseline == nil else { return Counting() }
    return Counting(after: reports.isEmpty ? type(of: view).recordsOfEachRule : .max, countsNotes: hidesNotes)
  }

  /// Whether a second stream is an error, because the format has only one.
  var refusesMixture: Bool { format.isOneStream && !joinsStreams }

  /// Reads the sources and shows their records.
  /// - Parameters:
  ///   - verbose: Whether the interpretation of text is always reported.
  ///   - writesAtEnd: Whether nothing is written before the end, so that progress can be shown on a terminal.
  func run(
    _ input: InputOptions, _ sources: [InputSource], verbose: Bool = false, writesAtEnd: Bool = false
  ) throws -> ExitStatus {
    var run = self
    run.progress = Progress(quiet: quiet, writesFile: writesAtEnd || output != nil)
    run.inputFlags = input.flags
    // The reading thread shows the progress, but the other one would count the records.
    let readsAhead = jobs > 1 && run.progress == nil && !type(of: view).showsEachAlone
    return try run.run { dissector in
      input.read(
        sources, by: settings.definitions, into: &dissector, quiet: quiet, verbose: verbose, progress: run.progress,
        readsAhead: readsAhead, showsLosses: view.saysRemarks)
    }
  }

  /// - Parameter read: Reads into the dissector.
  func run(_ read: (inout Dissector<ViewSink>) -> InputReading) throws -> ExitStatus {
    if !writesCapture { try output?.checkIsNoCapture() }
    let file = try OutputFile(output, content: writesCapture ? .capture : OutputFile.Content(format))
    var dissector = settings.dissector(counting: counting, into: ViewSink(self, to: file))
    let reading = read(&dissector)
    var failures = reading.failures
    dissector.records.note(reading)
    if let mixture = dissector.records.mixture { failures.append(mixture) }
    for failure in failures { dissector.records.note(failure) }
    var triage = dissector.records.triage
    let wasStopped = dissector.records.mixture != nil || failures.contains(where: \.isInterruption)
    let isComplete = failures.isEmpty || (triage.foundSomething && !wasStopped)
    let isUnread = !wasStopped && failures.allSatisfy { $0.status == .unreadable }
    do throws(Failure) {
      try dissector.records.close(complete: isComplete, unread: isUnread)
    } catch {
      failures.append(error)
    }
    let hasSummary = !quiet && (failures.isEmpty || triage.foundSomething)
    for failure in failures { failure.report(quiet: quiet || hasSummary) }
    if let remark = closingRemark() { triage.note(input: "", isEmpty: false, remark: remark) }
    // A closed pipe ends quietly; after a write error nothing else matters.
    if hasSummary, !dissector.records.isClosed {
      // What cannot be read comes first, since the rest follows from it.
      let next = failures.lazy.compactMap(\.next).first.map { ["next: \($0)"] }
      StandardError.say(lines(of: triage).filter { next == nil || !$0.hasPrefix("next: ") } + (next ?? []))
    }
    if let status = failures.status { return status }
    return failOn.isReached(by: triage.worst) ? .findings : .clean
  }

  private func lines(of triage: Triage) -> [String] {
    switch ending {
    case .none: []
    case .triage:
      triage.lines(
        flags: inputFlags + settings.flags, selection: selection.flags, format: format, wanted: selection.stream)
    case .counts(let baseline):
      triage.counts(hidesNotes: hidesNotes, baseline: baseline, wanted: selection.stream)
    }
  }
}
