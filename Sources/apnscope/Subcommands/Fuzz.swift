import APNSWire
import ArgumentParser

struct Fuzz: Runnable {
  static let configuration = CommandConfiguration(
    abstract: "Run another decoder on labelled test cases and keep the smallest ones that it fails on.",
    usage: """
      apnscope fuzz [<options>] [<file> ...] -- <command> [<argument> ...]
      apnscope fuzz -- ./decoder
      apnscope fuzz --time 60 --jobs 2 --out failures -- python3 decode.py @@
      apnscope fuzz -n 2000 --ignore token-all-zero --ignore token-length -- ./decoder
      apnscope fuzz --parsing-only --refuse-status 3 -- node decode.js
      apnscope fuzz --export corpus
      """,
    discussion: """
      The cases are those of `apnscope mutate`: valid streams, and streams that break one rule. The command reads each \
      case on its standard input, or from the file that replaces @@ in its arguments. Status 0 accepts a case, 1 to \
      125 refuses it. A case fails if a signal kills the command (a shell reports that as 128 plus the signal's \
      number), if it prints the text of an uncaught exception, if the run exceeds --timeout or --memory, or if the \
      verdict contradicts the label: a valid stream refused, or a stream accepted that the service refuses. If the \
      broken rule is only a recommendation, either verdict is correct. --ignore names rules that the command doesn't \
      check; --ignore-status ignores all verdicts.

      Failures that look alike are kept once, as small as possible, in --out: crashes that happen at the same line of \
      the decoder, as its stack trace says. A text file beside each one says what happened and how to run it again. The command's output is discarded, and processes \
      that it leaves running are killed.

      This is black-box fuzzing: the code of the command is not instrumented. For coverage-guided fuzzing, --export \
      writes a corpus and a dictionary for libFuzzer and AFL++, and `make mutator` builds a mutator that they load.

      \(HelpText.exitStatus("no failures", "failures"))
      """)

  @Argument(help: "Files with frames to start from; by default frames are generated.", completion: .file())
  var files: [InputPath] = []

  @OptionGroup(title: "Command") var watch: WatchOptions

  @Option(help: ArgumentHelp("Role of the streams that the command decodes.", valueName: "role"))
  var role = RoleName.provider

  @OptionGroup(title: "Cases") var cases: CaseOptions

  @Option(
    help: ArgumentHelp(
      "Accept either verdict on cases that break this rule, or on valid cases (valid); repeatable.", valueName: "id"),
    completion: .list(CaseChoice.ruleNames))
  var ignore: [String] = []

  @Flag(help: "Ignore verdicts: only signals, exceptions, time and memory count as failures.")
  var ignoreStatus = false

  @Option(
    name: .customShort("n"),
    help: ArgumentHelp("Number of cases (default: 10000, or no limit with --time).", valueName: "number"))
  var count: Int?

  @Option(
    help: ArgumentHelp(
      "Time for cases and for making failures smaller, which takes at most a fifth of it.", valueName: "seconds"))
  var time: Double?

  @Option(help: ArgumentHelp("Number of cases to run at a time.", valueName: "number"))
  var jobs = 1

  @Option(
    writesFolder: "--out", help: "Directory for failures, created for the first one (default: \(Self.usualFolder)).")
  var out: OutputPath?
  private static let usualFolder = "apnscope-failures"

  @Option(
    writesFolder: "--export",
    help: "Don't run anything: write a corpus and a dictionary for other fuzzers to this directory.")
  var export: OutputPath?

  @OptionGroup var frames: FramesOption

  @OptionGroup var messages: QuietOption

  private var command: [String] { TrailingCommand.words }

  func validate() throws {
    if let count, count < 1 { throw ValidationError("The option -n must be at least 1.") }
    if let time, !(time > 0) { throw ValidationError("The option --time must be more than 0.") }
    if !(1...256).contains(jobs) { throw ValidationError("The option --jobs must be from 1 to 256.") }
    if export != nil, !command.isEmpty {
      throw ValidationError("The option --export runs no command; drop the command.")
    }
  }

  func execute() throws -> ExitStatus {
    var run = FuzzRun(cases.choice, try goal())
    run.role = try role.role()
    run.files = files
    run.ignored = ignore
    run.ignoresStatus = ignoreStatus
    run.count = count
    run.seconds = time
    run.jobs = jobs
    run.quiet = messages.quiet
    return try run.run()
  }

  private func goal() throws(Failure) -> FuzzRun.Goal {
    if let export { return .export(export) }
    return .failures(try watch.decoder(command), folder: out ?? OutputPath(Self.usualFolder, "--out"))
  }
}
