import APNSCraft
import APNSDiagnosis
import APNSQuery
import APNSWire
import ArgumentParser

/// Which test cases are made.
struct CaseOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Seed for all random choices; the same seed gives the same cases.", valueName: "number"))
  var seed: UInt64 = 1

  @Option(
    help: ArgumentHelp("Use the frame types, rules and answers of Apple's guide of this year.", valueName: "year"))
  var edition: Edition = .standard

  @Option(
    name: .customLong("rule"),
    help: ArgumentHelp("Break only this rule; valid makes valid cases; repeatable.", valueName: "id"),
    completion: .list(CaseOptions.rules))
  var only: [String] = []

  @Option(
    name: .customLong("mutator"), help: ArgumentHelp("Use only this mutator; repeatable.", valueName: "name"),
    completion: .list(CaseOptions.names))
  var mutators: [String] = []

  @Flag(
    help: """
      Make only valid cases, and cases with wrong lengths, commands or items: for decoders that don't check values; \
      --rule and --mutator add others.
      """)
  var parsingOnly = false

  private static let names = Mutations.all(of: .standard).map(\.name)
  static let rules = ["valid"] + Rules.all.map(\.id)
  /// What `--rule` chooses: senders' bugs, too.
  private static let groups = rules + RootCauses.all.map(\.id)

  /// Mutators and rules by name; nil for all of them.
  func chosen() throws(Failure) -> Set<String>? {
    for rule in only where !Self.groups.contains(rule) {
      throw .usage("--rule \(rule): there is no such rule\(suggestion(rule, Self.groups))")
    }
    for rule in only {
      if let reason = Mutations.unbroken[rule] { throw .usage("--rule \(rule): no mutator breaks it: \(reason)") }
    }
    for name in mutators where !Self.names.contains(name) {
      let hint = Self.rules.contains(name) ? "; for the rule, write --rule \(name)" : suggestion(name, Self.names)
      throw .usage("--mutator \(name): there is no such mutator\(hint)")
    }
    let chosen = (parsingOnly ? ["valid"] + DecodeError.Code.allCases.map(\.rawValue) : []) + only + mutators
    return chosen.isEmpty ? nil : Set(chosen)
  }
}
