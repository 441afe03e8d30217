import APNSDiagnosis
import APNSInput
import APNSWire
import Testing

/// Every rule by its own samples: found in the bad ones, not found in the good ones, and gone when it is switched off.
@Suite struct RuleTests {
  @Test(arguments: Rules.all.filter { !$0.bad.isEmpty }) func findsWhatItSays(_ rule: Rule) {
    for sample in rule.bad {
      let found = findings(in: sample)
      #expect(found.contains { $0.rule == rule.id }, "\(sample.bytes)")
      #expect(!findings(in: sample, ignoring: [rule.id]).contains { $0.rule == rule.id })
      for finding in found {
        #expect(Rules[finding.rule] != nil, "\(finding.rule) is in no registry")
        #expect(!finding.message.isEmpty && !finding.fix.isEmpty)
        #expect(0...sample.bytes.count ~= finding.range.lowerBound && finding.range.upperBound <= sample.bytes.count)
      }
    }
    for sample in rule.good {
      #expect(!findings(in: sample).contains { $0.rule == rule.id }, "\(sample.bytes)")
    }
  }

  /// A rule that nothing shows could be switched off unseen.
  @Test func everyRuleOfAFrameHasSamples() {
    let ofStreams = [
      "missing-bytes", "overlapping-bytes", "no-frame-found", "proxy-header", "more-faults", "sender-fault",
      "search-ended",
      // Two streams show them, or several: see ConnectionRuleTests.
      "sent-after-answer", "second-answer", "no-close-after-answer", "push-on-feedback-port", "feedback-on-push-port",
      "feedback-client-writes", "rapid-connections",
    ]
    for rule in Rules.all where !ofStreams.contains(rule.id) {
      #expect(!rule.bad.isEmpty, "\(rule.id)")
    }
  }

  @Test func rowsAreWhole() {
    for rule in Rules.all {
      #expect(
        rule.id.utf8.allSatisfy { $0 == UInt8(ascii: "-") || (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) })
      #expect(!rule.title.isEmpty && !rule.why.isEmpty && !rule.source.isEmpty && !rule.fix.isEmpty, "\(rule.id)")
      #expect(rule.severity == .error || rule.refusals.isEmpty, "\(rule.id): what is accepted gets no reply")
    }
  }

  /// A user's severity counts for what is said and for what comes of it.
  @Test func severitiesCanBeChanged() {
    let sample = Rules["spare-bytes"]?.bad.first
    let found = sample.map { findings(in: $0, RulePolicy(severities: ["spare-bytes": .note])) }
    #expect(found?.first { $0.rule == "spare-bytes" }?.severity == .note)
  }
}

/// What is said about a sample, as a capture of its time where it has one.
func findings(in sample: Sample, ignoring ignored: Set<String> = []) -> [Finding] {
  findings(in: sample, RulePolicy(edition: sample.edition, ignored: ignored))
}

func findings(in sample: Sample, _ rules: RulePolicy) -> [Finding] {
  // A protocol that is not ours shows only where nobody says what the stream is.
  let isForeign = sample.role == .provider && ForeignProtocol.recognize(sample.bytes.span) != nil
  return findings(in: sample.bytes, isForeign ? nil : sample.role, rules, time: sample.time)
}

func findings(in bytes: [UInt8], _ role: StreamRole?, _ rules: RulePolicy, time: Int? = nil) -> [Finding] {
  var dissector = Dissector(.standard, policy: RolePolicy(role: role), rules: rules, into: Gathered())
  dissector.open(ByteStream(number: 0))
  let origin: Origin =
    time.map {
      .packet(Origin.Packet(number: 1, time: CaptureTime(seconds: $0, nanoseconds: 0, digits: 6)))
    } ?? .input(offset: 0)
  dissector.append(bytes.span, from: origin, to: 0)
  dissector.finish()
  return dissector.records.findings
}

private struct Gathered: RecordSink {
  var findings: [Finding] = []
  var wantsMore: Bool { true }
  mutating func take(_ record: Record, _ bytes: Span<UInt8>) { findings += record.findings }
}
