import APNSDiagnosis
import APNSViews
import ArgumentParser

/// Reads the input three times: twice for the fates of notifications, then for the page.
struct Report: StreamRunnable {
  static let configuration = CommandConfiguration(
    "report", "Write an HTML page about a capture or stream: bytes, fields, findings, conversations.",
    usage: """
      apnscope report [<options>] -w <file> [<file> ...]
      apnscope report -w push.html push.pcap
      apnscope report -w findings.html -Y 'finding.severity >= warning' push.pcap
      """,
    discussion: """
      The page is one file and loads nothing else, so it can be attached to a ticket and opened offline. It shows each \
      record's bytes beside its fields, findings with cause, fix and the service's reply, connections on a time line, \
      and what became of each notification. Without scripts it still shows the summary, findings and first records.

      Charts count all records. The page contains the data of at most --limit records, and at most \
      \(ReportView.sizeLimit >> 20) MiB of it; those with the most severe findings come first. Everything is read \
      three times, so a pipe is copied to a temporary file first.
      """)

  @OptionGroup var input: InputOptions
  @OptionGroup var roles: RoleOptions
  @OptionGroup var rules: EditionOption
  @OptionGroup var selection: SelectionOptions

  @Option("--limit <count>", "The page contains the data of at most this many records.")
  var limit = ReportView.standardLimit

  @OptionGroup var target: OutputOption
  @OptionGroup var exit: FailOnOption
  @OptionGroup var messages: QuietOption

  func validate() throws {
    if limit < 1 { throw ValidationError("The option --limit must be at least 1.") }
  }

  func execute(_ definitions: Definitions) throws -> ExitStatus {
    let settings = try roles.settings(definitions, rules.policy())
    let selection = try selection.selection(definitions)
    try OutputFile.check(target.output, mayReceive: .page)
    let sources = try input.rereadable(quiet: messages.quiet)
    var finished = ReportConversations()
    finished.all = try input.conversations(in: sources, settings, keepsFates: true) { finished.add($0) }.0
    let inputs = sources.map(\.name)
    let words = selection.flags + (selection.stream.map { ["--stream", String($0)] } ?? [])
    let view = ReportView(
      definitions.catalog, inputs: inputs, selection: words.isEmpty ? nil : shellLine(words), limit: limit,
      conversations: finished)
    let pipeline = RecordPipeline(settings, selection, view, inputs: inputs, output: target.output, exit, messages)
    pipeline.jobs = processorCount()
    return try pipeline.run(input, sources)
  }
}
