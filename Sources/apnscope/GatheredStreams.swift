import APNSDiagnosis
import APNSInput
import APNSWire

/// The bytes of streams, as they are read; gaps and what was sent twice are left out.
struct GatheredStreams: InputSink {
  private(set) var all: [Stream] = []
  private var indices: [Int: Int] = [:]
  var wantsMore: Bool { !Interrupt.isRaised }
  var showsLosses: Bool { true }

  struct Stream {
    let number: Int
    var role: StreamRole?
    var bytes: [UInt8] = []
  }

  mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
    switch record.content {
    case .gap, .overlap: return
    default: break
    }
    let index = indices[record.stream.number] ?? all.count
    if index == all.count {
      indices[record.stream.number] = index
      all.append(Stream(number: record.stream.number))
    }
    all[index].role = all[index].role ?? record.role
    all[index].bytes.append(contentsOf: bytes)
  }

  mutating func note(_ name: String, isEmpty: Bool, remark: String?) {}
}

extension Inputs {
  /// Reads everything, and fails where something cannot be read.
  func gathered(_ roles: RoleOptions) throws -> [GatheredStreams.Stream] {
    var dissector = Dissector(
      .standard, policy: roles.policy, recovers: !roles.believesLengths, into: GatheredStreams())
    let failures = read(try sources(), into: &dissector, quiet: true, progress: nil)
    if let failure = failures.first { throw failure }
    return dissector.records.all
  }
}

/// The rules that find something in a stream, each once, in order.
func rulesBroken(by bytes: [UInt8], _ role: StreamRole, _ policy: RulePolicy) -> [Finding] {
  struct Findings: RecordSink {
    var all: [Finding] = []
    var wantsMore: Bool { true }
    mutating func take(_ record: Record, _ bytes: Span<UInt8>) { all += record.findings }
  }
  var dissector = Dissector(.standard, policy: RolePolicy(role: role), rules: policy, into: Findings())
  dissector.open(ByteStream(number: 0))
  dissector.append(bytes.span, from: .input(offset: 0), to: 0)
  dissector.finish()
  return dissector.records.all
}
