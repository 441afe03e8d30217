import APNSCraft
import APNSDiagnosis
import APNSQuery
import APNSWire
import ArgumentParser
import Octets

struct CaseOptions: ParsableArguments {
  @Option("--seed <number>", "Seed for all random choices; the same seed gives the same cases.")
  var seed: UInt64 = 1

  @Option("--edition <year>", "Use the frame types, rules and answers of Apple's guide of this year.", rare: true)
  var edition: Edition = .standard

  @Option(
    "--rule <id>", "Break only this rule; valid makes valid cases; repeatable.", completion: .names(Self.ruleNames))
  var only: [String] = []

  @Option(
    "--mutator <name>", "Use only this mutator; repeatable.", completion: .names(Self.mutatorNames(of: .standard)))
  var mutators: [String] = []

  @Flag(
    help: .rare(
      """
      Make only valid cases, and cases with wrong lengths, commands or items: for decoders that don't check values; \
      --rule and --mutator add others.
      """))
  var parsingOnly = false

  static let ruleNames = ["valid"] + Rules.all.map(\.id)
  private static let groups = ruleNames + RootCauses.all.map(\.id)

  private static func mutatorNames(of catalog: Catalog) -> [String] { Mutations.all(of: catalog).map(\.name) }

  /// The names of the chosen mutators and rules; nil means all.
  private func names(in catalog: Catalog) throws(Failure) -> Set<String>? {
    for rule in only { try known(rule, "--rule", among: Self.groups) }
    for rule in only where Rules[rule].map(Mutations.rulesWithoutMutator.contains) == true {
      throw .usage("--rule \(rule): no mutator breaks it; see apnscope explain \(rule)")
    }
    let all = Self.mutatorNames(of: catalog)
    for name in mutators where !all.contains(name) {
      let hint = Self.ruleNames.contains(name) ? "; for the rule, write --rule \(name)" : suggestion(name, all)
      throw .usage("--mutator \(name): unknown mutator\(hint)")
    }
    let chosen = (parsingOnly ? ["valid"] + DecodeError.Code.allCases.map(\.rawValue) : []) + only + mutators
    return chosen.isEmpty ? nil : Set(chosen)
  }

  /// Cases of the chosen mutators, which start from the frames of the input. Reports frames that no case starts from.
  /// - Parameter role: That of the streams to make; nil for all roles.
  /// - Returns: The cases, and others that are all valid.
  func mutations(
    from input: InputOptions, _ settings: StreamSettings, for role: StreamRole? = nil, _ messages: QuietOption
  ) throws(Failure) -> (chosen: Mutations, valid: () -> Mutations) {
    let names = try names(in: settings.catalog)
    let seeds = try input.seeds(settings, messages)
    // Only the frame types of the role, because a decoder for one role need not know the others.
    let catalog = role.map { settings.catalog.types(of: $0) } ?? settings.catalog
    let made = Mutations(catalog, seeds: seeds, edition: edition, seed: seed, only: names)
    if made.unusedSeeds > 0, !messages.quiet {
      StandardError.say(
        "\(made.unusedSeeds) of the given frames are damaged or have findings; no case starts from them")
    }
    guard !made.canMake else {
      return (made, { Mutations(catalog, seeds: seeds, edition: edition, seed: seed, only: ["valid"]) })
    }
    let scope = role.map { " for the role \(settings.catalog.name(of: $0))" } ?? ""
    throw .usage(
      "none of the chosen mutators works\(scope) in the edition of \(edition.rawValue); choose another one of "
        + "apnscope mutate --list, or another \(role == nil ? "" : "--role or ")--edition")
  }
}

extension InputOptions {
  /// The frames of all files, for cases to start from; none if no file is given.
  func seeds(_ settings: StreamSettings, _ messages: QuietOption) throws(Failure) -> [Mutations.Seed] {
    guard !files.isEmpty else { return [] }
    var seeds: [Mutations.Seed] = []
    let reading = forEachRecord(of: try sources(), settings, quiet: messages.quiet) { record, bytes in
      if case .frame = record.content, let role = record.role {
        seeds.append(Mutations.Seed(bytes: [UInt8](copying: bytes), role: role))
      }
      return seeds.count < Self.mostSeeds
    }
    if let first = reading.failures.first { throw first }
    guard seeds.isEmpty else { return seeds }
    throw .unreadable("the files to start from contain no frame; check them with apnscope dissect")
  }

  private static let mostSeeds = 10_000
}

extension Mutations {
  /// Makes cases and passes each on, until `take` returns false.
  func make(_ count: Int, _ take: (TestCase) throws(Failure) -> Bool) throws(Failure) {
    var cases = self
    for number in 0..<count {
      if Interrupt.isRaised { throw .interruption("interrupted after \(number) of \(plural(count, "case"))") }
      guard try take(cases.next()) else { return }
    }
  }
}
