import APNSDiagnosis
import APNSInput
import APNSWire
import Octets

/// What is said about the bytes of one stream, all of them captured at `time`.
func findings(
  in bytes: [UInt8], role: StreamRole = .provider, edition: Edition = .standard, time: Int? = nil,
  definitions: Definitions = .standard, recovers: Bool = true
) -> [Finding] {
  var stream = JudgedStream(
    RulePolicy(edition: edition), role: role, time: time, definitions: definitions, recovers: recovers)
  stream.append(bytes)
  return stream.finish()
}

/// Streams of one input, and what is said about them.
struct JudgedStream: ~Copyable {
  private var dissector: Dissector<Gathered>
  private let origin: Origin

  init(
    _ rules: RulePolicy = RulePolicy(), role: StreamRole = .provider, time: Int? = nil,
    definitions: Definitions = .standard, recovers: Bool = true, streams: Int = 1
  ) {
    dissector = Dissector(
      definitions, policy: RolePolicy(role: role), rules: rules, recovers: recovers, into: Gathered())
    origin =
      time.map {
        .packet(Origin.Packet(number: 1, time: CaptureTime(seconds: $0, nanoseconds: 0, digits: 6)))
      } ?? .input(offset: 0)
    for number in 0..<streams { dissector.open(ByteStream(number: number)) }
  }

  mutating func append(_ bytes: [UInt8], to stream: Int = 0) {
    dissector.append(bytes.span, from: origin, to: stream)
  }

  /// Closes it and opens it anew.
  mutating func reopen(_ stream: Int) {
    dissector.close(stream, .open)
    dissector.open(ByteStream(number: stream))
  }

  /// What was said since the last call.
  mutating func takeFindings() -> [Finding] {
    let findings = dissector.records.findings
    dissector.records.findings = []
    return findings
  }

  mutating func finish() -> [Finding] {
    dissector.finish()
    return takeFindings()
  }

  var searchWork: Int { dissector.searchWork }

  struct Gathered: RecordSink {
    var findings: [Finding] = []
    var wantsMore: Bool { true }
    mutating func take(_ record: Record, _ bytes: Span<UInt8>) { findings += record.findings }
  }
}

// Frames by hand, so that no schema stands between a test and its bytes.

let goodToken: [UInt8] = (0..<32).map { UInt8(truncatingIfNeeded: 0xfc &- $0 &* 37) }
let goodPayload = Array(#"{"aps":{"alert":"Hi"}}"#.utf8)

/// Most significant byte first.
func bigEndian(_ value: Int, _ width: Int) -> [UInt8] {
  (0..<width).map { UInt8(truncatingIfNeeded: value >> ((width - 1 - $0) * 8)) }
}

func counted(_ bytes: [UInt8]) -> [UInt8] { bigEndian(bytes.count, 2) + bytes }

func legacy(_ token: [UInt8] = goodToken, _ payload: [UInt8] = goodPayload) -> [UInt8] {
  [0] + counted(token) + counted(payload)
}

func enhanced(
  _ identifier: Int = 7, _ expiry: Int = 1_384_819_200, _ token: [UInt8] = goodToken,
  _ payload: [UInt8] = goodPayload
) -> [UInt8] {
  [1] + bigEndian(identifier, 4) + bigEndian(expiry, 4) + counted(token) + counted(payload)
}

func notification(
  _ identifier: Int? = 7, _ expiry: Int = 1_384_819_200, _ token: [UInt8] = goodToken,
  _ payload: [UInt8] = goodPayload, priority: UInt8 = 10
) -> [UInt8] {
  var items = [1] + counted(token) + [2] + counted(payload)
  if let identifier { items += [3, 0, 4] + bigEndian(identifier, 4) }
  items += [4, 0, 4] + bigEndian(expiry, 4) + [5, 0, 1, priority]
  return [2] + bigEndian(items.count, 4) + items
}

func feedback(_ time: Int = 1_384_732_800, _ token: [UInt8] = goodToken) -> [UInt8] {
  bigEndian(time, 4) + counted(token)
}
