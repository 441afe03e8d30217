import APNSDiagnosis
import APNSWire

/// The findings of a stream without its bytes. Only a fingerprint of each record is stored, because small frames may
/// have many findings.
struct FindingTrace: Equatable {
  struct Entry: Hashable {
    let offset: Int
    let count: Int
    let role: StreamRole?
    let content: Content
    let findings: [FindingSummary]
  }

  enum Content: Hashable {
    case frame(FrameRef, Record.Condition?)
    case unparsed(String)
    case gap
    case overlap(Int)
  }

  struct FindingSummary: Hashable {
    let rule: String
    let severity: Finding.Severity
    let range: Range<Int>
    let answer: GatewayReply?
    let cause: String?
    let causeRange: Range<Int>?
  }

  private(set) var fingerprints: [Int] = []

  mutating func add(_ record: Record) { fingerprints.append(Self.fingerprint(record)) }

  static func fingerprint(_ record: Record) -> Int { entry(record).hashValue }

  static func entry(_ record: Record) -> Entry {
    let content: Content =
      switch record.content {
      case .frame(let frame, let condition): .frame(frame, condition)
      case .unparsed(let reason): .unparsed(reason)
      case .gap: .gap
      case .overlap(let place): .overlap(place)
      }
    return Entry(
      offset: record.offset, count: record.count, role: record.role, content: content,
      findings: record.findings.map {
        FindingSummary(
          rule: $0.rule, severity: $0.severity, range: $0.range, answer: $0.answer, cause: $0.cause?.id,
          causeRange: $0.cause?.range)
      })
  }

  /// The index of the first record that differs; nil if there is none.
  func firstDifference(from other: FindingTrace) -> Int? {
    let same = zip(fingerprints, other.fingerprints).prefix { $0 == $1 }.count
    return same < max(fingerprints.count, other.fingerprints.count) ? same : nil
  }
}

extension Difference {
  /// Describes how two records differ. Nil means that there is no such record.
  init(_ entry: FindingTrace.Entry?, _ now: FindingTrace.Entry?) {
    guard let entry else {
      self.init(offset: now?.offset ?? 0, what: "there is another record")
      return
    }
    guard let now else {
      self.init(offset: entry.offset, what: "a record is missing")
      return
    }
    if let before = entry.findings.first(where: { !now.findings.contains($0) }) {
      self.init(offset: before.range.lowerBound, what: "\(before.rule) is no longer found")
    } else if let after = now.findings.first(where: { !entry.findings.contains($0) }) {
      self.init(offset: after.range.lowerBound, what: "\(after.rule) is a new finding")
    } else {
      self.init(offset: entry.offset, what: "the bytes form another frame")
    }
  }
}

/// The first difference between two dissections of a stream.
public struct Difference: Sendable, Hashable {
  /// Offset in the stream.
  public let offset: Int
  /// A clause that describes the difference.
  public let what: String
}

/// Compares the findings of a stream with expected ones, and stops at the first difference.
struct TraceComparison: RecordSink {
  private let expected: FindingTrace
  private var next = 0
  private(set) var isSame = true
  /// The offset up to which the stream was read.
  private(set) var reached = 0

  init(with expected: FindingTrace) { self.expected = expected }

  var wantsMore: Bool { isSame }
  var isComplete: Bool { isSame && next == expected.fingerprints.count }

  mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
    guard isSame else { return }
    isSame = next < expected.fingerprints.count && expected.fingerprints[next] == FindingTrace.fingerprint(record)
    next += 1
    reached = record.offset + record.count
  }
}

/// Stores a fingerprint of each record, and one complete entry.
struct TraceRecorder: RecordSink {
  var trace = FindingTrace()
  /// The index of the record whose entry is stored, counted from 0.
  var kept: Int?
  private(set) var entry: FindingTrace.Entry?

  init(keeping kept: Int? = nil) { self.kept = kept }

  var wantsMore: Bool { entry == nil }

  mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
    if trace.fingerprints.count == kept { entry = FindingTrace.entry(record) }
    trace.add(record)
  }
}
