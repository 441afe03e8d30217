import APNSInput
import APNSWire

/// What every view shows: one frame, or bytes that belong to none, or bytes that are missing. Records tile a stream.
public struct Record: Sendable {
  public let stream: ByteStream
  /// Which of the inputs its first byte came from, counted from 0.
  public let input: Int
  /// Who wrote the stream; nil where it could not be told.
  public let role: StreamRole?
  /// Counted from 1 within the stream.
  public let number: Int
  /// In the stream, of the first byte.
  public let offset: Int
  /// Bytes of the stream; of a gap, the missing ones.
  public let count: Int
  public let content: Content
  public package(set) var findings: [Finding]
  /// The packets that carried it, in stream order; empty outside captures.
  public let packets: [Origin.Packet]
  /// Line and column of each byte, for bytes that were written as text.
  public let positions: [Origin.TextPosition]

  public enum Content: Sendable {
    /// Its offsets count from the record's first byte.
    case frame(FrameRef, Condition?)
    case unparsed(reason: String)
    case gap
    /// Other bytes for a place of the stream that was taken already, at this offset. It counts no byte of the stream.
    case overlap(at: Int)
  }

  /// In the stream, of the first byte that comes with the record.
  public var firstByte: Int {
    if case .overlap(let place) = content { place } else { offset }
  }

  /// What is wrong with the structure of a frame; nil for a whole one.
  public enum Condition: String, Sendable {
    case truncated
    case malformed
  }
}

/// Frames that do not come as records.
public struct PassedFrames: Sendable {
  public internal(set) var count = 0
  /// Those with findings above notes.
  public internal(set) var bad = 0
  /// What is only counted: how many findings, in how many frames.
  public internal(set) var findings: [(rule: String, severity: Finding.Severity, count: Int, frames: Int)] = []

  /// Adds a frame with these findings.
  mutating func add(_ counted: [CountedFinding]) {
    count += 1
    if counted.contains(where: { $0.severity > .note }) { bad += 1 }
    add(counted, times: 1)
  }

  /// Adds the findings of several frames, each of which has these.
  mutating func add(_ counted: [CountedFinding], times: Int) {
    for finding in counted {
      if let index = findings.firstIndex(where: { $0.rule == finding.rule && $0.severity == finding.severity }) {
        findings[index].count += finding.count * times
        findings[index].frames += times
      } else {
        findings.append((finding.rule, finding.severity, finding.count * times, times))
      }
    }
  }
}

/// Findings of one frame that nothing is said about but how many there are.
struct CountedFinding: Sendable, Hashable {
  let rule: String
  let severity: Finding.Severity
  var count: Int
}

/// Rules of which the sink has enough findings, by severity. Few, so looking through them is faster than hashing.
struct EnoughFindings {
  private var rules: [(id: String, severities: UInt8)] = []

  func contains(_ rule: String, _ severity: Finding.Severity) -> Bool {
    for index in rules.indices where rules[index].id == rule { return rules[index].severities & severity.bit != 0 }
    return false
  }

  mutating func insert(_ rule: String, _ severity: Finding.Severity) {
    if let index = rules.firstIndex(where: { $0.id == rule }) {
      rules[index].severities |= severity.bit
    } else {
      rules.append((rule, severity.bit))
    }
  }
}

/// Takes records with their bytes, in order.
public protocol RecordSink: ~Copyable {
  mutating func take(_ record: Record, _ bytes: Span<UInt8>)
  /// Nothing more comes of this stream, whose role may never have been told.
  mutating func end(of stream: ByteStream, _ role: StreamRole?, _ ending: StreamEnding)
  /// Nothing more comes of this connection. Only captures say so before the input is over.
  mutating func end(of connection: Int)
  var wantsMore: Bool { get }
  /// Whether more input should be read; what was read is still taken.
  var wantsInput: Bool { get }
  /// Nothing more has come for now.
  mutating func pause()
  /// Whole frames without a finding need not come as records: how many there are is enough.
  var countsFaultless: Bool { get }
  /// Nor need frames with findings of this rule that weigh so, and no others: enough of them have come as records.
  func hasEnough(of rule: String, _ severity: Finding.Severity) -> Bool
  /// So many whole frames come next in a stream, with findings that are only counted.
  mutating func pass(_ frames: PassedFrames, of stream: ByteStream)
}

extension RecordSink where Self: ~Copyable {
  public var wantsInput: Bool { wantsMore }
  public mutating func end(of stream: ByteStream, _ role: StreamRole?, _ ending: StreamEnding) {}
  public mutating func end(of connection: Int) {}
  public mutating func pause() {}
  public var countsFaultless: Bool { false }
  public func hasEnough(of rule: String, _ severity: Finding.Severity) -> Bool { false }
  public mutating func pass(_ frames: PassedFrames, of stream: ByteStream) {}
}
