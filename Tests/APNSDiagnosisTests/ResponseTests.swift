import APNSDiagnosis
import APNSWire
import Octets
import Testing

/// What comes back: error responses and feedback tuples.
@Suite struct ResponseTests {
  /// A packet that is whole is never above a note, whatever it says.
  @Test(arguments: Edition.allCases.dropFirst()) func aStatusIsNeverMoreThanANote(_ edition: Edition) {
    let listed: Set<UInt8> = [1, 2, 3, 4, 5, 6, 7, 8, 255]
    for code in UInt8.min...UInt8.max {
      let found = findings(in: [8, code, 0, 0, 4, 210], role: .gateway, edition: edition)
      #expect(found.allSatisfy { $0.severity == .note && $0.answer == nil })
      switch code {
      case 0: #expect(found.map(\.rule) == ["status-zero"])
      case 10 where edition < .year2013:
        #expect(found.map(\.rule) == ["status-newer-than-edition", "status-shutdown"])
      case 10: #expect(found.map(\.rule) == ["status-shutdown"])
      case 128: #expect(found.map(\.rule) == (edition < .year2017 ? ["status-newer-than-edition"] : []))
      default: #expect(found.map(\.rule) == (listed.contains(code) ? [] : ["status-not-documented"]))
      }
    }
  }

  @Test(
    arguments: [
      (1_235_865_599, nil, ["feedback-time"]), (1_235_865_600, nil, []), (0x7fff_ffff, nil, []),
      (0x8000_0000, nil, ["feedback-time"]), (0, nil, ["feedback-time"]), (1_795_312_800, 1_795_312_800, []),
      (1_384_732_801, 1_384_732_800, ["feedback-time"]),
      (1_384_732_800, 1_384_732_800, []), (1_384_732_800, 86_400, []),
    ] as [(Int, Int?, [String])]) func feedbackTimes(_ time: Int, _ captured: Int?, _ expected: [String])
  {
    let found = findings(in: feedback(time), role: .feedback, time: captured)
    #expect(found.map(\.rule) == expected)
    #expect(found.allSatisfy { $0.severity == .warning && $0.answer == nil })
  }

  /// A tuple whose first byte is lost, and one behind a byte too many, whatever its time; as far as recovery does not
  /// find the good one first.
  @Test func shiftedTuplesAreTold() {
    for time in stride(from: 1_235_900_000, to: 1_617_000_000, by: 7_654_321) {
      let tuple = feedback(time)
      for bytes in [Array(tuple.dropFirst()), [0] + tuple, [0x0a] + tuple] {
        #expect(
          findings(in: bytes, role: .feedback, recovers: false).contains { $0.rule == "feedback-shifted" }, "\(bytes)")
      }
      #expect(findings(in: tuple, role: .feedback) == [])
    }
  }

  /// What follows a shift is not read as it was written; the shift is the first thing to look at.
  @Test func shiftsComeFirst() {
    let found = findings(
      in: [0] + bigEndian(1_384_819_200, 4) + [0, 32] + [UInt8](repeating: 0, count: 20), role: .feedback)
    #expect(found.first?.rule == "feedback-shifted")
    #expect(found.filter { $0.severity == .error }.allSatisfy { ["feedback-shifted", "truncated"].contains($0.rule) })
    #expect(found.contains { $0.rule == "empty-token" && $0.severity == .warning })
  }

  @Test(
    arguments: [(5, nil), (10, nil), (0, Finding.Severity.warning), (1, .warning), (7, .warning), (255, .warning)]
      as [(UInt8, Finding.Severity?)])
  func priorities(_ priority: UInt8, _ severity: Finding.Severity?) {
    let found = findings(in: notification(priority: priority))
    #expect(found.map(\.severity) == (severity.map { [$0] } ?? []))
    #expect(found.allSatisfy { $0.rule == "priority-value" })
  }
}
