import APNSQuery
import APNSViews
import APNSWire
import ArgumentParser

struct Summary: Runnable {
  static let configuration = CommandConfiguration(
    abstract: "Summarise a capture or stream on one screen.",
    usage: """
      apnscope summary push.pcap
      tcpdump -r push.pcap -w - | apnscope summary -Y 'command == 2'
      """,
    discussion: """
      Shows connections, frames by type and direction, sizes, the rate over time, statuses, the most frequent tokens, \
      and what could not be read. Memory use does not grow with the input.
      """)

  @OptionGroup(title: "Input") var input: Inputs
  @OptionGroup(title: "Roles") var roles: RoleOptions
  @OptionGroup(title: "Rules") var rules: RuleOptions
  @OptionGroup(title: "Selection") var selection: Selection
  @OptionGroup(title: "Output") var look: Look

  @Option(help: ArgumentHelp("Exit with 1 on findings of this severity or worse.", valueName: "severity"))
  var failOn: FailOn = .error

  @Flag(name: .customShort("q"), help: "Print nothing to standard error except fatal errors.")
  var quiet = false

  func execute() throws -> ExitStatus {
    let sources = try input.sources()
    let progress = Progress(quiet: quiet, writesFile: true)
    let showing = Showing(
      roles: roles, rules: try rules.policy(), selection: selection, filter: try selection.filter(), limit: nil,
      output: nil,
      failOn: failOn, quiet: quiet, hidesNotes: false, format: .line,
      flags: input.flags + roles.flags + rules.flags,
      inputs: sources.map(\.name), hasHeadings: false, progress: progress)
    let view = SummaryView(
      .standard, width: look.columns(writesFile: false), palette: look.palette(writesFile: false))
    return try showing.run(view) { dissector in
      input.read(sources, into: &dissector, quiet: quiet, progress: progress)
    }
  }
}
