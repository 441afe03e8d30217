import APNSCraft
import APNSDiagnosis
import APNSInput
import APNSQuery
import APNSViews
import APNSWire
import ArgumentParser

struct Fuzz: Runnable {
  static let configuration = CommandConfiguration(
    abstract: "Run another decoder on labelled test cases and keep the smallest ones that it fails on.",
    usage: """
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

      Failures that look alike are kept once, as small as possible, in --out. A text file beside each one says what \
      happened and how to run it again. The exit status is 1 if there are failures. The command's output is \
      discarded, and processes that it leaves running are killed.

      This is black-box fuzzing: the code of the command is not instrumented. For coverage-guided fuzzing, --export \
      writes a corpus and a dictionary for libFuzzer and AFL++, and `make mutator` builds a mutator that they load.
      """)

  @Argument(help: "Files with frames to start from; by default frames are generated.", completion: .file())
  var files: [String] = []

  @OptionGroup(title: "Command") var watch: WatchOptions

  @Option(help: ArgumentHelp("Who wrote the streams that the command decodes.", valueName: "role"))
  var role: StreamRole = .provider

  @OptionGroup(title: "Cases") var cases: CaseOptions

  @Option(
    help: ArgumentHelp(
      "Accept either verdict on cases that break this rule, or on valid cases (valid); repeatable.", valueName: "id"),
    completion: .list(CaseOptions.rules))
  var ignore: [String] = []

  @Flag(help: "Ignore verdicts: only signals, exceptions, time and memory count as failures.")
  var ignoreStatus = false

  @Option(
    name: .customShort("n"),
    help: ArgumentHelp("Number of cases (default: 10000, or no limit with --time).", valueName: "number"))
  var count: Int?

  @Option(help: ArgumentHelp("Start no new case after this time.", valueName: "seconds"))
  var time: Double?

  @Option(help: ArgumentHelp("Number of cases to run at a time.", valueName: "number"))
  var jobs = 1

  @Option(help: ArgumentHelp("Directory for failures, created for the first one.", valueName: "dir"))
  var out = "apnscope-failures"

  @Option(
    help: ArgumentHelp(
      "Don't run anything: write a corpus and a dictionary for other fuzzers to this directory.", valueName: "dir"))
  var export: String?

  @Flag(name: .customShort("q"), help: "Print nothing to standard error except fatal errors.")
  var quiet = false

  private var command: [String] { DecoderCommand.words }

  func validate() throws {
    if let count, count < 1 { throw ValidationError("The option -n must be at least 1.") }
    if let time, !(time > 0) { throw ValidationError("The option --time must be more than 0.") }
    if !(1...256).contains(jobs) { throw ValidationError("The option --jobs must be from 1 to 256.") }
    if export != nil, !command.isEmpty {
      throw ValidationError("The option --export runs no command; drop the command.")
    }
  }

  func execute() throws -> ExitStatus {
    let chosen = try cases.chosen()
    for rule in ignore where !CaseOptions.rules.contains(rule) {
      throw Failure.usage("--ignore \(rule): there is no such rule\(suggestion(rule, CaseOptions.rules))")
    }
    let seeds = try seeds()
    let source = try mutations(seeds, only: chosen)
    if source.unusedSeeds > 0, !quiet {
      Talk.say("\(source.unusedSeeds) of the given frames are damaged or have findings; no case starts from them")
    }
    if let export {
      try FuzzExport(folder: export, count: count ?? 500, inputs: files).write(source, catalog, quiet: quiet)
      return .clean
    }
    let decoder = try watch.decoder(command)
    let verdicts = FuzzVerdicts(ignored: Set(ignore), ignoresStatus: ignoreStatus)
    let failures = try FuzzFailures(decoder, RulePolicy(edition: cases.edition), folder: out, seed: cases.seed, quiet)
    defer { failures.progress?.clear() }
    var run = FuzzRun(decoder, verdicts, failures, jobs: jobs)
    let sound = chosen == nil ? nil : try mutations(seeds, only: ["valid"])
    if try run.probe(source, sound: sound) {
      let most = count ?? (time == nil ? 10_000 : .max)
      try run.go(source, count: most, until: time.map { clockSeconds() + $0 })
      if !quiet { run.sayWhatCameOut(seed: cases.seed) }
    }
    return run.failures.all.isEmpty ? .clean : .findings
  }

  /// The role's types alone: a decoder of one side is not to know those of another.
  private var catalog: Catalog { Catalog(protocolDefinitions.catalog.schemas.filter { $0.role == role }) }

  private func mutations(_ seeds: [Mutations.Seed], only: Set<String>?) throws(Failure) -> Mutations {
    let made = Mutations(catalog, seeds: seeds, edition: cases.edition, seed: cases.seed, only: only)
    guard made.canMake else {
      throw .usage(
        "none of the chosen mutators works for the role \(role) in the edition of \(cases.edition.rawValue); choose "
          + "another --role or --edition, or see apnscope mutate --list")
    }
    return made
  }

  private func seeds() throws -> [Mutations.Seed] {
    guard !files.isEmpty else { return [] }
    let input = try Inputs.parse(files)
    let streams = try input.gathered(RoleOptions.parse(["--role", "\(role)"]), from: input.sources())
    guard !streams.isEmpty else {
      throw Failure.unreadable("the files to start from contain no frame; check them with apnscope dissect")
    }
    return streams.map { Mutations.Seed(bytes: $0.bytes, role: role) }
  }
}

extension StreamRole: ExpressibleByArgument {
  public init?(argument: String) {
    guard let role = protocolDefinitions.catalog.roles.first(where: { $0.description == argument }) else { return nil }
    self = role
  }

  public var defaultValueDescription: String { description }
  public static var allValueStrings: [String] { protocolDefinitions.catalog.roles.map(\.description) }
}

/// Which verdicts count.
struct FuzzVerdicts {
  let ignored: Set<String>
  let ignoresStatus: Bool

  /// What the command has to make of a case.
  func expected(_ testCase: TestCase) -> TestCase.Verdict {
    ignoresStatus || ignored.contains(testCase.label.rule ?? "valid") ? .either : testCase.label.verdict
  }

  func isFailed(_ testCase: TestCase, by ending: ChildProcess.Ending) -> Bool {
    guard case .exited(let status) = ending else { return true }
    switch expected(testCase) {
    case .accept: return status != 0
    case .reject: return status == 0
    case .either: return false
    }
  }
}
