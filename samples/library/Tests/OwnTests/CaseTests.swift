import APNSCraft
import APNSWire
import Testing

@Suite struct CaseTests {
  static let cases: [TestCase] = {
    var mutations = Mutations(.standard, seed: 1, only: ["empty-token", "payload-too-long", "valid"])
    return (0..<200).map { _ in mutations.next() }.filter { $0.role == .provider }
  }()

  @Test(arguments: cases) func repliesAsDocumented(_ test: TestCase) {
    let reply = Gateway().reply(to: test.bytes)
    let status = FrameDraft(reply, as: ErrorResponse.schema)?.values["status"]
    switch test.label.answer {
    case .status(let expected): #expect(status == .integer(UInt64(expected)), "\(test.label.change)")
    case .close, .errorResponse, nil: #expect(status == nil, "\(test.label.change)")
    }
  }
}
