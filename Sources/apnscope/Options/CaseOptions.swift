import APNSCraft
import APNSDiagnosis
import APNSQuery
import APNSWire
import ArgumentParser

/// Options that select test cases.
struct CaseOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Seed for all random choices; the same seed gives the same cases.", valueName: "number"))
  var seed: UInt64 = 1

  @Option(
    help: ArgumentHelp(
      "Use the frame types, rules and answers of Apple's guide of this year.", valueName: "year",
      visibility: .rare))
  var edition: Edition = .standard

  @Option(
    name: .customLong("rule"),
    help: ArgumentHelp("Break only this rule; valid makes valid cases; repeatable.", valueName: "id"),
    completion: .names(Self.ruleNames))
  var only: [String] = []

  @Option(
    name: .customLong("mutator"), help: ArgumentHelp("Use only this mutator; repeatable.", valueName: "name"),
    completion: .names(Self.mutatorNames(of: .standard)))
  var mutators: [String] = []

  @Flag(
    help: ArgumentHelp(
      """
      Make only valid cases, and cases with wrong lengths, commands or items: for decoders that don't check values; \
      --rule and --mutator add others.
      """, visibility: .rare))
  var parsingOnly = false

  static let ruleNames = ["valid"] + Rules.all.map(\.id)
  private static let groups = ruleNames + RootCauses.all.map(\.id)

  private static func mutatorNames(of catalog: Catalog) -> [String] { Mutations.all(of: catalog).map(\.name) }

  /// The names of the chosen mutators and rules; nil means all.
  func names(in catalog: Catalog) throws(Failure) -> Set<String>? {
    for rule in only where !Self.groups.contains(rule) {
      throw .usage("--rule \(rule): unknown rule\(suggestion(rule, Self.groups))")
    }
    for rule in only where Rules[rule].map(Mutations.rulesWithoutMutator.contains) == true {
      throw .usage("--rule \(rule): no mutator breaks it; see apnscope explain \(rule)")
    }
    let known = Self.mutatorNames(of: catalog)
    for name in mutators where !known.contains(name) {
      let hint = Self.ruleNames.contains(name) ? "; for the rule, write --rule \(name)" : suggestion(name, known)
      throw .usage("--mutator \(name): unknown mutator\(hint)")
    }
    let chosen = (parsingOnly ? ["valid"] + DecodeError.Code.allCases.map(\.rawValue) : []) + only + mutators
    return chosen.isEmpty ? nil : Set(chosen)
  }

  /// Throws if no case can be made.
  /// - Parameters:
  ///   - scope: For which streams there is none, as part of a sentence.
  ///   - others: The options to change then.
  func check(_ made: Mutations, of scope: String = "", or others: String = "--edition") throws(Failure) {
    guard !made.canMake else { return }
    throw .usage(
      "none of the chosen mutators works\(scope) in the edition of \(edition.rawValue); choose another \(others), or "
        + "see apnscope mutate --list")
  }
}
