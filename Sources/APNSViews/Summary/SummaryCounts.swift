import APNSDiagnosis
import APNSInput
import APNSWire

/// What a summary counts.
package struct SummaryCounts: Sendable {
  package private(set) var records = 0
  package private(set) var streams = NumberSet()
  /// Connections in captures.
  package private(set) var connections = NumberSet()
  /// Bytes of streams, without missing ones.
  package private(set) var bytes = 0
  package private(set) var frames = 0
  package private(set) var firstTime: CaptureTime?
  package private(set) var lastTime: CaptureTime?
  /// By ``FrameRef/schema``.
  package private(set) var types: [FrameType]
  package private(set) var timeline = Timeline()
  private(set) var sizes = Sizes()
  package internal(set) var payloads = Sizes()
  /// The number of error responses by status.
  package internal(set) var statuses = [Int](repeating: 0, count: 256)
  private(set) var tokens = Frequent<TokenKey, Token>(limit: 4096)
  private(set) var busiest = Frequent<Int, Connection>(limit: 2048)
  // The program defines the rules and the reasons, so these dictionaries are small.
  package private(set) var findings: [Finding.Severity: [String: Int]] = [:]
  var unparsed: [String: Amount] = [:]
  var gaps = Amount()
  var overlaps = Amount()
  private(set) var remarks: [String] = []
  private(set) var unshownRemarks = 0

  package struct FrameType: Sendable {
    package private(set) var count = 0
    private(set) var bytes = 0
    private(set) var truncated = 0
    private(set) var malformed = 0

    mutating func add(_ condition: Record.Condition?, bytes: Int) {
      count += 1
      self.bytes.add(bytes)
      if condition == .truncated { truncated += 1 }
      if condition == .malformed { malformed += 1 }
    }

    mutating func add(_ other: Self) {
      count += other.count
      bytes.add(other.bytes)
      truncated += other.truncated
      malformed += other.malformed
    }
  }

  struct Token: Sendable {
    /// The token's number, in the order of first appearance.
    let number: Int
    var count = 0
  }

  struct Connection: Sendable {
    /// From the provider to the service, as far as known.
    let route: ByteStream.Route
    var fromProvider = 0
    var toProvider = 0
    var bytes = 0
  }

  private var tokenCount = 0
  private static let remarkLimit = 6

  init(types: Int) {
    self.types = [FrameType](repeating: FrameType(), count: types)
  }

  /// Counts what all records have in common.
  mutating func add(_ record: Record) {
    records += 1
    streams.insert(record.stream.number)
    for packet in record.packets { if let time = packet.time { add(time.clamped) } }
    for finding in record.findings { findings[finding.severity, default: [:]][finding.rule, default: 0] += 1 }
    let isThere =
      switch record.content {
      case .frame, .unparsed: true
      case .gap, .overlap: false
      }
    if isThere { bytes.add(record.count) }
    guard let route = record.stream.route else { return }
    connections.insert(record.stream.connection)
    let isProvider = record.role.map { $0 == .provider } ?? record.stream.number.isMultiple(of: 2)
    let outward = isProvider ? route : route.reversed
    busiest.add(record.stream.connection, startingWith: Connection(route: outward)) { connection in
      if isThere { connection.bytes.add(record.count) }
      guard case .frame = record.content else { return }
      if isProvider { connection.fromProvider += 1 } else { connection.toProvider += 1 }
    }
  }

  /// Counts a frame of the type at this index in the catalog.
  mutating func add(_ type: Int?, _ condition: Record.Condition?, of record: Record) {
    frames += 1
    sizes.add(record.count)
    if let time = record.packets.first?.time { timeline.add(time) }
    if let type { types[type].add(condition, bytes: record.count) }
  }

  mutating func add(token: TokenKey) {
    let number = tokenCount
    tokenCount += 1
    tokens.add(token, startingWith: Token(number: number)) { $0.count += 1 }
  }

  mutating func note(_ remark: String) {
    guard !remark.isEmpty else { return }
    if remarks.count < Self.remarkLimit { remarks.append(String(remark.prefix(1024))) } else { unshownRemarks += 1 }
  }

  private mutating func add(_ time: CaptureTime) {
    if firstTime.map({ time.isBefore($0) }) ?? true { firstTime = time }
    if lastTime.map({ $0.isBefore(time) }) ?? true { lastTime = time }
  }
}
