import APNSDiagnosis
import APNSInput
import APNSWire
import Octets

/// What a summary counts.
package struct SummaryCounts: Sendable {
  package private(set) var records = 0
  /// Bytes of streams, without missing ones.
  package private(set) var bytes = 0
  package private(set) var frames = 0
  private(set) var times: ClosedRange<CaptureTime>?
  /// By ``FrameRef/schema``.
  package private(set) var types: [Amount]
  package private(set) var timeline = Timeline()
  private(set) var sizes = Sizes()
  package internal(set) var payloads = Sizes()
  /// The number of error responses by status.
  package internal(set) var statuses = [Int](repeating: 0, count: 256)
  /// With the number of each token, in the order of first appearance.
  private(set) var tokens: [[UInt8]: (number: Int, count: Int)] = [:]
  /// The number of tokens that are not in `tokens`: they are too long or too many.
  private(set) var otherTokens = 0
  /// By number; without a route, if the input is not a capture.
  private(set) var connections: [Int: Connection] = [:]
  /// The number of records in further connections.
  private(set) var otherRecords = 0
  // The program defines the rules and the reasons, so these dictionaries are small.
  package private(set) var findings: [Finding.Severity: [String: Int]] = [:]
  var unparsed: [String: Amount] = [:]
  var gaps = Amount()
  var overlaps = Amount()
  private var remarks: [String] = []
  private var remarkCount = 0

  /// A number of records and their bytes. The conditions are those of frames.
  package struct Amount: Sendable {
    package fileprivate(set) var count = 0
    fileprivate(set) var bytes = 0
    fileprivate(set) var truncated = 0
    fileprivate(set) var malformed = 0

    init(sum amounts: [Self] = []) {
      for amount in amounts {
        count += amount.count
        bytes.add(amount.bytes)
        truncated += amount.truncated
        malformed += amount.malformed
      }
    }

    mutating func add(_ bytes: Int, _ condition: Record.Condition? = nil) {
      count += 1
      self.bytes.add(bytes)
      if condition == .truncated { truncated += 1 }
      if condition == .malformed { malformed += 1 }
    }
  }

  struct Connection: Sendable {
    /// From the provider to the service, as far as known.
    var route: ByteStream.Route?
    /// A bit for each stream with records.
    var streams: UInt8 = 0
    var fromProvider = 0
    var toProvider = 0
    var bytes = 0
  }

  /// The most tokens, and the most connections, that are counted one by one.
  private static let limit = 32_768
  /// In bytes. Device tokens have 32.
  private static let tokenLimit = 128
  private static let remarkLimit = 50

  init(types: Int) {
    self.types = [Amount](repeating: Amount(), count: types)
  }

  /// Counts what all records have in common.
  mutating func add(_ record: Record) {
    records += 1
    times.add(record)
    for finding in record.findings { findings[finding.severity, default: [:]][finding.rule, default: 0] += 1 }
    let size = if case .gap = record.content { 0 } else { record.count }
    bytes.add(size)
    let (number, isProvider) = (record.stream.connection, !record.wasReceived)
    guard connections.count < Self.limit || connections[number] != nil else {
      otherRecords += 1
      return
    }
    var connection = connections[number] ?? Connection()
    connection.streams |= 1 << UInt8(record.stream.number & 1)
    if let route = record.stream.route {
      connection.route = connection.route ?? (isProvider ? route : route.reversed)
      connection.bytes.add(size)
      if case .frame = record.content {
        if isProvider { connection.fromProvider += 1 } else { connection.toProvider += 1 }
      }
    }
    connections[number] = connection
  }

  /// The rules with findings and their numbers: errors first, then the most frequent.
  var findingsInOrder: [(severity: Finding.Severity, rule: String, count: Int)] {
    Finding.Severity.allCases.reversed().flatMap { severity in
      (findings[severity] ?? [:]).sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        .map { (severity, $0.key, $0.value) }
    }
  }

  /// `2 connections` if the input is a capture, `3 streams`, `24 frames`, and `255 bytes`.
  package var texts: [String] {
    let numbers = [
      (connections.values.count { $0.route != nil }, "connection"),
      (connections.values.reduce(0) { $0 + $1.streams.nonzeroBitCount }, "stream"),
    ]
    let streams = numbers.filter { $0.0 > 0 }.map { (otherRecords > 0 ? "at least " : "") + counted($0.0, $0.1) }
    let others = records == frames ? [] : [counted(records, "record")]
    return streams + [counted(frames, "frame")] + others + [byteText(bytes)]
  }

  /// Counts a frame of the type at this index in the catalog.
  mutating func add(_ type: Int?, _ condition: Record.Condition?, of record: Record) {
    frames += 1
    sizes.add(record.count)
    if let time = record.packets.first?.time { timeline.add(time) }
    if let type { types[type].add(record.count, condition) }
  }

  mutating func add(token: Span<UInt8>) {
    let (token, number) = ([UInt8](copying: token), tokens.count)
    guard token.count <= Self.tokenLimit, number < Self.limit || tokens[token] != nil else {
      otherTokens += 1
      return
    }
    tokens[token, default: (number, 0)].count += 1
  }

  mutating func note(_ remark: String) {
    remarkCount += 1
    if remarks.count < Self.remarkLimit { remarks.append(abridged(remark)) }
  }

  /// The first remarks, and the number of the others.
  func remarks(atMost most: Int) -> [String] {
    let others = remarkCount - min(remarks.count, most)
    return remarks.prefix(most) + (others > 0 ? ["and \(counted(others, "more remark"))"] : [])
  }
}

extension Record {
  /// Whether the service sent it, not the provider; nil if the sender is not known.
  var isFromService: Bool? { role.map { $0 != .provider } }

  /// Whether the service sent it. If the sender is not known, it is the one that did not open the connection.
  var wasReceived: Bool { isFromService ?? !stream.number.isMultiple(of: 2) }
}
