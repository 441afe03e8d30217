import APNSDiagnosis
import APNSInput
import APNSViews
import APNSWire
import Octets
import TestSupport
import Testing

/// Streams of six frames by senders with 68 bugs, written by programs that share no code with the reader.
@Suite struct SenderTests {
  struct Sample: Decodable {
    let name: String
    /// What is to be named; nil where the bytes say too little.
    let cause: String?
    /// Causes that may be named beside it, or in place of it where one frame alone shows the bug.
    let also: [String]
    let stream: String
    /// What the sender meant; nil where that is another text than it wrote.
    let meant: String?
  }

  static let samples: [Sample] = Samples.lines(of: "malformed/senders.ndjson")

  @Test func bugsAreNamed() {
    #expect(Self.samples.count == 217)
    var (named, silent, wrong) = (0, [] as [String], [] as [String])
    for sample in Self.samples {
      let found = Set(Self.causes(in: sample).map(\.id))
      let allowed = Set([sample.cause].compactMap { $0 } + sample.also)
      if !found.isSubset(of: allowed) { wrong.append("\(sample.name): \(found.sorted())") }
      guard sample.cause != nil else { continue }
      if found.isEmpty { silent.append(sample.name) } else { named += 1 }
    }
    #expect(wrong.isEmpty)
    #expect(named >= 160, "\(silent)")
  }

  /// What is written as a repair is the stream that was meant.
  @Test func repairsAreRight() {
    var (right, wrong) = (0, [] as [String])
    for sample in Self.samples {
      guard let meant = sample.meant.flatMap({ [UInt8](hexDigits: Array($0.utf8)) }) else { continue }
      let bytes = [UInt8](hexDigits: Array(sample.stream.utf8)) ?? []
      let causes = Self.causes(in: sample).filter { $0.repaired != nil }
      guard !causes.isEmpty else { continue }
      if Self.repaired(bytes, causes) == meant { right += 1 } else { wrong.append(sample.name) }
    }
    #expect(wrong.count <= 2, "\(wrong)")
    #expect(right >= 120, "\(right)")
  }

  private static func repaired(_ bytes: [UInt8], _ causes: [Cause]) -> [UInt8] {
    var repaired: [UInt8] = []
    var position = 0
    for cause in causes where cause.range.lowerBound >= position {
      repaired += bytes[position..<cause.range.lowerBound] + (cause.repaired ?? [])
      position = cause.range.upperBound
    }
    return repaired + bytes[position...]
  }

  static func causes(in sample: Sample) -> [Cause] {
    Shown([UInt8](hexDigits: Array(sample.stream.utf8)) ?? [], as: RawView(), role: nil).records.flatMap {
      $0.findings.compactMap(\.cause)
    }
  }
}
