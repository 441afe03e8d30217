import Foundation
import TestSupport
import Testing

/// The laws over random, mutated and real input, and over every input that ever broke one.
@Suite struct LawTests {
  @Test(arguments: Law.allCases)
  func holdsForRandomStreams(_ law: Law) {
    let runs =
      [
        .independence: 5_000, .text: 250, .outputs: 80, .redact: 30, .mutate: 30, .minimize: 30,
      ][law]
      ?? 500
    for run in 0..<runs {
      let seed = runSeed &+ UInt64(run)
      var random = RandomStream(seed: seed)
      let bytes = random.any()
      if let violation = law.violation(bytes) {
        Issue.record("APNSCOPE_SEED=\(seed) \(law): \(violation)")
        return
      }
    }
  }

  @Test(arguments: Law.allCases)
  func holdsForRealFrames(_ law: Law) throws {
    for file in try Samples.files(in: "peers", endingWith: ".bin") {
      let violation = law.violation(try Samples.bytes(file))
      #expect(violation == nil, "\(file.lastPathComponent)")
    }
  }

  @Test(arguments: Law.allCases)
  func holdsForFormerCrashers(_ law: Law) throws {
    for file in try Samples.files(in: "crashers", endingWith: "") where !file.lastPathComponent.hasSuffix(".md") {
      let violation = law.violation(try Samples.bytes(file))
      #expect(violation == nil, "\(file.lastPathComponent)")
    }
  }
}
