import APNSCraft
import APNSDiagnosis
import APNSQuery
import APNSWire

/// Which test cases are made.
package struct CaseChoice {
  /// Of all random choices: the same seed gives the same cases.
  package var seed: UInt64 = 1
  package var edition = Edition.standard
  /// Rules to break, senders' bugs to show, and `valid`.
  package var rules: [String] = []
  package var mutators: [String] = []
  /// Only cases that concern lengths, commands and items, and valid ones.
  package var parsingOnly = false

  package init() {}

  package static let mutatorNames = Mutations.all(of: .standard).map(\.name)
  package static let ruleNames = ["valid"] + Rules.all.map(\.id)
  private static let groups = ruleNames + RootCauses.all.map(\.id)

  /// Mutators and rules by name; nil for all of them.
  func names() throws(Failure) -> Set<String>? {
    for rule in rules where !Self.groups.contains(rule) {
      throw .usage("--rule \(rule): there is no such rule\(suggestion(rule, Self.groups))")
    }
    for rule in rules {
      if let reason = Mutations.rulesWithoutMutator[rule] {
        throw .usage("--rule \(rule): no mutator breaks it: \(reason)")
      }
    }
    for name in mutators where !Self.mutatorNames.contains(name) {
      let hint =
        Self.ruleNames.contains(name) ? "; for the rule, write --rule \(name)" : suggestion(name, Self.mutatorNames)
      throw .usage("--mutator \(name): there is no such mutator\(hint)")
    }
    let chosen = (parsingOnly ? ["valid"] + DecodeError.Code.allCases.map(\.rawValue) : []) + rules + mutators
    return chosen.isEmpty ? nil : Set(chosen)
  }
}
