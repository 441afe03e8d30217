import APNSDiagnosis
import APNSViews

/// One run that shows records: from whatever reads, through a view, to an output, a last line and an exit status.
package struct RecordRun {
  package var settings: StreamSettings
  var view: any View
  package var format: ViewFormat
  /// The names of the inputs, by their numbers.
  var inputs: [String]
  package var selection = RecordSelection()
  /// A file; nil for standard output.
  package var output: String?
  package var failOn = FailOn.error
  package var quiet = false
  /// Notes count, but the view does not get them.
  package var hidesNotes = false
  /// Where the records of one of several inputs begin, its name is written, as `head` and `tail` do.
  package var hasHeadings = false
  package var lastLine = LastLine.none
  /// Threads to work with, of which two are the most that help: they share the reading where little is written, and the
  /// writing where each record is.
  package var jobs = 1
  /// Findings that are known: passed over as if they were not there.
  var baseline: Baseline?
  /// Files that are read beside the inputs, and must not be overwritten.
  var alsoReads: [String] = []
  /// Files that are written besides the output.
  var reports: [ReportFile] = []
  /// Other records are not spoken of at all.
  var isWanted: ((Record) -> Bool)?
  /// Bytes of several streams make one, where a format writes one only.
  var joinsStreams = false
  /// What is written is a capture.
  var writesCapture = false
  /// Where people wait.
  private(set) var progress: Progress?
  /// The options that read the same input in the same way again.
  private var inputFlags: [String] = []

  /// What is said at the end.
  package enum LastLine {
    /// The first thing to look at, and the command to run next.
    case triage
    /// How many findings there are, and how many were left out; those in the baseline's file were known.
    case counts(baseline: String?)
    case none
  }

  init(_ settings: StreamSettings, _ view: any View, _ format: ViewFormat, inputs: [String]) {
    self.settings = settings
    self.view = view
    self.format = format
    self.inputs = inputs
  }

  /// - Parameter output: a file; nil for standard output.
  package init(_ settings: StreamSettings, _ style: RecordStyle, inputs: [String], output: String?, failOn: FailOn) {
    self.init(settings, style.view(inputs: inputs, writesFile: output != nil), style.format, inputs: inputs)
    self.output = output
    self.failOn = failOn
    hidesNotes = style.hidesNotes(failOn)
    hasHeadings = format.isText
  }

  /// Of one screen, at the end.
  package init(_ settings: StreamSettings, summaryIn style: TextStyle, inputs: [String]) {
    let view = SummaryView(
      protocolDefinitions.catalog, width: style.columns(writesFile: false), palette: style.palette(writesFile: false))
    self.init(settings, view, .line, inputs: inputs)
    lastLine = .triage
  }

  /// Of several inputs.
  var writesHeadings: Bool { hasHeadings && inputs.count > 1 }

  /// What the view need not get as records; nil if something chooses among them, or each is shown.
  private var counting: Counting? {
    guard !type(of: view).showsFaultless, selection.isAll, !refusesMixture, !writesHeadings, isWanted == nil
    else { return nil }
    guard baseline == nil else { return Counting() }
    return Counting(after: reports.isEmpty ? type(of: view).recordsOfEachRule : .max, countsNotes: hidesNotes)
  }

  /// Only formats that hold one stream refuse a second one.
  var refusesMixture: Bool { format.isOneStream && !joinsStreams }

  /// - Parameters:
  ///   - verbose: how text was read is always said.
  ///   - writesAtEnd: nothing is shown before the end, so that there is room for the progress.
  package func run(
    _ input: InputRequest, _ sources: [InputSource], verbose: Bool = false, writesAtEnd: Bool = false
  ) throws -> ExitStatus {
    var run = self
    run.progress = Progress(quiet: quiet, writesFile: writesAtEnd || output != nil)
    run.inputFlags = input.flags
    // The thread that reads shows the progress, but another one would count the records.
    let readsAhead = jobs > 1 && run.progress == nil && !type(of: view).showsEachAlone
    return try run.run { dissector in
      input.read(
        sources, into: &dissector, quiet: quiet, verbose: verbose, progress: run.progress, readsAhead: readsAhead)
    }
  }

  /// - Parameter read: reads into the dissector, and returns what could not be read.
  func run(_ read: (inout Dissector<ViewSink>) -> [Failure]) throws -> ExitStatus {
    if let output { try Self.check(output, writesCapture: writesCapture) }
    let file = try OutputFile(
      output, reading: inputs + alsoReads, content: writesCapture ? .capture : format == .raw ? .bytes : .text)
    var dissector = settings.dissector(counting: counting, into: ViewSink(self, to: file))
    var failures = read(&dissector)
    if let mixture = dissector.records.mixture { failures.append(mixture) }
    let triage = dissector.records.triage
    let wasInterrupted = failures.contains(where: \.isInterruption)
    let isComplete =
      failures.isEmpty || (triage.foundSomething && dissector.records.mixture == nil && !wasInterrupted)
    do throws(Failure) {
      try dissector.records.close(complete: isComplete)
    } catch {
      failures.append(error)
    }
    for failure in failures { failure.report() }
    // A closed pipe ends quietly, and after a write error nothing else matters.
    if !quiet, !dissector.records.isClosed, failures.isEmpty || triage.foundSomething, let line = line(of: triage) {
      StandardError.say(line)
    }
    if let failure = failures.first {
      return failures.contains { $0.status == .unreadable } ? .unreadable : failure.status
    }
    return failOn.isReached(by: triage.worst) ? .findings : .clean
  }

  /// Few formats are a capture.
  static func check(_ output: String, writesCapture: Bool = false) throws(Failure) {
    guard !writesCapture, output.hasSuffix(".pcap") || output.hasSuffix(".pcapng") else { return }
    throw .usage(
      "\(output): this command writes no packets; to write a capture: apnscope -T ndjson ... | apnscope encode "
        + "-T pcap -w \(output)")
  }

  private func line(of triage: Triage) -> String? {
    switch lastLine {
    case .none: nil
    case .triage:
      triage.line(
        flags: inputFlags + settings.flags, selection: selection.flags, format: format, wanted: selection.stream)
    case .counts(let baseline):
      triage.counts(hidesNotes: hidesNotes, baseline: baseline, wanted: selection.stream)
    }
  }
}
