import APNSWire
import ArgumentParser

/// Options that select test cases.
struct CaseOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Seed for all random choices; the same seed gives the same cases.", valueName: "number"))
  var seed: UInt64 = 1

  @Option(
    help: ArgumentHelp("Use the frame types, rules and answers of Apple's guide of this year.", valueName: "year"))
  var edition: Edition = .standard

  @Option(
    name: .customLong("rule"),
    help: ArgumentHelp("Break only this rule; valid makes valid cases; repeatable.", valueName: "id"),
    completion: .list(CaseChoice.ruleNames))
  var only: [String] = []

  @Option(
    name: .customLong("mutator"), help: ArgumentHelp("Use only this mutator; repeatable.", valueName: "name"),
    completion: .list(CaseChoice.mutatorNames))
  var mutators: [String] = []

  @Flag(
    help: """
      Make only valid cases, and cases with wrong lengths, commands or items: for decoders that don't check values; \
      --rule and --mutator add others.
      """)
  var parsingOnly = false

  var choice: CaseChoice {
    var choice = CaseChoice()
    choice.seed = seed
    choice.edition = edition
    choice.rules = only
    choice.mutators = mutators
    choice.parsingOnly = parsingOnly
    return choice
  }
}
