import APNSCraft
import APNSDiagnosis
import APNSInput
import APNSQuery
import APNSViews
import APNSWire
import ArgumentParser

struct Fuzz: Runnable {
  static let configuration = CommandConfiguration(
    abstract: "Run someone else's decoder on labelled cases, and keep the smallest that it fails on.",
    usage: """
      apnscope fuzz -- ./decoder
      apnscope fuzz --time 60 --jobs 2 --out failures -- python3 decode.py @@
      apnscope fuzz -n 2000 --ignore token-all-zero --ignore token-length -- ./decoder
      apnscope fuzz --export corpus
      """,
    discussion: """
      The cases are those of `apnscope mutate`: valid streams, and streams with one rule broken. The command gets each \
      on its standard input, or as a file where @@ stands; status 0 accepts it, 1 to 125 refuses it. A failure is a \
      death by signal (also where a shell reports one, as 128 and its number), a run beyond --timeout or --memory, or \
      a verdict other than the label's: a valid stream refused, or one accepted that breaks a rule of the service. \
      Where rules only advise, either verdict is right. What the command does not look at, --ignore names, and \
      --ignore-status leaves verdicts out altogether.

      Failures that look alike are kept once, made as small as can be, each in --out with a text beside it that says \
      what it is and how to run it again; then the exit status is 1. What the command prints goes nowhere, and \
      processes that it leaves behind are ended.

      This is black-box work: the code of the command is not seen. For work guided by coverage, --export writes a \
      corpus and a dictionary for libFuzzer and AFL++, and `make mutator` builds the mutator that they load.
      """)

  @Argument(help: "Frames to start from; without any, they are made.", completion: .file())
  var files: [String] = []

  @OptionGroup(title: "Command") var watch: WatchOptions

  @Option(help: ArgumentHelp("Whose streams the command reads.", valueName: "role"))
  var role: StreamRole = .provider

  @OptionGroup(title: "Cases") var cases: CaseOptions

  @Option(
    help: ArgumentHelp("Let the command judge this rule as it likes, or valid; repeatable.", valueName: "id"),
    completion: .list(CaseOptions.rules))
  var ignore: [String] = []

  @Flag(help: "Let the command end with any status: look for signals, time and memory alone.")
  var ignoreStatus = false

  @Option(
    name: .customShort("n"), help: ArgumentHelp("How many cases; 10000, or with --time any.", valueName: "number"))
  var count: Int?

  @Option(help: ArgumentHelp("After so long, no new case is begun.", valueName: "seconds"))
  var time: Double?

  @Option(help: ArgumentHelp("How many to run at a time.", valueName: "number"))
  var jobs = 1

  @Option(help: ArgumentHelp("Where failures are kept; made when there is one.", valueName: "dir"))
  var out = "apnscope-failures"

  @Option(help: ArgumentHelp("Run nothing: write a corpus and a dictionary for other fuzzers.", valueName: "dir"))
  var export: String?

  @Flag(name: .customShort("q"), help: "Say nothing on standard error but what stops the run.")
  var quiet = false

  private var command: [String] { DecoderCommand.words }

  func validate() throws {
    if let count, count < 1 { throw ValidationError("The option -n is at least 1.") }
    if let time, !(time > 0) { throw ValidationError("The option --time is more than 0.") }
    if !(1...256).contains(jobs) { throw ValidationError("The option --jobs is 1 to 256.") }
    if export != nil, !command.isEmpty { throw ValidationError("With --export no command is run.") }
  }

  func execute() throws -> ExitStatus {
    let chosen = try cases.chosen()
    for rule in ignore where !CaseOptions.rules.contains(rule) {
      throw Failure.usage("--ignore \(rule): there is no such rule\(suggestion(rule, CaseOptions.rules))")
    }
    let seeds = try seeds()
    let source = try mutations(seeds, only: chosen)
    if source.unusedSeeds > 0, !quiet {
      Talk.say("\(source.unusedSeeds) of the frames given are damaged or draw findings; no case starts from them")
    }
    if let export {
      try FuzzExport(folder: export, count: count ?? 500).write(source, catalog, quiet: quiet)
      return .clean
    }
    let decoder = try watch.decoder(command)
    let verdicts = FuzzVerdicts(ignored: Set(ignore), ignoresStatus: ignoreStatus)
    let failures = try FuzzFailures(decoder, RulePolicy(edition: cases.edition), folder: out, seed: cases.seed, quiet)
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
  private var catalog: Catalog { Catalog(Catalog.standard.schemas.filter { $0.role == role }) }

  private func mutations(_ seeds: [Mutations.Seed], only: Set<String>?) throws(Failure) -> Mutations {
    let made = Mutations(catalog, seeds: seeds, edition: cases.edition, seed: cases.seed, only: only)
    guard made.canMake else {
      throw .usage(
        "no mutator asked for can be had for the role \(role) in the edition of \(cases.edition.rawValue); name another "
          + "--role or --edition, or see apnscope mutate --list")
    }
    return made
  }

  private func seeds() throws -> [Mutations.Seed] {
    guard !files.isEmpty else { return [] }
    let streams = try Inputs.parse(files).gathered(RoleOptions.parse(["--role", "\(role)"]))
    guard !streams.isEmpty else {
      throw Failure.unreadable("no frame in what was given to start from; see apnscope dissect")
    }
    return streams.map { Mutations.Seed(bytes: $0.bytes, role: role) }
  }
}

extension StreamRole: ExpressibleByArgument {
  public init?(argument: String) {
    guard let role = Catalog.standard.roles.first(where: { $0.description == argument }) else { return nil }
    self = role
  }

  public var defaultValueDescription: String { description }
  public static var allValueStrings: [String] { Catalog.standard.roles.map(\.description) }
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
