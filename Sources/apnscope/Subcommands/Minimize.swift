import ArgumentParser

struct Minimize: Runnable {
  static let configuration = CommandConfiguration(
    abstract: "Shrink a stream while a command still fails on it in the same way, or a rule still finds the same.",
    usage: """
      apnscope minimize [<options>] [<file> ...] [-- <command> [<argument> ...]]
      apnscope minimize --keep item-overrun -w small.bin samples/malformed/item-overrun.hex
      apnscope minimize -w small.bin crash.bin -- ./decoder
      apnscope minimize -w small.bin crash.bin -- python3 decode.py @@
      """,
    discussion: """
      Removes frames, then items, payload keys, characters of texts, and bytes. The enclosing lengths are adjusted: a \
      correct length stays correct, and a wrong one stays wrong by as much. When nothing more can be removed that way, \
      bytes are removed without adjusting any length. Each step is reported on standard error.

      The command reads the stream on its standard input, or from the file that replaces @@ in its arguments. It fails \
      if its status is not 0, if a signal kills it, if it prints the text of an uncaught exception, or if it exceeds \
      --timeout or --memory; minimize keeps the same failure.

      \(HelpText.exitStatus("the stream was shrunk as far as possible", "the command does not fail, or the rule finds nothing"))
      """)

  @OptionGroup(title: "Input") var input: InputOptions
  @OptionGroup(title: "Roles") var roles: RoleOptions
  @OptionGroup(title: "Rules") var rules: RuleOptions

  @Option(help: ArgumentHelp("Number of the stream to shrink.", valueName: "number"))
  var stream: Int?

  @Option(help: ArgumentHelp("Keep the findings of this rule, or this root cause.", valueName: "rule"))
  var keep: String?

  @OptionGroup(title: "Command") var watch: WatchOptions

  @Option(help: "Run the command, or the check, at most this many times.")
  var tries = 2000

  @OptionGroup var target: OutputOption

  @OptionGroup var messages: QuietOption

  private var command: [String] { TrailingCommand.words }

  func validate() throws {
    if (keep == nil) == command.isEmpty {
      throw ValidationError("Give either a rule with --keep, or a command after --.")
    }
    if tries < 1 { throw ValidationError("The option --tries must be at least 1.") }
  }

  var frames: FramesOption { roles.frames }

  func execute() throws -> ExitStatus {
    var run = MinimizeRun(try roles.settings(rules), keeping: try goal())
    run.stream = stream
    run.tries = tries
    run.output = target.output
    run.quiet = messages.quiet
    return try run.run(input.request)
  }

  private func goal() throws(Failure) -> MinimizeRun.Goal {
    if let keep { return .finding(keep) }
    return .failure(try watch.decoder(command))
  }
}
