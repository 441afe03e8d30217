import APNSDiagnosis
import APNSQuery
import APNSViews
import ArgumentParser

struct Dissect: Runnable {
  static let configuration = CommandConfiguration(
    abstract: "Annotated views of hex text, raw files, captures and standard input.",
    usage: """
      apnscope --hex '0808 0000 04d2'
      printf '<08080000 04d2>' | apnscope -T line
      apnscope encode --status 8 --identifier 7 -T pcap | apnscope
      apnscope encode --status 8 --identifier 7 -T pcap | apnscope -T ndjson --stream 1 -f 'tcp port 2195' -
      apnscope encode --timestamp now --token fc13adff785122b4ad289a80982341241421348097878e577c991de8f01c9fa3 -T raw | apnscope --role feedback -T command
      apnscope encode --status 8 --identifier 7 | apnscope -Y 'status != 0 && identifier in 1..9' -e identifier -e status_name
      """,
    discussion: """
      The input is recognised by its first bytes: a capture, hex text, or raw bytes, each of them as it is or packed \
      with gzip. Each stream is taken for a provider's, the gateway's or the feedback service's by its content first \
      and by its ports then. Several captures, or a directory of them, are one timeline.

      -Y shows the records that match, and the last line and the exit status speak of those alone: \
      -Y 'command == 2 && priority == 10 && payload.aps.badge > 5'. Relations are == != < <= > >= contains and in (a \
      range 1..9 or a set {1, 5, 10..20}); a bare name asks whether the field is there; && || ! and parentheses join. \
      Any of several values may match; != asks that there is one and none equals. apnscope explain --fields lists the \
      names.
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
      "Write the stream to FILE as its sender should have written it, where the cause of a fault tells, and show what "
        + "changes.", valueName: "file"))
  var repair: String?

  @Option(help: ArgumentHelp("Exit with 1 on findings of this severity or worse.", valueName: "severity"))
  var failOn: FailOn = .error

  @OptionGroup var threads: Threads

  @Flag(name: .customShort("q"), help: "Say nothing on standard error but what stops the run.")
  var quiet = false

  func validate() throws {
    if let count, count < 1 { throw ValidationError("The option -c is a number of records, at least 1.") }
  }

  func execute() throws -> ExitStatus {
    let sources = try input.sources()
    if let repair { return try self.repair(to: repair, sources) }
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
        flags: command.input.flags + command.roles.flags + command.rules.flags + command.selection.flags,
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
