import APNSCraft
import APNSDiagnosis
import APNSQuery
import APNSWire

/// Runs a decoder on test cases and saves its failures, or writes the cases for other fuzzers.
struct FuzzRun {
  private let choice: CaseChoice
  private let goal: Goal
  /// The role with which to decode the streams.
  var role = StreamRole.provider
  /// Files with frames to start from; if there are none, frames are generated.
  var files: [InputPath] = []
  /// Rules (and `valid`) for which either verdict is accepted.
  var ignored: [String] = []
  /// Whether either verdict is always accepted.
  var ignoresStatus = false
  /// The number of cases; nil for the default.
  var count: Int?
  /// Seconds for cases and shrinking.
  var seconds: Double?
  /// Number of cases that run at a time.
  var jobs = 1
  var quiet = false

  enum Goal {
    /// Save the failures of a decoder in this folder.
    case failures(Decoder, folder: OutputPath)
    /// Write a corpus and a dictionary to this folder.
    case export(OutputPath)
  }

  init(_ choice: CaseChoice, _ goal: Goal) {
    self.choice = choice
    self.goal = goal
  }

  func run() throws -> ExitStatus {
    let chosen = try choice.names()
    for rule in ignored where !CaseChoice.ruleNames.contains(rule) {
      throw Failure.usage("--ignore \(rule): unknown rule\(suggestion(rule, CaseChoice.ruleNames))")
    }
    let seeds = try seeds()
    let source = try mutations(seeds, only: chosen)
    if source.unusedSeeds > 0, !quiet {
      StandardError.say(
        "\(source.unusedSeeds) of the given frames are damaged or have findings; no case starts from them")
    }
    switch goal {
    case .export(let folder):
      try FuzzExport(folder: folder, count: count ?? 500).write(source, catalog, quiet: quiet)
      return .clean
    case .failures(let decoder, let folder): return try findFailures(of: decoder, in: folder, source, chosen, seeds)
    }
  }

  private func findFailures(
    of decoder: Decoder, in folder: OutputPath, _ source: Mutations, _ chosen: Set<String>?, _ seeds: [Mutations.Seed]
  ) throws -> ExitStatus {
    let verdicts = FuzzVerdicts(ignored: Set(ignored), ignoresStatus: ignoresStatus)
    let failures = try FuzzFailures(
      decoder, RulePolicy(edition: choice.edition), folder: folder, seed: choice.seed, quiet)
    defer { failures.progress?.clear() }
    var loop = FuzzLoop(decoder, verdicts, failures, jobs: jobs, seconds: seconds)
    let validSource = chosen == nil ? nil : try mutations(seeds, only: ["valid"])
    if try loop.probe(source, validSource: validSource) {
      let most = count ?? (seconds == nil ? 10_000 : .max)
      try loop.run(source, count: most)
      if !quiet || Interrupt.isRaised { loop.reportResult(seed: choice.seed) }
    }
    return Interrupt.isRaised ? .unreadable : loop.failures.all.isEmpty ? .clean : .findings
  }

  /// Only the frame types of the role, because a decoder for one role need not know the others.
  private var catalog: Catalog { Catalog(protocolDefinitions.catalog.schemas.filter { $0.role == role }) }

  private func mutations(_ seeds: [Mutations.Seed], only: Set<String>?) throws(Failure) -> Mutations {
    let made = Mutations(catalog, seeds: seeds, edition: choice.edition, seed: choice.seed, only: only)
    guard made.canMake else {
      throw .usage(
        "none of the chosen mutators works for the role \(role.name) in the edition of \(choice.edition.rawValue); choose "
          + "another --role or --edition, or see apnscope mutate --list")
    }
    return made
  }

  private func seeds() throws(Failure) -> [Mutations.Seed] {
    guard !files.isEmpty else { return [] }
    let input = InputRequest(files)
    let streams = try StreamSettings(roles: RolePolicy(role: role)).streams(of: input, try input.sources())
    return try streams.map { Mutations.Seed(bytes: $0.bytes, role: role) }.checked()
  }
}
