import APNSDiagnosis
import APNSWire
import Octets
import TestSupport
import Testing

/// Streams of gateways and feedback services with bugs, written by a program that shares no code with the reader.
@Suite struct ServiceTests {
  struct Sample: Decodable {
    let name: String
    let role: String
    /// What is to be named; nil where the bytes say too little.
    let cause: String?
    /// The rule that names the bug without a cause.
    let rule: String?
    let stream: String

    var bytes: [UInt8] { [UInt8](hexDigits: Array(stream.utf8)) ?? [] }
    var streamRole: StreamRole { role == "gateway" ? .gateway : .feedback }
  }

  static let samples: [Sample] = Samples.lines(of: "malformed/services.ndjson")

  @Test func rulesNameBugsWithoutACause() {
    for sample in Self.samples {
      guard let rule = sample.rule else { continue }
      #expect(findings(in: sample.bytes, role: sample.streamRole).contains { $0.rule == rule }, "\(sample.name)")
    }
  }

  /// Tuples without their lengths are found in noise: every fifth number is a time, and two of them in a row are named.
  @Test func noiseHasHardlyEverACause() {
    var random = RandomStream(seed: runSeed)
    for (role, most) in [(StreamRole.gateway, 5), (.feedback, 60)] {
      var named = 0
      for _ in 0..<2_000 {
        let bytes = random.generator.bytes(Int.random(in: 0...100, using: &random.generator))
        if findings(in: bytes, role: role).contains(where: { $0.cause != nil }) { named += 1 }
      }
      #expect(named <= most, "seed \(runSeed), \(role): \(named) of 2,000")
    }
  }
}
