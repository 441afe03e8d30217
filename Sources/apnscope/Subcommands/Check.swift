import ArgumentParser

struct Check: Runnable {
  static let configuration = CommandConfiguration(
    abstract: "Print findings only, for people and for CI.",
    usage: """
      apnscope check [<options>] [<file> ...]
      apnscope check --hex '0808 0000 04d2'
      apnscope encode --command 2 --token b4bce12f9d --payload '{}' | apnscope check --fail-on never
      apnscope encode --status 8 --identifier 7 -T pcap | apnscope check --edition 2017 --severity truncated=warning
      apnscope check --fail-on never -T sarif --hex '0808 0000 04d2 ff'
      apnscope check --fail-on never --sarif /dev/null --junit /dev/null --hex '0808 0000 04d2 ff'
      """,
    discussion: """
      Shows warnings and errors; -v (or --fail-on note) shows notes too. The summary at the end counts what is hidden. Text \
      output lists each rule once: its first occurrence, the fix, the service's answer, and where else it occurs. \
      -T ndjson lists every occurrence.

      -T github writes annotations for GitHub Actions, -T sarif writes SARIF 2.1.0, -T junit writes a test case for \
      each file. --sarif and --junit write these to files besides, in the same run.

      -T ndjson writes one finding a line. Pass that file to --baseline later: the findings in it are no longer \
      reported and don't affect the exit status. --update-baseline writes such a file with all findings of this run, \
      and exits with 0 if everything could be read. A finding is recognised by its rule, the bytes of its frame and \
      its offset in the frame.

      \(HelpText.exitStatus())
      """)

  @OptionGroup(title: "Input") var input: InputOptions
  @OptionGroup(title: "Roles") var roles: RoleOptions
  @OptionGroup(title: "Rules") var rules: RuleOptions

  @Option(reads: "--baseline", help: "Don't report the findings in FILE, as written by -T ndjson.")
  var baseline: InputPath?

  @Option(
    writes: "--update-baseline", mayReplace: "--baseline",
    help: "Write all findings to FILE for --baseline, which may name the same file; exit with 0.")
  var updateBaseline: OutputPath?

  @OptionGroup(title: "Selection") var selection: SelectionOptions

  @Option(
    name: [.customShort("T"), .customLong("format")],
    help: ArgumentHelp("Output format.", valueName: "format"))
  var format: CheckFormat = .text

  @Flag(name: .customShort("v"), help: "Show notes too.")
  var verbose = false

  @OptionGroup(title: "Output") var text: TextOptions

  @OptionGroup var target: OutputOption

  @Option(writes: "--sarif", help: "Write SARIF 2.1.0 to FILE, too.")
  var sarif: OutputPath?

  @Option(writes: "--junit", help: "Write JUnit XML to FILE, too.")
  var junit: OutputPath?

  @OptionGroup var exit: FailOnOption

  @OptionGroup var threads: ThreadOption

  @OptionGroup var messages: QuietOption

  var frames: FramesOption { roles.frames }

  func execute() throws -> ExitStatus {
    let request = input.request
    var run = CheckRun(try roles.settings(rules), format, text.style, version: Apnscope.version)
    run.selection = try selection.selection()
    run.output = target.output
    run.sarif = sarif
    run.junit = junit
    run.baseline = baseline
    run.updateBaseline = updateBaseline
    run.failOn = exit.failOn
    run.showsNotes = verbose || exit.failOn == .note
    run.quiet = messages.quiet
    run.jobs = threads.count
    return try run.run(request, try request.sources())
  }
}
