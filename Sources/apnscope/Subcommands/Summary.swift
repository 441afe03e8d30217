import APNSDiagnosis
import APNSViews
import ArgumentParser

struct Summary: StreamRunnable {
  static let configuration = CommandConfiguration(
    "summary", "Summarise a capture or stream on one screen.",
    usage: """
      apnscope summary [<options>] [<file> ...]
      apnscope summary push.pcap
      tcpdump -r push.pcap -w - | apnscope summary -Y 'command == 2'
      """,
    discussion: """
      Shows connections, frames by type and direction, sizes, the rate over time, statuses, the most frequent tokens, \
      and what could not be read. Memory use does not grow with the input.
      """)

  @OptionGroup var input: InputOptions
  @OptionGroup var roles: RoleOptions
  @OptionGroup var rules: EditionOption
  @OptionGroup var selection: SelectionOptions
  @OptionGroup var text: TextOptions
  @OptionGroup var exit: FailOnOption
  @OptionGroup var messages: QuietOption

  func execute(_ definitions: Definitions) throws -> ExitStatus {
    let sources = try input.sources()
    let settings = try roles.settings(definitions, rules.policy())
    let view = SummaryView(definitions.catalog, terminal: text.terminal(for: nil))
    let pipeline = RecordPipeline(
      settings, try selection.selection(definitions), view, inputs: sources.map(\.name), output: nil, exit, messages)
    pipeline.jobs = processorCount()
    return try pipeline.run(input, sources)
  }
}
