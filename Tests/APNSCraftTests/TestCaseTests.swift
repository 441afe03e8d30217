import APNSCraft
import Testing

@Suite struct TestCaseTests {
  /// Scripts read these words.
  @Test func verdictsAreTheContract() {
    #expect(TestCase.Verdict.allCases.map(\.rawValue) == ["accept", "reject", "either"])
  }
}
