import APNSDiagnosis
import APNSWire
import Testing

@Suite struct ReplyTests {
  @Test func repliesToEmptyTokens() throws {
    let reply = Gateway().reply(to: Provider().frame(token: [], payload: "{}", identifier: 7))
    #expect(findings(in: reply, role: .gateway, by: .standard).isEmpty)
    let response = try #require(FrameDraft(reply, as: ErrorResponse.schema))
    #expect(response.values["status"] == .integer(2))
    #expect(response.values["identifier"] == .integer(7))
  }
}
