import APNSDiagnosis
import APNSWire
import Testing

/// One call gives the findings of bytes.
@Suite struct FindingsTests {
  /// A legacy notification whose payload is cut, then nothing.
  private let cut: [UInt8] = [0, 0, 32] + Array(repeating: 0xaa, count: 32) + [0, 2, 0x7b]

  @Test func namesWhatIsWrong() {
    let found = findings(in: cut, role: .provider, by: .standard)
    #expect(found.first { $0.severity == .error }.map { [$0.rule, "\($0.range)"] } == ["truncated", "38..<38"])
    #expect(findings(in: cut.span, role: .provider, by: .standard) == found)
  }

  @Test func recognizesTheRole() {
    #expect(findings(in: [8, 8, 0, 0, 4, 210], by: .standard).allSatisfy { $0.severity == .note })
    #expect(findings(in: [8, 8, 0, 0, 4, 210], role: .provider, by: .standard).map(\.rule).contains("unknown-command"))
  }

  @Test func judgesByTheEdition() {
    let items: [UInt8] = [2, 0, 0, 0, 4, 5, 0, 1, 10]
    #expect(
      findings(in: items, role: .provider, edition: .year2010, by: .standard).map(\.rule).contains("newer-than-edition")
    )
    #expect(!findings(in: items, role: .provider, by: .standard).map(\.rule).contains("newer-than-edition"))
  }
}
