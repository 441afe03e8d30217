import APNSDiagnosis
import APNSWire
import Testing

@Suite struct ProviderTests {
  let provider = Provider()
  let token: [UInt8] = Array(1...32)

  @Test func framesAreValid() {
    let bytes = provider.frame(token: token, payload: #"{"aps":{"alert":"Café"}}"#, identifier: 7)
    let found = findings(in: bytes, role: .provider, by: .standard)
    #expect(found.isEmpty, "\(found.map(\.message))")
  }

  /// Warnings and notes are allowed here, and so is one rule.
  @Test func testPushesHaveNoErrors() {
    let bytes = provider.frame(token: token, payload: "{}", identifier: 0)
    let errors = findings(in: bytes, role: .provider, by: .standard).filter { finding in
      finding.severity == .error && finding.rule != "aps-missing"
    }
    #expect(errors.isEmpty, "\(errors.map(\.message))")
  }

  /// What Apple's gateway would reply to a frame that it refuses.
  @Test func emptyTokensAreRefused() {
    let bytes = provider.frame(token: [], payload: #"{"aps":{"alert":"Hi"}}"#, identifier: 7)
    #expect(findings(in: bytes, role: .provider, by: .standard).map(\.answer).contains(.status(2)))
  }
}
