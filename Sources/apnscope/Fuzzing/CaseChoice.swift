import APNSCraft
import APNSDiagnosis
import APNSQuery
import APNSWire

/// The selection of test cases.
struct CaseChoice {
  /// The seed of all random choices; the same seed gives the same cases.
  var seed: UInt64 = 1
  var edition = Edition.standard
  /// Ids of rules to break and of senders' bugs, and `valid`.
  var rules: [String] = []
  var mutators: [String] = []
  /// Whether to make only valid cases and cases about lengths, commands and items.
  var parsingOnly = false

  init() {}

  static var mutatorNames: [String] { Mutations.all(of: protocolDefinitions.catalog).map(\.name) }
  static let ruleNames = ["valid"] + Rules.all.map(\.id)
  private static let groups = ruleNames + RootCauses.all.map(\.id)

  /// The names of the chosen mutators and rules; nil means all.
  func names() throws(Failure) -> Set<String>? {
    for rule in rules where !Self.groups.contains(rule) {
      throw .usage("--rule \(rule): unknown rule\(suggestion(rule, Self.groups))")
    }
    for rule in rules {
      if let reason = Mutations.rulesWithoutMutator[rule] {
        throw .usage("--rule \(rule): no mutator breaks it: \(reason)")
      }
    }
    for name in mutators where !Self.mutatorNames.contains(name) {
      let hint =
        Self.ruleNames.contains(name) ? "; for the rule, write --rule \(name)" : suggestion(name, Self.mutatorNames)
      throw .usage("--mutator \(name): unknown mutator\(hint)")
    }
    let chosen = (parsingOnly ? ["valid"] + DecodeError.Code.allCases.map(\.rawValue) : []) + rules + mutators
    return chosen.isEmpty ? nil : Set(chosen)
  }
}
