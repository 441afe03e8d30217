import APNSDiagnosis
import APNSViews
import ArgumentParser

struct Summary: StreamRunnable {
  static let configuration = CommandConfiguration(
    abstract: "Summarise a capture or stream on one screen.",
    usage: """
      apnscope summary [<options>] [<file> ...]
      apnscope summary push.pcap
      tcpdump -r push.pcap -w - | apnscope summary -Y 'command == 2'
      """,
    discussion: """
      Shows connections, frames by type and direction, sizes, the rate over time, statuses, the most frequent tokens, \
      and what could not be read. Memory use does not grow with the input.

      \(HelpText.exitStatus())
      """)

  @OptionGroup(title: "Input") var input: InputOptions
  @OptionGroup(title: "Roles") var roles: RoleOptions
  @OptionGroup(title: "Rules") var rules: RuleOptions
  @OptionGroup(title: "Selection") var selection: SelectionOptions
  @OptionGroup(title: "Output") var text: TextOptions

  @OptionGroup var exit: FailOnOption

  @OptionGroup var messages: QuietOption

  func execute(_ definitions: Definitions) throws -> ExitStatus {
    let sources = try input.sources()
    let settings = try roles.settings(definitions, rules)
    let view = SummaryView(definitions.catalog, width: text.columns(for: nil), palette: text.palette(for: nil))
    var pipeline = RecordPipeline(settings, view, inputs: sources.map(\.name), output: nil, exit, messages)
    pipeline.selection = try selection.selection(definitions)
    pipeline.jobs = processorCount()
    return try pipeline.run(input, sources, writesAtEnd: true)
  }
}
