import APNSCraft
import APNSDiagnosis
import APNSViews
import APNSWire
import ArgumentParser
import Octets

struct Fuzz: Runnable {
  static let configuration = CommandConfiguration(
    "fuzz", "Run another decoder on labelled test cases and keep the smallest ones that it fails on.",
    usage: """
      apnscope fuzz [<options>] [<file> ...] -- <command> [<argument> ...]
      apnscope fuzz -- ./decoder
      apnscope fuzz --time 60 --jobs 2 --out failures -- python3 decode.py @@
      apnscope fuzz -c 2000 --ignore token-all-zero --ignore token-length -- ./decoder
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
      the decoder, as its stack trace says. A text file beside each one says what happened and how to run it again. \
      The command's output is discarded, and processes that it leaves running are killed.

      This is black-box fuzzing: the code of the command is not instrumented. For coverage-guided fuzzing, --export \
      writes a corpus and a dictionary for libFuzzer and AFL++, and `make mutator` builds a mutator for libFuzzer.
      """, clean: "no failures", findings: "failures")

  @Argument(help: "Files with frames to start from; by default frames are generated.", completion: .file())
  var files: [InputPath] = []

  @OptionGroup var watch: WatchOptions

  @Option(
    "--role <role>", "Role of the streams that the command decodes: \(RoleOptions.names).",
    completion: .names(RoleOptions.all))
  var role = "provider"

  @OptionGroup var cases: CaseOptions

  @Option(
    "--ignore <id>", "Accept either verdict on cases that break this rule, or on valid cases (valid); repeatable.",
    completion: .names(CaseOptions.ruleNames))
  var ignore: [String] = []

  @Flag(help: "Ignore verdicts: only signals, exceptions, time and memory count as failures.")
  var ignoreStatus = false

  @Option("-c <count>", "Number of cases (default: 10000, or no limit with --time).")
  var count: Int?

  @Option("--time <seconds>", "Time for cases and for making failures smaller, which takes at most a fifth of it.")
  var time: Double?

  @Option("--jobs <number>", "Number of cases to run at a time.")
  var jobs = 1

  @Option(
    writes: "--out <outdir>", "Directory for failures, created for the first one (default: \(Self.usualFolder)).")
  var out: OutputPath?
  private static let usualFolder = "apnscope-failures"

  @Option(
    writes: "--export <outdir>",
    "Don't run anything: write a corpus and a dictionary for other fuzzers to this directory.")
  var export: OutputPath?

  @OptionGroup var frames: FramesOption
  @OptionGroup var messages: QuietOption

  func validate() throws {
    if let count, count < 1 { throw ValidationError("The option -c must be at least 1.") }
    if let time, !(time > 0) { throw ValidationError("The option --time must be more than 0.") }
    if !(1...256).contains(jobs) { throw ValidationError("The option --jobs must be from 1 to 256.") }
    if export != nil, !TrailingCommand.words.isEmpty {
      throw ValidationError("The option --export runs no command; drop the command.")
    }
  }

  func execute(_ definitions: Definitions) throws -> ExitStatus {
    let decoder = export == nil ? try Decoder(TrailingCommand.words, watch) : nil
    let role = try definitions.catalog.role(role)
    for rule in ignore { try known(rule, "--ignore", among: CaseOptions.ruleNames) }
    let settings = StreamSettings(definitions: definitions, roles: RolePolicy(role: role))
    let (source, valid) = try cases.mutations(from: InputOptions(files), settings, for: role, messages)
    if let export { try write(source, definitions.catalog.types(of: role), to: export) }
    guard let decoder else { return .clean }
    var run = try FuzzRun(self, decoder, definitions, in: out ?? OutputPath(Self.usualFolder, "--out"))
    if try run.probe(source, valid: valid()) {
      try run.run(source, count: count ?? (time == nil ? 10_000 : .max))
      if !messages.quiet || Interrupt.isRaised { run.reportResult() }
    }
    return Interrupt.isRaised ? .unreadable : run.failures.isEmpty ? .clean : .findings
  }

  func expected(_ testCase: TestCase) -> TestCase.Verdict {
    ignoreStatus || ignore.contains(testCase.label.rule ?? "valid") ? .either : testCase.label.verdict
  }

  func isFailed(_ testCase: TestCase, by ending: Ending) -> Bool {
    guard let status = ending.verdict else { return true }
    switch expected(testCase) {
    case .accept: return status != 0
    case .reject: return status == 0
    case .either: return false
    }
  }
  /// Writes what coverage-guided fuzzers start from: `DIR/corpus` with one file per case, and `DIR/apns.dict`.
  private func write(_ source: Mutations, _ catalog: Catalog, to folder: OutputPath) throws(Failure) {
    try makeFolder(folder.path)
    let corpus = OutputPath("corpus", in: folder)
    try makeFolder(corpus.path)
    var written = 0
    try source.make(count ?? 500) { made throws(Failure) in
      // Fuzzers are faster with short inputs and drop the longest themselves.
      guard made.bytes.count <= 1 << 14 else { return true }
      try corpus.write(made.bytes, named: made.fileName)
      written += 1
      return true
    }
    let words = FuzzDictionary(catalog)
    let header = "# Made by apnscope fuzz --export, for libFuzzer and AFL++.\n"
    try folder.write(Array((header + words.text).utf8), named: "apns.dict")
    guard !messages.quiet else { return }
    let path = shellWord(folder.path)
    StandardError.say(
      "\(plural(written, "case")) in \(corpus.path) and \(plural(words.words.count, "word")) in "
        + "\(folder.path)/apns.dict; "
        + "libFuzzer: -dict=\(path)/apns.dict \(path)/corpus; AFL++: -x \(path)/apns.dict -i \(path)/corpus")
  }
}
