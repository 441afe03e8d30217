import APNSCraft
import APNSDiagnosis
import APNSWire
import Foundation
import TestSupport
import Testing

/// Labels of wrong lengths and structure come from the mutators, findings from the rules: neither knows of the other. The
/// other labels are what dissecting finds.
@Suite struct MutationTests {
  /// `APNSCOPE_CASES` asks for more, and for the table of cases by rule.
  static let asked = ProcessInfo.processInfo.environment["APNSCOPE_CASES"].flatMap(Int.init)
  static let count = asked ?? 5_000

  @Test(arguments: Edition.allCases) func checkFindsWhatTheLabelSays(_ edition: Edition) {
    let seed = runSeed
    var mutations = Mutations(.standard, edition: edition, seed: seed)
    var wrong: [String: (count: Int, sample: String)] = [:]
    var tally: [String: Int] = [:]
    for _ in 0..<Self.count {
      let made = mutations.next()
      tally[made.label.rule ?? "valid", default: 0] += 1
      guard let fault = made.labelFault(in: edition) else { continue }
      let known = wrong[made.label.mutator]
      wrong[made.label.mutator] = (
        (known?.count ?? 0) + 1,
        known?.sample ?? "\(fault); case \(made.number): \(made.label.change); \(hex(made.bytes))"
      )
    }
    // One case in some thousand is also what another bug writes, and has its findings.
    let isRare = wrong.values.reduce(0) { $0 + $1.count } * 1_000 <= Self.count
    for (mutator, fault) in isRare ? [] : wrong.sorted(by: { $0.key < $1.key }) {
      Issue.record("APNSCOPE_SEED=\(seed) \(edition.rawValue) \(mutator), \(fault.count) times: \(fault.sample)")
    }
    if Self.asked != nil {
      for (rule, cases) in tally.sorted(by: { $0.key < $1.key }) { print("\(edition.rawValue)\t\(rule)\t\(cases)") }
    }
    for (rule, cases) in tally where rule != "oversized-frame" {
      #expect(cases >= Self.count / 1000, "\(rule) has \(cases) of \(Self.count) cases")
    }
  }

