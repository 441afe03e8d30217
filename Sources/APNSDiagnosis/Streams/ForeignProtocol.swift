import APNSInput
import APNSWire
import Octets

/// Other protocols that occur on the same ports and in the same files. Each is named in one sentence, with a fix.
package final class ForeignProtocol: Sendable {
  /// The rule that reports it.
  package let rule: Rule
  /// Whether the protocol is readable text. Other protocols may not be what they seem.
  let isReadable: Bool
  /// Whether bytes begin with its signature.
  private let matches: @Sendable (Span<UInt8>) -> Bool

  private init(_ rule: Rule, isReadable: Bool = false, matches: @escaping @Sendable (Span<UInt8>) -> Bool) {
    (self.rule, self.isReadable, self.matches) = (rule, isReadable, matches)
  }

  private static let all = [
    ForeignProtocol(.tlsRecords) { bytes in
      bytes.count >= 5 && 0x14...0x17 ~= bytes[0] && bytes[1] == 3 && bytes[2] <= 4
        && 1...(1 << 14 + 1 << 11) ~= Int(bytes.bigEndian(3, width: 2))
    },
    ForeignProtocol(.http2Preface) { $0.begins(with: "PRI * HTTP/2") },
    ForeignProtocol(.http1Message, isReadable: true) { bytes in
      ["GET /", "POST /", "CONNECT ", "HTTP/1."].contains { bytes.begins(with: $0) }
    },
    ForeignProtocol(.bareJSON, isReadable: true) { $0.begins(with: "{\"") || $0.begins(with: "[{\"") },
  ]

  /// The protocol whose signature `head` begins with; nil if there is none.
  package static func recognize(_ head: Span<UInt8>) -> ForeignProtocol? { all.first { $0.matches(head) } }

  /// The recommended next step. The text contains the service's port if the stream has one.
  package func fix(for stream: ByteStream? = nil) -> String {
    guard let stream, let route = stream.route else { return rule.fix }
    let service = stream.number.isMultiple(of: 2) ? route.destination : route.source
    return rule.fix.replacing(Self.port, with: String(service.port))
  }

  fileprivate static let port = "PORT"

  /// The rules of all protocols.
  static let rules = all.map(\.rule)

  /// Whether a finding or record with this ``Rule/id`` is about another protocol.
  static func isRule(_ id: String) -> Bool { rules.contains { $0.id == id } }
}

private let notFrames = "It contains no frames of the binary protocol."

extension Rule {
  package static let tlsRecords = Rule(
    "tls-records", .error, "these are TLS records: the stream is still encrypted", why: notFrames,
    source: "RFC 8446, 5.1, Record Layer",
    fix: "decrypt first: tshark -r FILE -o tls.keylog_file:KEYS -d tls.port==\(ForeignProtocol.port),data "
      + "-U 'OSI layer 7' -w plain.pcapng (leave out -o if the capture contains its secrets); then apnscope "
      + "plain.pcapng",
    bad: [.hex("1603 0100 0501 0000 0100")])

  package static let http2Preface = Rule(
    "http2-preface", .error, "this is HTTP/2: the provider API that replaced the binary protocol", why: notFrames,
    source: "RFC 9113, 3.4, HTTP/2 Connection Preface",
    fix: "open it with an HTTP/2 tool; apnscope reads only the binary protocol",
    bad: [.hex("50524920 2a204854 54502f32 2e300d0a 0d0a534d 0d0a0d0a")])

  package static let http1Message = Rule(
    "http1-message", .error, "this is HTTP/1, not the binary protocol", why: notFrames,
    source: "RFC 9112, 2.1, Message Format",
    fix: "find the client that sends HTTP to this port, or the proxy that answers instead of APNs",
    bad: [.hex("474554202f20485454502f312e310d0a0d0a"), .hex("485454502f312e3120343030")])

  package static let bareJSON = Rule(
    "bare-json", .error, "this is JSON without a frame around it", why: notFrames,
    source: "RFC 4627, 2.2: an object begins with {",
    fix:
      "if a provider wrote it, wrap it: apnscope encode --command 2 --token HEX --payload @FILE; the gateway and the "
      + "feedback service never write JSON",
    bad: [.hex("7b22617073223a7b22616c657274223a224869227d7d")])
}

extension Span<UInt8> {
  fileprivate func begins(with text: String) -> Bool {
    holds(text.utf8, at: 0, limit: count)
  }
}
