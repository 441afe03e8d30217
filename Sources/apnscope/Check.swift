import APNSDiagnosis
import APNSInput
import APNSQuery
import APNSViews
import APNSWire
import ArgumentParser

struct Check: Runnable {
  static let configuration = CommandConfiguration(
    abstract: "Print findings only, for people and for CI.",
    usage: """
      apnscope check --hex '0808 0000 04d2'
      apnscope encode --command 2 --token b4bce12f9d --payload '{}' | apnscope check --fail-on never
      apnscope encode --status 8 --identifier 7 -T pcap | apnscope check --edition 2017 --severity truncated=warning
      apnscope check --fail-on never -T sarif --hex '0808 0000 04d2 ff'
      apnscope check --fail-on never --sarif /dev/null --junit /dev/null --hex '0808 0000 04d2 ff'
      """,
    discussion: """
      Shows warnings and errors; -v (or --fail-on note) shows notes too. The last line counts what was left out. Text \
      output lists each rule once: its first occurrence, the fix, the service's answer, and where else it occurs. \
      -T ndjson lists every occurrence.

      -T github writes annotations for GitHub Actions, -T sarif writes SARIF 2.1.0, -T junit writes a test case for \
      each rule. --sarif and --junit write these to files besides, in the same run.

      -T ndjson writes one finding a line. Pass that file to --baseline later: the findings in it are no longer \
      reported and don't affect the exit status. --update-baseline writes such a file with all findings of this run, \
      and exits with 0 if everything could be read. A finding is recognised by its rule, the bytes of its frame and \
      its offset in the frame.
      """)

  @OptionGroup(title: "Input") var input: Inputs
  @OptionGroup(title: "Roles") var roles: RoleOptions
  @OptionGroup(title: "Rules") var rules: RuleOptions

  @Option(
    help: ArgumentHelp("Don't report the findings in FILE, as written by -T ndjson.", valueName: "file"),
    completion: .file())
  var baseline: String?

  @Option(
    help: ArgumentHelp(
      "Write all findings to FILE for --baseline, which may name the same file; exit with 0.", valueName: "file"),
    completion: .file())
  var updateBaseline: String?

  @OptionGroup(title: "Selection") var selection: Selection

  @Option(
    name: [.customShort("T"), .customLong("format")],
    help: ArgumentHelp("Output format.", valueName: "format"))
  var format: CheckFormat = .text

  @Flag(name: .customShort("v"), help: "Show notes too.")
  var verbose = false

  @OptionGroup(title: "Output") var look: Look

  @Option(name: .customShort("w"), help: ArgumentHelp("Write to FILE instead of standard output.", valueName: "file"))
  var output: String?

  @Option(help: ArgumentHelp("Write SARIF 2.1.0 to FILE, too.", valueName: "file"), completion: .file())
  var sarif: String?

  @Option(help: ArgumentHelp("Write JUnit XML to FILE, too.", valueName: "file"), completion: .file())
  var junit: String?

  @Option(help: ArgumentHelp("Exit with 1 on findings of this severity or worse.", valueName: "severity"))
  var failOn: FailOn = .error

  @OptionGroup var threads: Threads

  @Flag(name: .customShort("q"), help: "Print nothing to standard error except fatal errors.")
  var quiet = false

  func execute() throws -> ExitStatus {
    let policy = try rules.policy()
    let filter = try selection.filter()
    let sources = try input.sources()
    let inputs = sources.map(\.name)
    if baseline == "-", inputs.contains("-") {
      throw Failure.usage("standard input cannot be both the input and the --baseline; use a file for one of them")
    }
    let known = try readBaseline()
    let showsNotes = verbose || failOn == .note
    let progress = Progress(quiet: quiet, writesFile: output != nil)
    var showing = Showing(
      roles: roles, rules: policy, selection: selection, filter: filter, limit: nil, output: output,
      failOn: failOn, quiet: quiet, hidesNotes: !showsNotes, format: .line, flags: [], inputs: inputs,
      hasHeadings: false, progress: progress)
    showing.baseline = known
    showing.alsoReads = [baseline].compactMap(\.self)
    showing.jobs = threads.count
    showing.closing = .account(baseline: baseline)

    func view(_ format: CheckFormat) -> any View {
      let catalog = protocolDefinitions.catalog
      let rules = policy.rules(from: showsNotes ? .note : .warning)
      switch format {
      case .text:
        return CheckTextView(
          catalog, width: look.columns(writesFile: output != nil), palette: look.palette(writesFile: output != nil),
          inputs: inputs)
      case .ndjson: return FindingLinesView(catalog, inputs: inputs)
      case .sarif:
        return SARIFView(catalog, version: Apnscope.version, rules: rules, edition: policy.edition, inputs: inputs)
      case .junit: return JUnitView(catalog, rules: rules, inputs: inputs)
      case .github: return GitHubView(catalog, inputs: inputs)
      }
    }
    try checkFiles()
    if let sarif { showing.reports.append(try ReportFile(view(.sarif), to: sarif, reading: inputs)) }
    if let junit { showing.reports.append(try ReportFile(view(.junit), to: junit, reading: inputs)) }
    if let updateBaseline {
      showing.reports.append(try ReportFile(view(.ndjson), to: updateBaseline, reading: inputs, includesKnown: true))
    }
    let status = try run(view(format), showing, sources, progress)
    return updateBaseline != nil && status == .findings ? .clean : status
  }

  private func run(
    _ view: some View, _ showing: Showing, _ sources: [Inputs.Source], _ progress: Progress?
  ) throws -> ExitStatus {
    try showing.run(view) { dissector in
      input.read(sources, into: &dissector, quiet: quiet, progress: progress)
    }
  }

  /// Before any of them is opened: none is written twice, and standard output is for `-T`.
  private func checkFiles() throws(Failure) {
    var written = output.map { [$0] } ?? []
    for (path, option, format) in [
      (sarif, "sarif", CheckFormat.sarif), (junit, "junit", .junit), (updateBaseline, "update-baseline", .ndjson),
    ] {
      guard let path else { continue }
      guard path != "-" else {
        throw .usage("--\(option) takes a file; for standard output, use -T \(format.rawValue)")
      }
      try Showing.check(path)
      guard !written.contains(where: { $0 == path && path != "/dev/null" }) else {
        throw .usage("\(path) is used for two outputs; give each its own file")
      }
      written.append(path)
    }
  }

  private func readBaseline() throws(Failure) -> Baseline? {
    guard let path = baseline else { return nil }
    var lines = try LineReader(path)
    var known = Baseline()
    while let line = try lines.next() {
      do throws(ReadError) { try known.add(line, number: lines.number) } catch {
        throw .unreadable("\(lines.name): \(error)")
      }
    }
    return known
  }
}

enum CheckFormat: String, CaseIterable, ExpressibleByArgument {
  case text, ndjson, sarif, junit, github
}
