import APNSDiagnosis
import APNSInput
import APNSViews
import APNSWire
import TestSupport
import Testing

/// Who wrote a stream, by its content first and by its ports then.
@Suite struct RoleTests {
  private struct Roles: RecordSink {
    var roles: [StreamRole?] = []
    var reasons: [String] = []
    var wantsMore: Bool { true }
    mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
      roles.append(record.role)
      if case .unparsed(let reason) = record.content { reasons.append(reason) }
    }
  }

  private func roles(_ bytes: [UInt8], from: UInt16 = 1, to: UInt16 = 1, policy: RolePolicy = RolePolicy()) -> Roles {
    let route = ByteStream.Route(
      source: Endpoint(address: .v4(1), port: from), destination: Endpoint(address: .v4(2), port: to))
    var dissector = Dissector(.standard, policy: policy, into: Roles())
    dissector.open(ByteStream(number: 0, route: route))
    dissector.append(bytes.span, from: .input(offset: 0), to: 0)
    dissector.finish()
    return dissector.records
  }

  private let tuple: [UInt8] = [0x52, 0x8a, 0x12, 0x34, 0, 4, 1, 2, 3, 4]
  private let response: [UInt8] = [8, 8, 0, 0, 0, 7]
  private let notification: [UInt8] = [0, 0, 1, 9, 0, 2, 0x7b, 0x7d]

  /// Where content and port are silent, who answers is the gateway.
  @Test func directionDecidesLast() {
    let unknown: [UInt8] = [0xee, 1, 2, 3]
    for (number, isDirected, role) in [(0, true, StreamRole.provider), (1, true, .gateway), (1, false, .provider)] {
      for (bytes, expected) in [(unknown, role), (notification, .provider), (response, .gateway)] {
        var dissector = Dissector(.standard, into: Roles())
        dissector.open(ByteStream(number: number, isDirected: isDirected))
        dissector.append(bytes.span, from: .input(offset: 0), to: number)
        dissector.finish()
        #expect(dissector.records.roles.first == expected, "\(number) \(isDirected) \(bytes)")
      }
    }
  }

  @Test func contentDecidesOnAnyPort() {
    for port: UInt16 in [1, 2195, 2196, 443] {
      #expect(roles(tuple + tuple, from: port).roles == [.feedback, .feedback])
      #expect(roles(response, from: port).roles == [.gateway])
      #expect(roles(notification, to: port).roles == [.provider])
    }
  }

  @Test func feedbackIsFeedbackWhateverTheTimesSay() {
    for first: UInt8 in [0, 1, 2, 8, 0xff] {
      let odd = [first] + tuple.dropFirst()
      #expect(roles(odd + odd).roles == [.feedback, .feedback], "time starts with \(first)")
    }
  }

  /// A tuple that is cut by the end of the 64 KiB that decide.
  @Test(arguments: 0...9) func theLastTupleMayBeCut(_ size: Int) {
    let token = [UInt8](repeating: 9, count: 4 + (16 - size) % 10)
    let longer = Array(tuple.prefix(5)) + [UInt8(token.count)] + token
    let bytes = longer + (0..<6_600).flatMap { _ in tuple }
    #expect(((1 << 16) - longer.count) % tuple.count == size)
    #expect(roles(bytes).roles == [StreamRole?](repeating: .feedback, count: 6_601))
  }

  @Test func portDecidesWhereContentDoesNot() {
    let noise: [UInt8] = [0x99, 0x98, 0x97]
    #expect(roles(noise, from: 2196).roles == [.feedback])
    #expect(roles(noise, to: 2195).roles == [.provider])
    #expect(roles(noise, from: 2195).roles == [.gateway])
  }

  /// What a stream is taken for does not depend on how its bytes arrive.
  @Test func piecesChangeNothing() {
    let deviceMessage: [UInt8] = [0x0a, 0, 0, 1, 0, 0, 20, 250] + [UInt8](repeating: 7, count: 248) + [1, 0, 1, 9]
    let device: [UInt8] = [0x0a, 0, 0, 0, 24, 1, 0, 21] + [UInt8](repeating: 7, count: 21)
    let streams: [[UInt8]] = [
      deviceMessage, device, [8, 0] + device.dropFirst(2), Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8),
      tuple + tuple.dropLast(),
      [0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0], response + response, notification + tuple,
    ]
    for bytes in streams {
      for role in [nil, StreamRole.provider, .gateway, .feedback] {
        let whole = Shown.ndjson(bytes, role: role)
        #expect(Shown.ndjson(bytes, role: role, cuts: Array(bytes.indices)) == whole)
        #expect(Shown.ndjson(bytes, role: role, cuts: [6, 16].filter { $0 < bytes.count }) == whole)
      }
    }
  }

  @Test func theUserHasTheLastWord() {
    #expect(roles(response, policy: RolePolicy(role: .provider)).roles == [.provider])
    #expect(roles(tuple, from: 77, policy: RolePolicy(ports: [77: .push])).roles == [.gateway])
    #expect(roles(response, from: 77, policy: RolePolicy(ports: [77: .feedback])).roles == [.feedback])
  }

  @Test(arguments: [
    ("tls-records", [0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3] as [UInt8]),
    ("http2-preface", Array("PRI * HTTP/2.0\r\n\r\nSM".utf8)),
    ("http1-message", Array("GET / HTTP/1.1\r\n".utf8)), ("bare-json", Array(#"{"aps":{}}"#.utf8)),
  ])
  func otherProtocolsAreNamed(_ rule: String, _ bytes: [UInt8]) {
    for port: UInt16 in [2195, 2196] {
      #expect(roles(bytes, from: port).reasons == [rule])
    }
    for role in Catalog.standard.roles {
      #expect(roles(bytes, policy: RolePolicy(role: role)).reasons == [rule], "\(role)")
    }
  }

  /// A capture may begin anywhere: the rest of a frame looks like bare JSON, a tuple of 2030, or a response of status 216.
  @Test(arguments: [
    Array(#"{"aps":{"alert":"Hi"}}"#.utf8), [0x72, 0x22, 0x7d, 3, 0, 4, 0, 0, 0, 9],
    [8, 0xd8, 0x7d, 0xc9, 0x39, 0xf2],
  ])
  func theRestOfAFrameDecidesNothing(_ rest: [UInt8]) throws {
    let payload = Array(#"{"aps":{"alert":"Hi"}}"#.utf8)
    let digits = Array("fc13adff785122b4ad289a80982341241421348097878e577c991de8f01c9fa3".utf8)
    let token = try #require([UInt8](hexDigits: digits))
    let frame: [UInt8] = [1, 0, 0, 0, 7, 0x52, 0x8a, 0xaa, 0, 0, 32] + token + [0, 22] + payload
    for policy in [RolePolicy(), RolePolicy(role: .provider)] {
      let seen = roles(rest + frame + frame, policy: policy)
      #expect(seen.roles == [.provider, .provider, .provider])
      #expect(seen.reasons == ["unknown-command"])
    }
  }
}
