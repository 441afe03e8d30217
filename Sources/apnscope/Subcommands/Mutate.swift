import ArgumentParser

struct Mutate: Runnable {
  static let configuration = CommandConfiguration(
    abstract: "Make labelled test cases for decoders: valid frames, and frames that break exactly one rule.",
    usage: """
      apnscope mutate [<options>] [<file> ...]
      apnscope mutate -n 10 --seed 7
      apnscope mutate -n 1 --seed 7 --rule token-padded -T raw | apnscope check --role provider
      apnscope encode --status 8 --identifier 7 | apnscope mutate -n 3 --rule truncated -T hex -
      apnscope mutate --list
      """,
    discussion: """
      Each case is one stream of 1 to 4 frames, one of which is changed. The label says what was changed, which rule \
      that breaks, which rules break as a consequence, what a decoder should do (accept, reject or either), and what \
      the service answered according to the edition. Rules take turns, those with many mutators more often; every \
      eighth case is valid. Frames are generated from the frame types, or read from files; frames that already have \
      findings are not used.

      The same seed gives the same bytes. -T ndjson writes one case a line, with its bytes in hexadecimal; hex writes \
      one line of digits a case; raw writes all bytes in a row, which is useful for a single case. --out DIR writes a \
      file for each case, and manifest.ndjson.

      \(HelpText.exitStatus("the cases were written", nil))
      """)

  @Argument(
    help: ArgumentHelp(
      "Files with frames to start from, read as dissect reads them; - is standard input. For types that they do not "
        + "contain, frames are generated."),
    completion: .file())
  var files: [InputPath] = []

  @Option(help: "Format of the files; hex is any form of hex text.")
  var from: InputFormat = .auto

  @OptionGroup(title: "Roles") var roles: RoleOptions

  @Option(name: .customShort("n"), help: ArgumentHelp("Number of cases.", valueName: "number"))
  var count = 100

  @OptionGroup(title: "Cases") var cases: CaseOptions

  @Option(
    name: [.customShort("T"), .customLong("format")], help: ArgumentHelp("Output format.", valueName: "format"))
  var format: CaseFormat = .ndjson

  @Option(writesFolder: "--out", help: "Write a file for each case to DIR.")
  var folder: OutputPath?

  @OptionGroup var target: OutputOption

  @Flag(help: "List the mutators: name, the rule that each one breaks, and what it does.")
  var list = false

  @OptionGroup var messages: QuietOption

  func validate() throws {
    if count < 0 { throw ValidationError("The option -n must be at least 0.") }
    if folder != nil, target.output != nil { throw ValidationError("The options --out and -w exclude each other.") }
  }

  var frames: FramesOption { roles.frames }

  func execute() throws -> ExitStatus {
    var run = MutateRun(cases.choice, format)
    run.settings = try roles.settings()
    run.files = files
    run.inputFormat = from
    run.count = count
    run.folder = folder
    run.output = target.output
    run.quiet = messages.quiet
    return list ? try run.writeList() : try run.run()
  }
}
