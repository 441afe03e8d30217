import APNSInput
import APNSWire

/// All findings about the bytes of one stream, in the order of its frames.
///
/// - Parameters:
///   - bytes: the complete stream.
///   - role: the sender of the stream; nil recognizes it by its content.
///   - edition: the edition of Apple's guide to apply.
///   - definitions: the frame types and rules to apply.
public func findings(
  in bytes: Span<UInt8>, role: StreamRole? = nil, edition: Edition = .standard, by definitions: Definitions
) -> [Finding] {
  var dissector = Dissector(
    definitions, policy: RolePolicy(role: role), rules: RulePolicy(edition: edition), into: FindingList())
  dissector.open(ByteStream(number: 0))
  dissector.append(bytes, from: .input(offset: 0), to: 0)
  dissector.finish()
  return dissector.records.findings
}

/// All findings about the bytes of one stream, in the order of its frames. The parameters are those of the function for
/// spans.
public func findings(
  in bytes: [UInt8], role: StreamRole? = nil, edition: Edition = .standard, by definitions: Definitions
) -> [Finding] {
  findings(in: bytes.span, role: role, edition: edition, by: definitions)
}

private struct FindingList: RecordSink {
  private(set) var findings: [Finding] = []
  var wantsMore: Bool { true }

  mutating func take(_ record: Record, _ bytes: Span<UInt8>) { findings += record.findings }
}
