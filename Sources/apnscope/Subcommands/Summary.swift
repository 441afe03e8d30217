import ArgumentParser

struct Summary: Runnable {
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

  var frames: FramesOption { roles.frames }

  func execute() throws -> ExitStatus {
    let request = input.request
    let sources = try request.sources()
    var run = RecordRun(try roles.settings(rules), summaryIn: text.style, inputs: sources.map(\.name))
    run.selection = try selection.selection()
    run.failOn = exit.failOn
    run.quiet = messages.quiet
    run.jobs = processorCount()
    return try run.run(request, sources, writesAtEnd: true)
  }
}
