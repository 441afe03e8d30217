import APNSDiagnosis
import APNSQuery
import APNSViews
import ArgumentParser

struct Dissect: Runnable {
  static let configuration = CommandConfiguration(
    abstract: "Show frames field by field: from hex text, raw files, captures or standard input.",
    usage: """
      apnscope --hex '0808 0000 04d2'
      printf '<08080000 04d2>' | apnscope -T line
      apnscope encode --status 8 --identifier 7 -T pcap | apnscope
      apnscope encode --status 8 --identifier 7 -T pcap | apnscope -T ndjson --stream 1 -f 'tcp port 2195' -
      apnscope encode --timestamp now --token fc13adff785122b4ad289a80982341241421348097878e577c991de8f01c9fa3 -T raw | apnscope --role feedback -T command
      apnscope encode --status 8 --identifier 7 | apnscope -Y 'status != 0 && identifier in 1..9' -e identifier -e status_name
      """,
    discussion: """
      The kind of input is detected from its first bytes: a capture, hex text or raw bytes, each possibly compressed \
      with gzip. Whether the provider, the gateway or the feedback service wrote a stream is detected from its \
      content, then from its ports. Several captures, or a directory of captures, are read in order of time.

      -Y shows only the records that match; the last line and the exit status count only those: \
      -Y 'command == 2 && priority == 10 && payload.aps.badge > 5'. The operators are == != < <= > >= contains and in \
      (a range 1..9 or a set {1, 5, 10..20}). A bare name matches if the field is present. Combine with && || ! and \
      parentheses. If a field has several values, one match is enough; != matches if there is a value and none is \
      equal. apnscope explain --fields lists the names.
      """)

  @OptionGroup(title: "Input") var input: Inputs
  @OptionGroup(title: "Roles") var roles: RoleOptions
  @OptionGroup(title: "Rules") var rules: RuleOptions
  @OptionGroup(title: "Selection") var selection: Selection

  @Option(name: .customShort("c"), help: ArgumentHelp("Stop after COUNT records.", valueName: "count"))
  var count: Int?

  @OptionGroup(title: "Output") var display: Display

  @Option(name: .customShort("w"), help: ArgumentHelp("Write to FILE instead of standard output.", valueName: "file"))
  var output: String?

  @Option(
    help: ArgumentHelp(
      "Write the stream to FILE as its sender should have written it, as far as root causes are known, and show what "
        + "changed.", valueName: "file"))
  var repair: String?

  @Option(help: ArgumentHelp("Exit with 1 on findings of this severity or worse.", valueName: "severity"))
  var failOn: FailOn = .error

  @OptionGroup var threads: Threads

  @Flag(name: .customShort("q"), help: "Print nothing to standard error except fatal errors.")
  var quiet = false

  func validate() throws {
    if repair != nil, count != nil || selection.filterText != nil {
      throw ValidationError("The option --repair writes the whole stream; drop -c and -Y.")
    }
    if let count, count < 1 { throw ValidationError("The option -c must be at least 1.") }
  }

  func execute() throws -> ExitStatus {
    let sources = try input.sources()
    if let repair {
      return try display.show(
        display.format(else: .raw), inputs: sources.map(\.name), writesFile: repair != "-",
        with: Repair(command: self, path: repair, sources: sources, rules: try rules.policy()))
    }
    return try display.show(
      format, inputs: sources.map(\.name), writesFile: output != nil,
      with: Reading(
        command: self, sources: sources, rules: try rules.policy(),
        filter: try selection.filter()))
  }

  private var format: ViewFormat { display.format(else: .tree) }

  private struct Reading: ViewUser {
    let command: Dissect
    let sources: [Inputs.Source]
    let rules: RulePolicy
    let filter: Filter?

    func use(_ view: some View) throws -> ExitStatus {
      let format = command.format
      let progress = Progress(quiet: command.quiet, writesFile: command.output != nil)
      var showing = Showing(
        roles: command.roles, rules: rules, selection: command.selection, filter: filter, limit: command.count,
        output: command.output, failOn: command.failOn, quiet: command.quiet,
        hidesNotes: command.display.hidesNotes(format, command.failOn), format: format,
        flags: command.input.flags + command.roles.flags + command.rules.flags,
        inputs: sources.map(\.name),
        hasHeadings: format == .tree || format == .line, progress: progress)
      showing.jobs = command.threads.count
      return try showing.run(view) { dissector in
        command.input.read(
          sources, into: &dissector, quiet: command.quiet, verbose: command.display.verbose, progress: progress)
      }
    }
  }
}
