import APNSInput
import APNSWire

/// Everything that the rules find in the bytes of one stream, in the order of its frames.
///
/// - Parameters:
///   - bytes: the stream from its first byte to its last.
///   - role: who wrote the stream; nil recognizes it by its content.
///   - edition: the text of Apple's that the bytes are judged by.
///   - definitions: the frame types and rules to go by.
public func findings(
  in bytes: Span<UInt8>, role: StreamRole? = nil, edition: Edition = .standard, by definitions: Definitions = .standard
) -> [Finding] {
  var dissector = Dissector(
    definitions, policy: RolePolicy(role: role), rules: RulePolicy(edition: edition), into: FindingList())
  dissector.open(ByteStream(number: 0))
  dissector.append(bytes, from: .input(offset: 0), to: 0)
  dissector.finish()
  return dissector.records.findings
}

/// The same for an array.
public func findings(
  in bytes: [UInt8], role: StreamRole? = nil, edition: Edition = .standard, by definitions: Definitions = .standard
) -> [Finding] {
  findings(in: bytes.span, role: role, edition: edition, by: definitions)
}

private struct FindingList: RecordSink {
  private(set) var findings: [Finding] = []
  var wantsMore: Bool { true }

  mutating func take(_ record: Record, _ bytes: Span<UInt8>) { findings += record.findings }
}
