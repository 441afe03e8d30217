import APNSDiagnosis
import APNSWire
import TestSupport
import Testing

/// A provider with nothing to say against it draws not even a note from any rule but those of its payload.
@Suite struct CleanStreamTests {
  @Test(arguments: Edition.allCases.dropFirst(2)) func drawsNothing(_ edition: Edition) {
    let now = 1_384_732_800
    var random = SeededGenerator(seed: runSeed)
    var stream = JudgedStream(RulePolicy(edition: edition), time: now)
    for identifier in 1...20_000 {
      let text = String(repeating: "m", count: Int.random(in: 1...200, using: &random))
      let payload = Array(#"{"aps":{"alert":"\#(text)"}}"#.utf8)
      let expiry = now + Int.random(in: 0...2_592_000, using: &random)
      let token = random.bytes(32)
      stream.append(
        random.chance(45)
          ? enhanced(identifier, expiry, token, payload)
          : notification(identifier, expiry, token, payload, priority: random.chance(10) ? 5 : 10))
    }
    #expect(stream.finish() == [], "APNSCOPE_SEED=\(runSeed)")
  }

  /// So does a feedback service.
  @Test func feedbackDrawsNothing() {
    var random = SeededGenerator(seed: runSeed)
    var stream = JudgedStream(role: .feedback, time: 1_384_732_800)
    for index in 0..<20_000 { stream.append(feedback(1_384_000_000 + index * 30, random.bytes(32))) }
    #expect(stream.finish() == [], "APNSCOPE_SEED=\(runSeed)")
  }
}
