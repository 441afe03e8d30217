import APNSDiagnosis
import APNSInput
import APNSViews

/// The formats of findings.
enum CheckFormat: String, CaseIterable {
  case text, ndjson, sarif, junit, github
}

/// Reports findings only: to the output, and to additional files.
struct CheckRun {
  private let settings: StreamSettings
  private let format: CheckFormat
  private let style: TextStyle
  /// The version of apnscope, for SARIF.
  private let version: String
  var selection = RecordSelection()
  /// The output file; nil means standard output.
  var output: OutputPath?
  /// A file for SARIF output.
  var sarif: OutputPath?
  /// A file for JUnit XML output.
  var junit: OutputPath?
  /// A file with findings that are not reported.
  var baseline: InputPath?
  /// A file to write all findings to; they do not affect the exit status then.
  var updateBaseline: OutputPath?
  var failOn = FailOn.error
  var showsNotes = false
  var quiet = false
  var jobs = 1

  init(_ settings: StreamSettings, _ format: CheckFormat, _ style: TextStyle, version: String) {
    self.settings = settings
    self.format = format
    self.style = style
    self.version = version
  }

  func run(_ input: InputRequest, _ sources: [InputSource]) throws -> ExitStatus {
    let inputs = sources.map(\.name)
    if baseline?.path == "-", inputs.contains("-") {
      throw Failure.usage("standard input cannot be both the input and the --baseline; use a file for one of them")
    }
    var run = RecordRun(settings, view(format, inputs), .line, inputs: inputs)
    run.selection = selection
    run.output = output
    run.failOn = failOn
    run.quiet = quiet
    run.hidesNotes = !showsNotes
    run.ending = .counts(baseline: baseline?.path)
    run.jobs = jobs
    run.baseline = try readBaseline()
    try checkFiles()
    if let sarif { run.reports.append(try ReportFile(view(.sarif, inputs), to: sarif)) }
    if let junit { run.reports.append(try ReportFile(view(.junit, inputs), to: junit)) }
    if let updateBaseline {
      run.reports.append(try ReportFile(view(.ndjson, inputs), to: updateBaseline, includesKnown: true))
    }
    let status = try run.run(input, sources)
    return updateBaseline != nil && status == .findings ? .clean : status
  }

  private func view(_ format: CheckFormat, _ inputs: [String]) -> any View {
    let catalog = protocolDefinitions.catalog
    switch format {
    case .text:
      return CheckTextView(
        catalog, width: style.columns(writesFile: output != nil), palette: style.palette(writesFile: output != nil),
        inputs: inputs)
    case .ndjson: return FindingLinesView(catalog, inputs: inputs)
    case .sarif:
      return SARIFView(
        catalog, version: version, rules: settings.rules.rules(from: showsNotes ? .note : .warning),
        edition: settings.rules.edition, inputs: inputs)
    case .junit: return JUnitView(catalog, inputs: inputs)
    case .github: return GitHubView(catalog, inputs: inputs)
    }
  }

  /// Checks the names of all output files before any is opened: standard output is only for `-T`.
  private func checkFiles() throws(Failure) {
    for (output, format) in [(sarif, CheckFormat.sarif), (junit, .junit), (updateBaseline, .ndjson)] {
      guard let output else { continue }
      guard output.path != "-" else {
        throw .usage("\(output.option) needs a file; for standard output, use -T \(format.rawValue)")
      }
      try RecordRun.check(output)
    }
  }

  private func readBaseline() throws(Failure) -> Baseline? {
    guard let baseline else { return nil }
    var lines = try LineReader(baseline.path)
    var known = Baseline()
    while let line = try lines.next() {
      do throws(ReadError) { try known.add(line, number: lines.number) } catch {
        throw .unreadable("\(lines.name): \(error)")
      }
    }
    return known
  }
}
