import APNSDiagnosis
import APNSInput
import APNSWire

/// The conversations of an input, as the page contains them. Add each one when it is over.
package struct ReportConversations: Sendable {
  /// By connection, with a comma before each: `dialogue`, the object that `dialogue -T ndjson` writes, and `outcomes`.
  fileprivate var members: [Int: [UInt8]] = [:]
  private var others = 0
  /// What is known after both readings; nil before.
  package var all: Conversations?
  var remarks: [String] { all.map { $0.remarks + $0.feedback.remarks } ?? [] }

  package init() {}

  /// Conversations that are not as expected have a better chance to be kept.
  private static let limit = 2 * ReportConnections.limit

  package mutating func add(_ conversation: Conversation) {
    if !conversation.isBad { others += 1 }
    guard members.count < Self.limit, conversation.isBad || others <= ReportConnections.limit else { return }
    var out = Output()
    out.object("dialogue") { DialogueObjects.members(of: conversation, to: &$0) }
    out.object("outcomes") { out in
      for fate in Conversation.Fate.allCases where conversation.count(of: fate) > 0 {
        out.key(fate.rawValue)
        out.jsonString(conversation.details(of: fate))
      }
    }
    members[conversation.connection] = out.bytes
  }

  /// The fate of the notification in a record; nil for other records, and outside connections.
  func fate(of record: Record) -> Conversation.Fate? {
    guard record.stream.isDirected, record.role == .provider, case .frame = record.content, !record.isForeign
    else { return nil }
    return all?.fate(of: record)
  }
}

/// The rows on the time line of the page: TCP connections, and inputs without any, such as dumps. If there are too
/// many, those with errors are chosen, then those with warnings, then the first ones.
struct ReportConnections {
  private var rows: [Int: Row] = [:]
  /// The number of all connections and inputs.
  private(set) var total = 0
  private var inputs = 0
  /// The number of rows on the page.
  var count: Int { min(rows.count, Self.limit) }
  private var records = 0

  /// What the rows are.
  var noun: String { inputs == 0 ? "connections" : inputs == total ? "inputs" : "connections and inputs" }

  /// The rows of the page.
  static let limit = 5000
  /// The rows in memory. Half of them are more than the connections that can be open at the same time.
  private static let capacity = 1 << 16

  fileprivate struct Row {
    let input: Int
    var counts = SummaryCounts.Connection()
    /// The number of its last record, among those of all connections.
    var latest = 0
    var times: ClosedRange<CaptureTime>?
    /// When the service first wrote.
    var answered: CaptureTime?
    var errors = 0
    var warnings = 0

    var rank: Int { errors > 0 ? 2 : warnings > 0 ? 1 : 0 }

    mutating func add(_ record: Record) {
      counts.add(record)
      times.add(record)
      if record.wasReceived { answered = answered ?? record.packets.lazy.compactMap(\.time).first?.clamped }
      for finding in record.findings {
        if finding.severity == .error { errors += 1 }
        if finding.severity == .warning { warnings += 1 }
      }
    }
  }

  mutating func add(_ record: Record) {
    let connection = record.stream.connection
    if rows[connection] == nil {
      if rows.count == Self.capacity { removeHalf() }
      rows[connection] = Row(input: record.input)
      total += 1
      if record.stream.route == nil { inputs += 1 }
    }
    records += 1
    rows[connection]?.latest = records
    rows[connection]?.add(record)
  }

  /// Keeps the rows of the page, and those with the latest records: their connections may be open.
  private mutating func removeHalf() {
    let latest = rows.sorted { $0.value.latest > $1.value.latest }.prefix(Self.capacity / 2)
    let kept = Set(chosen + latest.map(\.key))
    rows = rows.filter { kept.contains($0.key) }
  }

  private var chosen: [Int] {
    let sorted = rows.sorted { ($1.value.rank, $0.key) < ($0.value.rank, $1.key) }
    return sorted.prefix(Self.limit).map(\.key)
  }

  /// Writes the array of connections, and passes it on piece by piece.
  func write(
    _ conversations: ReportConversations, inputs: [String], to out: inout Output, _ pass: (inout Output) -> Void
  ) {
    out.objects("connections", chosen.sorted()) { out, connection in
      guard let row = rows[connection] else { return }
      out.member("connection", connection)
      out.member("from", row.counts.route?.source.description)
      out.member("to", row.counts.route?.destination.description)
      if row.counts.route == nil, inputs.indices.contains(row.input) { out.member("file", inputs[row.input]) }
      out.member("first", row.times?.lowerBound.milliseconds)
      out.member("last", row.times?.upperBound.milliseconds)
      out.member("answered", row.answered?.milliseconds)
      out.member("sent", row.counts.fromProvider)
      out.member("received", row.counts.toProvider)
      out.member("errors", row.errors)
      out.member("warnings", row.warnings)
      if let members = conversations.members[connection] { out.write(members) }
      if out.count >= 1 << 16 { pass(&out) }
    }
  }
}
