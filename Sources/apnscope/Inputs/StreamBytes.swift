import APNSDiagnosis
import APNSInput
import APNSWire
import Octets

/// Collects the bytes of streams without gaps and overlaps.
struct StreamBytes: InputSink {
  private(set) var all: [Stream] = []
  private var indices: [Int: Int] = [:]

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
}

extension InputOptions {
  /// Reads the streams of all sources; throws if any of them fails.
  func streams(_ settings: StreamSettings) throws(Failure) -> [StreamBytes.Stream] {
    var dissector = settings.dissector(into: StreamBytes())
    let failures = read(try sources(), by: settings.definitions, into: &dissector)
    if let failure = failures.first { throw failure }
    return dissector.records.all
  }
}

extension Definitions {
  /// The findings in a stream that satisfy `isWanted`.
  func findings(
    in bytes: [UInt8], _ role: StreamRole, _ policy: RulePolicy, onlyFirst: Bool = false,
    isWanted: @escaping (Finding) -> Bool = { _ in true }
  ) -> [Finding] {
    struct Findings: RecordSink {
      let onlyFirst: Bool
      let isWanted: (Finding) -> Bool
      var all: [Finding] = []
      var wantsMore: Bool { !onlyFirst || all.isEmpty }
      mutating func take(_ record: Record, _ bytes: Span<UInt8>) { all += record.findings.filter(isWanted) }
    }
    let findings = Findings(onlyFirst: onlyFirst, isWanted: isWanted)
    var dissector = Dissector(self, policy: RolePolicy(role: role), rules: policy, into: findings)
    dissector.open(ByteStream(number: 0))
    dissector.append(bytes.span, from: .input(offset: 0), to: 0)
    dissector.finish()
    return dissector.records.all
  }
}
