import APNSDiagnosis
import APNSInput
import APNSQuery
import APNSViews
import APNSWire
import ArgumentParser

struct Check: Runnable {
  static let configuration = CommandConfiguration(
    abstract: "Findings only, for people and for CI.",
    usage: """
      apnscope check --hex '0808 0000 04d2'
      apnscope encode --command 2 --token b4bce12f9d --payload '{}' | apnscope check --fail-on never
      apnscope encode --status 8 --identifier 7 -T pcap | apnscope check --edition 2017 --severity truncated=warning
      apnscope check --fail-on never -T sarif --hex '0808 0000 04d2 ff'
      """,
    discussion: """
      Warnings and errors are shown, with -v (or --fail-on note) notes too; the last line says what was left out. As \
      text, repeated findings are folded: each rule is told of once, with the first place, what to do, what the \
      service answers, and where else; -T ndjson has every place.

      -T github writes annotations for GitHub Actions, -T sarif SARIF 2.1.0, -T junit a test case for each rule. \
      -T ndjson writes a finding a line; given back as --baseline FILE, those findings are known: they are not \
      reported, and do not count for the exit status. A finding is known by its rule, the bytes of its frame and its \
      place in the frame.
      """)

  @OptionGroup(title: "Input") var input: Inputs
  @OptionGroup(title: "Roles") var roles: RoleOptions
  @OptionGroup(title: "Rules") var rules: RuleOptions

  @Option(
    help: ArgumentHelp("Findings that are known, as -T ndjson wrote them.", valueName: "file"), completion: .file())
  var baseline: String?

  @OptionGroup(title: "Selection") var selection: Selection

  @Option(
    name: [.customShort("T"), .customLong("format")],
    help: ArgumentHelp("How findings are written.", valueName: "format"))
  var format: CheckFormat = .text

  @Flag(name: .customShort("v"), help: "Notes too.")
  var verbose = false

  @OptionGroup(title: "Output") var look: Look

  @Option(name: .customShort("w"), help: ArgumentHelp("Write to FILE instead of standard output.", valueName: "file"))
  var output: String?

  @Option(help: ArgumentHelp("Exit with 1 on findings of this severity or worse.", valueName: "severity"))
  var failOn: FailOn = .error

  @OptionGroup var threads: Threads

  @Flag(name: .customShort("q"), help: "Say nothing on standard error but what stops the run.")
  var quiet = false

  func execute() throws -> ExitStatus {
    let policy = try rules.policy()
    let filter = try selection.filter()
    let sources = try input.sources()
    let inputs = sources.map(\.name)
    if baseline == "-", inputs.contains("-") {
      throw Failure.usage("standard input cannot be both what is checked and its --baseline; name a file for one")
    }
    let known = try readBaseline()
    let showsNotes = verbose || failOn == .note
    let progress = Progress(quiet: quiet, writesFile: output != nil)
    var showing = Showing(
      roles: roles, rules: policy, selection: selection, filter: filter, limit: nil, output: output,
      failOn: failOn, quiet: quiet, hidesNotes: !showsNotes, format: .line, flags: [], inputs: inputs,
      hasHeadings: false, progress: progress)
    showing.baseline = known
    showing.jobs = threads.count
    showing.closing = .account(baseline: baseline)

    func run(_ view: some View) throws -> ExitStatus {
      try showing.run(view) { dissector in
        input.read(sources, into: &dissector, quiet: quiet, progress: progress)
      }
    }
    let catalog = Catalog.standard
    let rules = policy.rules(from: showsNotes ? .note : .warning)
    switch format {
    case .text:
      return try run(
        CheckTextView(
          catalog, width: look.columns(writesFile: output != nil), palette: look.palette(writesFile: output != nil),
          inputs: inputs))
    case .ndjson: return try run(FindingLinesView(catalog, inputs: inputs))
    case .sarif:
      return try run(
        SARIFView(catalog, version: Apnscope.version, rules: rules, edition: policy.edition, inputs: inputs))
    case .junit: return try run(JUnitView(catalog, rules: rules, inputs: inputs))
    case .github: return try run(GitHubView(catalog, inputs: inputs))
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
