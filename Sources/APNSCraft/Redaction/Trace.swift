import APNSDiagnosis
import APNSWire

/// What is found in a stream, without the bytes that it is found in.
struct Trace: Equatable {
  struct Entry: Equatable {
    let offset: Int
    let count: Int
    let role: StreamRole?
    let content: Content
    let findings: [Found]
  }

  enum Content: Equatable {
    case frame(FrameRef, Record.Condition?)
    case unparsed(String)
    case gap
    case overlap(Int)
  }

  struct Found: Equatable {
    let rule: String
    let severity: Finding.Severity
    let range: Range<Int>
    let answer: GatewayReply?
    let cause: String?
    let causeRange: Range<Int>?
  }

  private(set) var entries: [Entry] = []

  mutating func add(_ record: Record) { entries.append(Self.entry(record)) }

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

  /// Says what the first difference is.
  func difference(from other: Trace) -> Difference? {
    for (index, entry) in entries.enumerated() {
      guard index < other.entries.count else { return Difference(offset: entry.offset, what: "a record is missing") }
      let now = other.entries[index]
      if entry == now { continue }
      let before = entry.findings.first { !now.findings.contains($0) }
      let after = now.findings.first { !entry.findings.contains($0) }
      if let before { return Difference(offset: before.range.lowerBound, what: "\(before.rule) is found no more") }
      if let after { return Difference(offset: after.range.lowerBound, what: "\(after.rule) is found") }
      return Difference(offset: entry.offset, what: "the bytes are another frame")
    }
    guard let more = other.entries.dropFirst(entries.count).first else { return nil }
    return Difference(offset: more.offset, what: "there is another record")
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
  var isComplete: Bool { isSame && next == expected.entries.count }

  mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
    guard isSame else { return }
    isSame = next < expected.entries.count && expected.entries[next] == Trace.entry(record)
    next += 1
    reached = record.offset + record.count
  }
}

/// Keeps all.
struct Tracer: RecordSink {
  var trace = Trace()
  var wantsMore: Bool { true }
  mutating func take(_ record: Record, _ bytes: Span<UInt8>) { trace.add(record) }
}
