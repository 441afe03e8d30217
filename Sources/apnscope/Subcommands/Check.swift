import APNSDiagnosis
import APNSViews
import ArgumentParser
import Octets

enum CheckFormat: String, CaseIterable, ExpressibleByArgument {
  case text, ndjson, sarif, junit, github
}

struct Check: StreamRunnable {
  static let configuration = CommandConfiguration(
    "check", "Print findings only, for people and for CI.",
    usage: """
      apnscope check [<options>] [<file> ...]
      apnscope check --hex '0808 0000 04d2'
      apnscope encode --command 2 --token b4bce12f9d --payload '{}' | apnscope check --fail-on never
      apnscope encode --status 8 --identifier 7 -T pcap | apnscope check --edition 2017 --severity truncated=warning
      apnscope check --fail-on never -T sarif --hex '0808 0000 04d2 ff'
      apnscope check --fail-on never --sarif /dev/null --junit /dev/null --hex '0808 0000 04d2 ff'
      """,
    discussion: """
      Shows warnings and errors; -v (or --fail-on note) shows notes too. The summary at the end counts what is hidden. \
      Text output lists each rule once: its first occurrence, the fix, the service's answer, and where else it occurs. \
      -T ndjson lists every occurrence.

      -T github writes annotations for GitHub Actions, -T sarif writes SARIF 2.1.0, -T junit writes a test case for \
      each file. --sarif and --junit write these to files besides, in the same run.

      -T ndjson writes one finding a line. Pass that file to --baseline later: the findings in it are no longer \
      reported and don't affect the exit status. --update-baseline writes such a file with all findings of this run, \
      and exits with 0 if everything could be read. A finding is recognised by its rule, the bytes of its frame and \
      its offset in the frame.
      """)

  @OptionGroup var input: InputOptions
  @OptionGroup var roles: RoleOptions
  @OptionGroup var rules: RuleOptions

  @Option(reads: "--baseline <file>", "Don't report the findings in FILE, as written by -T ndjson.")
  var baseline: InputPath?

  @Option(
    writes: "--update-baseline <outfile>",
    "Write all findings to FILE for --baseline, which may name the same file; exit with 0.", rare: true,
    mayReplace: "--baseline")
  var updateBaseline: OutputPath?

  @OptionGroup var selection: SelectionOptions

  @Option("-T, --format <format>", "Output format.")
  var format: CheckFormat = .text

  @Flag(name: .customShort("v"), help: "Show notes too.")
  var verbose = false

  @OptionGroup var text: TextOptions
  @OptionGroup var target: OutputOption

  @Option(writes: "--sarif <outfile>", "Write SARIF 2.1.0 to FILE, too.")
  var sarif: OutputPath?

  @Option(writes: "--junit <outfile>", "Write JUnit XML to FILE, too.")
  var junit: OutputPath?

  @OptionGroup var exit: FailOnOption
  @OptionGroup var threads: ThreadOption
  @OptionGroup var messages: QuietOption

  private var showsNotes: Bool { verbose || exit.failOn == .note }

  func execute(_ definitions: Definitions) throws -> ExitStatus {
    let settings = try roles.settings(definitions, rules.policy())
    let sources = try input.sources()
    let inputs = sources.map(\.name)
    if baseline?.path == "-", inputs.contains("-") {
      throw Failure.usage("standard input cannot be both the input and the --baseline; use a file for one of them")
    }
    let pipeline = RecordPipeline(
      settings, try selection.selection(definitions), view(format, settings, inputs), inputs: inputs,
      output: target.output, exit, messages)
    pipeline.hidesNotes = !showsNotes
    pipeline.ending = .counts(baseline: baseline?.path)
    pipeline.jobs = threads.count
    pipeline.baseline = try readBaseline()
    pipeline.writers = try openReports(settings, inputs)
    let status = try pipeline.run(input, sources)
    // A run that updates the baseline accepts all findings.
    return updateBaseline != nil && status == .findings ? .clean : status
  }

  private func view(_ format: CheckFormat, _ settings: StreamSettings, _ inputs: [String]) -> any View {
    let catalog = settings.catalog
    switch format {
    case .text:
      return CheckTextView(catalog, terminal: text.terminal(for: target.output), inputs: inputs)
    case .ndjson: return FindingLinesView(catalog, inputs: inputs)
    case .sarif:
      return SARIFView(
        catalog, version: Apnscope.version, rules: settings.rules.rules(from: showsNotes ? .note : .warning),
        edition: settings.rules.edition, inputs: inputs)
    case .junit: return JUnitView(catalog, inputs: inputs)
    case .github: return GitHubView(catalog, inputs: inputs)
    }
  }

  /// The outputs besides that of `-T`, which alone may be standard output.
  private func openReports(_ settings: StreamSettings, _ inputs: [String]) throws -> [RecordWriter] {
    let all: [(OutputPath?, CheckFormat)] = [(sarif, .sarif), (junit, .junit), (updateBaseline, .ndjson)]
    return try all.compactMap { output, format in
      guard let output else { return nil }
      guard output.path != "-" else {
        throw Failure.usage("\(output.option) needs a file; for standard output, use -T \(format.rawValue)")
      }
      return RecordWriter(
        view(format, settings, inputs), to: try OutputFile(output), includesKnown: output == updateBaseline)
    }
  }

  private func readBaseline() throws(Failure) -> Baseline? {
    guard let baseline else { return nil }
    var known = Baseline()
    try readLines(of: baseline.path) { line, number in
      try known.add([UInt8](copying: line), number: number)
      return true
    }
    return known
  }
}
