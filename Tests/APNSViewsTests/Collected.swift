import APNSDiagnosis
import APNSInput
import APNSWire

/// Records with their bytes, kept.
struct Collected: RecordSink {
  private var all: [(Record, [UInt8])] = []
  var wantsMore: Bool { true }

  mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
    var copy: [UInt8] = []
    for index in bytes.indices { copy.append(bytes[index]) }
    all.append((record, copy))
  }

  /// Those of one stream of raw bytes, which is the input of that number.
  static func records(
    of bytes: [UInt8], role: StreamRole? = nil, rules: RulePolicy = RulePolicy(), input: Int = 0
  ) -> [(record: Record, bytes: [UInt8])] {
    var dissector = Dissector(.standard, policy: RolePolicy(role: role), rules: rules, into: Collected())
    dissector.begin(input: input)
    dissector.open(ByteStream(number: 0))
    dissector.append(bytes.span, from: .input(offset: 0), to: 0)
    dissector.finish()
    return dissector.records.all.map { ($0.0, $0.1) }
  }
}