  /// Given frames are changed in place of made ones, where nothing is to be said against them.
  @Test func startsFromGivenFrames() {
    let payload = Array(#"{"aps":{"alert":"Bob wants to play poker"},"acme":"bar"}"#.utf8)
    let token = (0..<32).map { UInt8(truncatingIfNeeded: 0xfc &- $0 &* 37) }
    let enhanced = [1, 0, 0, 4, 0xd2, 0x52, 0x8a, 0xaa, 1, 0, 32] + token + [0, UInt8(payload.count)] + payload
    let bad = [1, 0, 0, 4, 0xd3, 0x52, 0x8a, 0xaa, 1, 0, 2, 7, 7] + [0, UInt8(payload.count)] + payload
    let seeds = [enhanced + enhanced, bad].map { Mutations.Seed(bytes: $0, role: .provider) }
    var mutations = Mutations(.standard, seeds: seeds, seed: runSeed)
    #expect(mutations.unusedSeeds == 2, "one names an identifier again, one has a short token")
    var (unchanged, wrong) = (0, [] as [String])
    for _ in 0..<2_000 {
      let made = mutations.next()
      if let fault = made.labelFault() {
        wrong.append("\(made.label.mutator), \(fault): \(hex(made.bytes))")
      }
      if made.label.mutator == "as-it-is-enhanced-notification" {
        unchanged += 1
        #expect(made.bytes == enhanced)
      }
    }
    #expect(unchanged > 0)
    #expect(wrong.count <= 5, "APNSCOPE_SEED=\(runSeed) \(wrong)")
  }

  @Test func rangesHoldTheChange() {
    var mutations = Mutations(.standard, seed: runSeed)
    for _ in 0..<2_000 {
      let made = mutations.next()
      #expect(made.label.range.lowerBound >= 0 && made.label.range.upperBound <= made.bytes.count)
      if made.label.mutator.hasPrefix("as-it-is") { #expect(made.label.range.isEmpty) }
    }
  }

  @Test func sameSeedSameCases() {
    var one = Mutations(.standard, seed: runSeed)
    var other = Mutations(.standard, seed: runSeed)
    for _ in 0..<1_000 { #expect(one.next() == other.next()) }
  }

  /// Each rule is broken by some mutator in some edition, or it is listed here with the reason why it is not.
  @Test func rulesWithoutMutatorAreKnown() {
    // Only captures and several streams show them, or bugs that no mutator makes.
    let known: Set<Rule> = [
      .missingBytes, .overlappingBytes, .noFrameFound, .senderFault, .searchEnded, .sentAfterAnswer, .secondAnswer,
      .noCloseAfterAnswer, .pushOnFeedbackPort, .feedbackOnPushPort, .feedbackClientWrites, .rapidConnections,
    ]
    #expect(Mutations.rulesWithoutMutator == known)
    for rule in Rules.all where !known.contains(rule) {
      let isMade = Edition.allCases.contains { edition in
        Mutations(.standard, edition: edition, seed: runSeed, only: [rule.id]).canMake
      }
      #expect(isMade, "no mutator of \(rule.id) works")
    }
  }

  /// A sample's fault is all that a case shows.
  @Test func graftsKeepTheRestOfTheFrame() {
    var mutations = Mutations(.standard, seed: runSeed, only: ["key-type-notification"])
    for _ in 0..<50 {
      let made = mutations.next()
      let last = findings(in: made.bytes, role: made.role, by: .standard)
      #expect(last.map(\.rule) == ["key-type"] && made.label.follows.isEmpty, "\(hex(made.bytes))")
      #expect(last.allSatisfy { made.label.range.overlaps($0.range) })
    }
  }

  @Test func everyCauseIsRunForwards() {
    let run = Set(Mutations.all(of: .standard).compactMap(\.cause))
    // Only feedback tuples show it, several of them, and a case changes one frame.
    let known: Set<RootCause> = [
      .commandAdded,
      // They describe bugs that have no name, so there is nothing to imitate.
      .bytesInside, .expiryUnit, .foreignBytes, .frameEncoding, .framesDivided, .itemHeaders,
      .lengthsFormat, .numberFormat, .payloadEncoding, .payloadPadding, .payloadSyntax, .tokenEncoding, .tokenSize,
      .zerosLeftOut,
    ]
    #expect(Set(RootCauses.all).subtracting(run) == known)
  }

  @Test func namesAreUnique() {
    let names = Mutations.all(of: .standard).map(\.name)
    #expect(Set(names).count == names.count)
  }

  /// Read as signed, such a length leads back to the start of its frame or item, where a decoder reads it again.
  @Test(
    arguments: [
      ("items-notification", [0xff, 0xff, 0xff, 0xfb]), ("device-token-notification", [0xff, 0xfd]),
      ("priority-notification", [0xff, 0xfd]), ("token-enhanced-notification", [0xff, 0xf5]),
      ("payload-enhanced-notification", [0xff, 0xd3]), ("token-legacy-notification", [0xff, 0xfd]),
      ("payload-legacy-notification", [0xff, 0xdb]), ("token-feedback-tuple", [0xff, 0xfa]),
    ] as [(String, [UInt8])])
  func lengthsAreNegativeIfReadAsSigned(_ field: String, _ minusHeader: [UInt8]) {
    for (lie, bytes) in [("minus-header", minusHeader), ("top-bit", [0x80] + minusHeader.dropFirst().map { _ in 0 })] {
      var mutations = Mutations(.standard, seed: runSeed, only: ["length-\(lie)-\(field)"])
      for _ in 0..<20 {
        let made = mutations.nextCase()
        #expect(made.map { Array($0.bytes[$0.label.range]) } == bytes, "\(lie) of \(field)")
      }
    }
  }

  @Test func choosesByRuleAndByName() {
    var byRule = Mutations(.standard, seed: runSeed, only: ["token-padded"])
    var byName = Mutations(.standard, seed: runSeed, only: ["empty-payload-notification"])
    for _ in 0..<100 {
      #expect(byRule.next().label.rule == "token-padded")
      #expect(byName.next().label.mutator == "empty-payload-notification")
    }
    var none = Mutations(.standard, seed: runSeed, only: ["missing-bytes"])
    #expect(none.nextCase() == nil)
  }
}

func hex(_ bytes: [UInt8]) -> String {
  bytes.prefix(400).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
