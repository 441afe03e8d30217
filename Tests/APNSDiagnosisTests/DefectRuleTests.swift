import APNSDiagnosis
import APNSInput
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
    var dissector = Dissector(.standard, policy: RolePolicy(role: sample.role), into: Defects())
    dissector.open(ByteStream(number: 0))
    dissector.append(sample.bytes.span, from: .input(offset: 0), to: 0)
    dissector.finish()
    return dissector.records.codes
  }

  private struct Defects: RecordSink {
    var codes: Set<DecodeError.Code> = []
    var wantsMore: Bool { true }

    mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
      if case .frame(let frame, _) = record.content {
        Catalog.standard.forEachDefect(of: frame, in: bytes) { codes.insert($0.code) }
      } else if case .unparsed(let reason) = record.content, let code = DecodeError.Code(rawValue: reason) {
        codes.insert(code)
      }
    }
  }
}
