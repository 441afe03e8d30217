import APNSDiagnosis
import APNSInput
import APNSWire
import TestSupport
import Testing

/// Findings that are only counted are as many as those that come with sentences.
@Suite struct CountedFindingsTests {
  @Test func countsAreTheSame() {
    var random = RandomStream(seed: 5)
    for _ in 0..<40 {
      var bytes: [UInt8] = []
      let unit = random.any()
      while bytes.count < 4000, !unit.isEmpty { bytes += unit }
      let counted = totals(of: bytes, counts: true)
      let listed = totals(of: bytes, counts: false)
      #expect(counted.rules == listed.rules, "\(unit)")
      #expect(counted.frames == listed.frames)
    }
  }

  /// Hardly a frame of many that are alike comes as a record.
  @Test func framesAlikeAreCounted() {
    let sink = totals(of: Array(repeatElement([2, 0, 0, 0, 0], count: 1000).joined()), counts: true)
    #expect(sink.frames == 1000)
    #expect(sink.records < 20)
  }

  private func totals(of bytes: [UInt8], counts: Bool) -> Totals {
    var dissector = Dissector(
      .standard, policy: RolePolicy(role: .provider), counting: counts ? Counting(after: 5) : nil, into: Totals())
    dissector.open(ByteStream(number: 0))
    dissector.append(bytes.span, from: .input(offset: 0), to: 0)
    dissector.finish()
    return dissector.records
  }

  private struct Totals: RecordSink {
    struct Key: Hashable {
      let rule: String
      let severity: Finding.Severity
    }

    var rules: [Key: [Int]] = [:]
    var frames = 0
    var records = 0
    var wantsMore: Bool { true }

    mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
      records += 1
      if case .frame = record.content { frames += 1 }
      var seen: Set<Key> = []
      for finding in record.findings {
        let key = Key(rule: finding.rule, severity: finding.severity)
        add(1, in: seen.insert(key).inserted ? 1 : 0, key)
      }
    }

    mutating func count(_ counted: CountedFrames) {
      frames += counted.count
      for finding in counted.findings {
        add(finding.count, in: finding.frames, Key(rule: finding.rule, severity: finding.severity))
      }
    }

    private mutating func add(_ findings: Int, in frames: Int, _ key: Key) {
      let known = rules[key] ?? [0, 0]
      rules[key] = [known[0] + findings, known[1] + frames]
    }
  }
}
