import APNSViews
import APNSDiagnosis
import APNSReport

/// Writes an HTML page about the records of an input. The input is read three times: twice for the fates of
/// notifications, then for the page.
struct ReportRun {
  private let input: InputRequest
  private let settings: StreamSettings
  var selection = RecordSelection()
  /// The output file; nil means standard output.
  var output: OutputPath?
  /// The number of records whose data the page contains.
  var limit = ReportView.standardLimit
  var failOn = FailOn.error
  var quiet = false

  init(_ input: InputRequest, _ settings: StreamSettings) {
    self.input = input
    self.settings = settings
  }

  func run() throws -> ExitStatus {
    try OutputFile.check(output, mayReceive: .page)
    if let output { try RecordRun.check(output) }
    let sources = try input.rereadable(quiet: quiet)
    var finished = ReportConversations()
    let (conversations, _) = try input.conversations(
      in: sources, settings, keepsFates: true, Progress(quiet: quiet, writesFile: true)
    ) { finished.add($0) }
    finished.finish(conversations)
    let extent = ReportExtent()
    let inputs = sources.map(\.name)
    let view = ReportView(
      protocolDefinitions.catalog, inputs: inputs, selection: selection.text, limit: limit, conversations: finished,
      extent: extent)
    var run = RecordRun(settings, view, .line, inputs: inputs)
    run.selection = selection
    run.output = output
    run.failOn = failOn
    run.quiet = quiet
    run.ending = .triage
    run.jobs = processorCount()
    run.closingRemark = { extent.sentence }
    return try run.run(input, sources, writesAtEnd: true)
  }
}

extension RecordSelection {
  /// The options that select records, for the title of the page; nil if all are selected.
  fileprivate var text: String? {
    let words = flags.map(shellWord) + (stream.map { ["--stream", String($0)] } ?? [])
    return words.isEmpty ? nil : words.joined(separator: " ")
  }
}
