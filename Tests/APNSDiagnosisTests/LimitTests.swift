import APNSDiagnosis
import APNSWire
import Testing

/// Sizes of payloads and tokens, by edition and command.
@Suite struct LimitTests {
  /// An alert in so many bytes of JSON.
  private func payload(_ count: Int) -> [UInt8] {
    let text = String(repeating: "x", count: count - 20)
    return Array(#"{"aps":{"alert":"\#(text)"}}"#.utf8)
  }

  struct Row: Sendable {
    let command: UInt8
    let edition: Edition
    let size: Int
    let expected: Finding.Severity?
    let answer: GatewayReply?

    init(
      _ command: UInt8, _ edition: Edition, _ size: Int, _ expected: Finding.Severity?, _ answer: GatewayReply? = nil
    ) {
      (self.command, self.edition, self.size, self.expected, self.answer) = (command, edition, size, expected, answer)
    }
  }

  static let payloads = [
    Row(0, .year2009, 256, nil), Row(0, .year2009, 257, .error, .close), Row(1, .year2010, 256, nil),
    Row(1, .year2010, 257, .error, .status(7)), Row(0, .year2013, 257, .error, .close),
    Row(2, .year2013, 256, nil), Row(2, .year2013, 257, .error, .status(7)),
    Row(2, .year2013, 2049, .error, .status(7)),
    Row(2, .year2017, 257, nil), Row(2, .year2017, 2048, nil), Row(2, .year2017, 2049, .error, .status(7)),
    Row(1, .year2017, 256, nil), Row(1, .year2017, 257, .warning), Row(0, .year2017, 2048, .warning),
    Row(0, .year2017, 2049, .error, .close), Row(1, .year2017, 2049, .error, .status(7)),
  ]

  @Test(arguments: payloads) func payloadsAreMeasured(_ row: Row) {
    let bytes = frame(row.command, goodToken, payload(row.size))
    let found = findings(in: bytes, edition: row.edition).filter { $0.rule == "payload-too-long" }
    #expect(found.map(\.severity) == (row.expected.map { [$0] } ?? []))
    #expect(found.first?.answer == row.answer)
    if let found = found.first {
      let most = row.edition == .year2017 && row.expected == .error ? 2048 : 256
      #expect(found.range.count == row.size - most, "the bytes that are too many")
    }
  }

  @Test func whatCameLaterIsSaid() {
    let old = findings(in: notification(7, 1_384_819_200, goodToken, payload(300)))
    #expect(old.first { $0.rule == "payload-too-long" }?.message.contains("2048 by the edition of 2017") == true)
    let long = findings(in: notification(7, 1_384_819_200, goodToken + goodToken.reversed()))
    #expect(
      long.first { $0.rule == "token-length" }?.message.contains("up to 100 are allowed by the edition of 2017") == true
    )
    let tooLong = findings(in: notification(7, 1_384_819_200, goodToken + goodToken + goodToken + goodToken))
    #expect(tooLong.first { $0.rule == "token-length" }?.message.contains("2017") == false)
  }

  static let tokens = [
    Row(0, .year2009, 31, .warning), Row(1, .year2010, 33, .warning), Row(1, .year2013, 33, .error, .status(5)),
    Row(2, .year2013, 32, nil), Row(2, .year2013, 100, .error, .status(5)), Row(2, .year2017, 100, nil),
    Row(2, .year2017, 1, nil), Row(2, .year2017, 32, nil), Row(2, .year2017, 101, .error, .status(5)),
    Row(1, .year2017, 101, .error, .status(5)), Row(0, .year2017, 33, nil),
  ]

  @Test(arguments: tokens) func tokensAreMeasured(_ row: Row) {
    let token = (0..<row.size).map { UInt8(truncatingIfNeeded: 0x80 | $0) }
    let found = findings(in: frame(row.command, token, goodPayload), edition: row.edition)
      .filter { $0.rule == "token-length" }
    #expect(found.map(\.severity) == (row.expected.map { [$0] } ?? []))
    #expect(found.first?.answer == row.answer)
  }

  /// Nobody refuses what the service writes, so nothing is answered to it.
  @Test(
    arguments: [
      (0, "empty-token"), (6, nil), (64, nil), (100, nil), (101, "token-length"),
    ] as [(Int, String?)])
  func feedbackTokensAreMeasured(_ size: Int, _ rule: String?) {
    for edition in Edition.allCases {
      let found = findings(
        in: feedback(1_384_732_800, [UInt8](repeating: 0xfc, count: size)), role: .feedback, edition: edition)
      #expect(found.map(\.rule) == (rule.map { [$0] } ?? []))
      #expect(found.allSatisfy { $0.severity == .warning && $0.answer == nil })
    }
  }

  @Test func emptyValuesAreAnswered() {
    let found = findings(in: notification(7, 1_384_819_200, [], [])).filter { $0.rule.hasPrefix("empty") }
    #expect(found.map(\.rule) == ["empty-token", "empty-payload"])
    #expect(found.map(\.answer) == [.status(2), .status(4)])
  }

  /// A type that nobody has heard of is judged by what it carries, and only where a provider sends it.
  @Test func strangersAreMeasuredToo() {
    let parts: [FrameSchema.Part] = [.counted(.deviceToken, by: .uint8), .counted(.payload, by: .uint16)]
    let sent = FrameSchema("sent", title: "Sent", role: .provider, command: 0x70, parts: parts, reference: "invented")
    let other = FrameSchema("told", title: "Told", role: .gateway, command: 0x70, parts: parts, reference: "invented")
    let bytes = [0x70, 32] + goodToken + counted(payload(300))
    let catalog = Catalog.standard.adding(sent).adding(other)
    let rules = findings(in: bytes, definitions: Definitions(catalog)).map(\.rule)
    #expect(rules.contains("payload-too-long") && !rules.contains("token-length"))
    #expect(findings(in: bytes, role: .gateway, definitions: Definitions(catalog)).filter { $0.severity > .note } == [])
    #expect(
      findings(in: bytes, edition: .year2017, definitions: Definitions(catalog)).filter { $0.severity > .note } == [])
  }

  private func frame(_ command: UInt8, _ token: [UInt8], _ payload: [UInt8]) -> [UInt8] {
    switch command {
    case 0: legacy(token, payload)
    case 1: enhanced(7, 1_384_819_200, token, payload)
    default: notification(7, 1_384_819_200, token, payload)
    }
  }
}
