import APNSDiagnosis
import APNSWire

/// What is found in a stream, without the bytes that it is found in. Keeps a mark of each record alone: frames may be
/// small, and their findings many.
struct Trace: Equatable {
  struct Entry: Hashable {
    let offset: Int
    let count: Int
    let role: StreamRole?
    let content: Content
    let findings: [Found]
  }

  enum Content: Hashable {
    case frame(FrameRef, Record.Condition?)
    case unparsed(String)
    case gap
    case overlap(Int)
  }

  struct Found: Hashable {
    let rule: String
    let severity: Finding.Severity
    let range: Range<Int>
    let answer: GatewayReply?
    let cause: String?
    let causeRange: Range<Int>?
  }

  private(set) var marks: [Int] = []

  mutating func add(_ record: Record) { marks.append(Self.mark(record)) }

  static func mark(_ record: Record) -> Int { entry(record).hashValue }

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
        Found(
          rule: $0.rule, severity: $0.severity, range: $0.range, answer: $0.answer, cause: $0.cause?.id,
          causeRange: $0.cause?.range)
      })
  }

  /// The first record that is not the same in both; nil where all are.
  func firstDifference(from other: Trace) -> Int? {
    let same = zip(marks, other.marks).prefix { $0 == $1 }.count
    return same < max(marks.count, other.marks.count) ? same : nil
  }
}

extension Difference {
  /// What is not the same in two records; one is nil where there is no other.
  init(_ entry: Trace.Entry?, _ now: Trace.Entry?) {
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
      self.init(offset: after.range.lowerBound, what: "\(after.rule) is found")
    } else {
      self.init(offset: entry.offset, what: "the bytes form another frame")
    }
  }
}

/// Where two readings of a stream part.
public struct Difference: Sendable, Hashable {
  public let offset: Int
  /// A clause.
  public let what: String
}

/// Compares what is found with what was found, and wants no more once they part.
struct Comparison: RecordSink {
  private let expected: Trace
  private var next = 0
  private(set) var isSame = true
  /// Up to here it was read.
  private(set) var reached = 0

  init(with expected: Trace) { self.expected = expected }

  var wantsMore: Bool { isSame }
  var isComplete: Bool { isSame && next == expected.marks.count }

  mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
    guard isSame else { return }
    isSame = next < expected.marks.count && expected.marks[next] == Trace.mark(record)
    next += 1
    reached = record.offset + record.count
  }
}

/// Keeps a mark of each record, and one record.
struct Tracer: RecordSink {
  var trace = Trace()
  /// The record that is kept, counted from 0.
  var kept: Int?
  private(set) var entry: Trace.Entry?

  init(keeping kept: Int? = nil) { self.kept = kept }

  var wantsMore: Bool { entry == nil }

  mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
    if trace.marks.count == kept { entry = Trace.entry(record) }
    trace.add(record)
  }
}
