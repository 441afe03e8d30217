import APNSDiagnosis
import APNSInput
import APNSWire
import Octets

package struct SummaryCounts: Sendable {
  private let catalog: Catalog
  package private(set) var records = 0
  /// Bytes of streams, without missing ones.
  package private(set) var bytes = 0
  package private(set) var frames = 0
  private(set) var times: ClosedRange<CaptureTime>?
  package private(set) var timeline = Timeline()
  /// By ``FrameRef/schema``.
  package private(set) var types: [Amount]
  private(set) var sizes = Sizes()
  package private(set) var payloads = Sizes()
  /// The number of error responses by status.
  package private(set) var statuses = [Int](repeating: 0, count: 256)
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
  private(set) var unparsed: [String: Amount] = [:]
  private(set) var gaps = Amount()
  private(set) var overlaps = Amount()
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
    private(set) var route: ByteStream.Route?
    /// A bit for each stream with records.
    private(set) var streams: UInt8 = 0
    private(set) var fromProvider = 0
    private(set) var toProvider = 0
    private(set) var bytes = 0

    mutating func add(_ record: Record) {
      streams |= 1 << UInt8(record.stream.number & 1)
      route = route ?? record.stream.route.map { record.wasReceived ? $0.reversed : $0 }
      if case .gap = record.content { return }
      bytes.add(record.count)
      guard case .frame = record.content else { return }
      if record.wasReceived { toProvider += 1 } else { fromProvider += 1 }
    }
  }

  /// The most tokens, and the most connections, that are counted one by one.
  private static let limit = 32_768
  /// In bytes. Device tokens have 32.
  private static let tokenLimit = 128
  private static let remarkLimit = 50

  init(_ catalog: Catalog) {
    self.catalog = catalog
    types = [Amount](repeating: Amount(), count: catalog.schemas.count)
  }

  mutating func add(_ record: Record, _ bytes: Span<UInt8>) {
    records += 1
    for finding in record.findings { findings[finding.severity, default: [:]][finding.rule, default: 0] += 1 }
    times.add(record)
    let connection = record.stream.connection
    if connections.count < Self.limit || connections[connection] != nil {
      connections[connection, default: Connection()].add(record)
    } else {
      otherRecords += 1
    }
    switch record.content {
    case .frame(let frame, let condition):
      self.bytes.add(record.count)
      frames += 1
      sizes.add(record.count)
      if let time = record.packets.first?.time { timeline.add(time) }
      if let type = catalog.index(of: frame) { types[type].add(record.count, condition) }
      addValues(of: frame, bytes)
    case .unparsed(let reason):
      self.bytes.add(record.count)
      unparsed[reason, default: Amount()].add(record.count)
    case .gap: gaps.add(record.count)
    case .overlap: overlaps.add(bytes.count)
    }
  }

  private mutating func addValues(of frame: FrameRef, _ bytes: Span<UInt8>) {
    catalog.forEachMember(of: frame, in: bytes) { member in
      guard member.kind == .value else { return }
      let field = catalog.fields[Int(member.leaf.field)]
      switch field.role {
      case .token: add(token: [UInt8](copying: bytes.extracting(member.range)))
      case .status where field.size == 1: statuses[Int(bytes[member.leaf.start])] += 1
      default: if field.isJSON { payloads.add(member.leaf.count) }
      }
    }
  }

  private mutating func add(token: [UInt8]) {
    let number = tokens.count
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
