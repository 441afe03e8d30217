import APNSDiagnosis
import APNSWire
import Testing

/// Every structural fault that decoding reports is a rule of the same id.
@Suite struct DefectRuleTests {
  /// A sample of that rule has the fault, and the rule finds it.
  @Test(arguments: DecodeError.Code.allCases) func everyCodeIsARule(_ code: DecodeError.Code) throws {
    let rule = try #require(Rules[code.rawValue], "no rule is called \(code.rawValue)")
    let faulty = rule.bad.filter { codes(in: $0).contains(code) }
    #expect(!faulty.isEmpty, "no sample of \(rule.id) has the fault")
    for sample in faulty { #expect(findings(in: sample).contains { $0.rule == rule.id }, "\(sample.bytes)") }
  }

  private func codes(in sample: Sample) -> Set<DecodeError.Code> {
    let bytes = sample.bytes
    var framer = Framer(.standard, role: sample.role, recovers: true)
    var codes: Set<DecodeError.Code> = []
    var position = 0
    while let frame = framer.next(at: position, in: bytes.span, isFinal: true) {
      Catalog.standard.forEachDefect(of: frame, in: bytes.span) { codes.insert($0.code) }
      position = frame.end
    }
    return codes
  }
}
