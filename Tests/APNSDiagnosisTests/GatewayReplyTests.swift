import APNSDiagnosis
import APNSWire
import Octets
import Testing

/// What the gateway replies to a notification that it refuses, by Apple's documents.
@Suite struct GatewayReplyTests {
  // Each is malformed: an item that claims more than its frame has, a length that claims the frames after it, a byte that
  // is no command.
  private static let overrun: [UInt8] = [2, 0, 0, 0, 5, 2, 0, 0x16, 0x7b, 0x7d]
  private static let swallowing1 = [1] + bigEndian(7, 4) + bigEndian(1_384_819_200, 4) + [0xff, 0xff]
  private static let swallowing0: [UInt8] = [0, 0xff, 0xff]

  @Test(
    arguments: [
      (.year2009, .close, .close, .close), (.year2010, .close, .errorResponse, .errorResponse),
      (.year2013, .close, .errorResponse, .errorResponse), (.year2017, .close, .status(128), .status(128)),
    ] as [(Edition, GatewayReply, GatewayReply, GatewayReply)])
  func aMalformedNotificationIsAnsweredUnlessItIsLegacy(
    _ edition: Edition, _ command0: GatewayReply, _ command1: GatewayReply, _ noCommand: GatewayReply
  ) {
    func answer(_ bytes: [UInt8], _ rule: String) -> GatewayReply? {
      findings(in: bytes, edition: edition).first { $0.rule == rule }?.answer
    }
    let frames = legacy() + legacy() + legacy()
    #expect(answer(Self.swallowing0 + frames, "overruled-length") == command0)
    #expect(answer(Self.swallowing1 + frames, "overruled-length") == command1)
    #expect(answer(Self.overrun, "item-overrun") == command1)
    #expect(answer([3, 0, 0], "unknown-command") == noCommand)
  }

  /// A gateway of that time reads no items: it cannot say which of them is missing.
  @Test func aFrameTypeOfALaterEditionGetsOneReply() {
    let bytes = notification(7, 1_384_819_200, [], [])
    for (edition, reply) in [(Edition.year2009, GatewayReply.close), (.year2010, .errorResponse)] {
      let answers = Set(findings(in: bytes, edition: edition).compactMap(\.answer))
      #expect(answers == [reply], "\(edition)")
    }
    #expect(Set(findings(in: enhanced(7, 0, []), edition: .year2009).compactMap(\.answer)) == [.close])
  }

  /// The gateway does not refuse what it wrote, nor what goes to no gateway.
  @Test(arguments: [StreamRole.gateway, .feedback]) func theServiceGetsNoReply(_ role: StreamRole) {
    let streams: [[UInt8]] = [
      [8, 8, 0, 0, 0, 7, 0xff], [0xff, 0xee], [8, 8, 0], feedback(1_384_732_800, []),
      [0, 0, 0, 0, 0xff, 0xff] + goodToken,
    ]
    for bytes in streams {
      let found = findings(in: bytes, role: role)
      #expect(!found.isEmpty && found.allSatisfy { $0.answer == nil }, "\(bytes)")
    }
  }

  /// No document says that the gateway parses the JSON, and it waits for the rest of a cut frame.
  @Test func whatTheGatewayIsNotKnownToCheckGetsNoReply() {
    let rules = Rules.all.filter { rule in
      rule.id == "truncated" || rule.id.hasPrefix("json-") || rule.id.hasPrefix("payload-not-")
    }
    #expect(rules.count > 10)
    for rule in rules {
      #expect(rule.refusals.isEmpty, "\(rule.id)")
      for sample in rule.bad {
        #expect(findings(in: sample).filter { $0.rule == rule.id }.allSatisfy { $0.answer == nil }, "\(rule.id)")
      }
    }
  }

  @Test func repliesAreWrittenForScripts() {
    #expect([GatewayReply.status(8), .errorResponse, .close].map(\.text) == ["8", "error-response", "close"])
  }
}
