import APNSDiagnosis
import APNSInput
import APNSViews
import APNSWire

/// The conversations of an input, as the page contains them. Add each one when it is over.
public struct ReportConversations: Sendable {
  /// By connection: the object that `dialogue -T ndjson` writes.
  private var objects: [Int: [UInt8]] = [:]
  private var others = 0
  /// The fates of notifications; nil if too many connections have answers.
  private(set) var all: Conversations?
  private(set) var remarks: [String] = []

  /// No conversations yet.
  public init() {}

  /// Conversations that are not as expected have a better chance to be kept.
  private static let limit = 4 * ReportConnections.limit

  /// Adds a conversation that is over.
  public mutating func add(_ conversation: Conversation) {
    if !conversation.isBad { others += 1 }
    guard objects.count < Self.limit, conversation.isBad || others <= ReportConnections.limit else { return }
    var out = Output()
    DialogueObjects.write(conversation, to: &out)
    out.cut(to: out.count - 1)  // the line end
    objects[conversation.connection] = out.bytes
  }

  /// Adds what is known after both readings.
  public mutating func finish(_ conversations: Conversations) {
    remarks = conversations.remarks + conversations.feedback.remarks
    if conversations.hasForgotten {
      remarks.append("the page shows no outcomes, because too many connections have an answer")
    } else {
      all = conversations
    }
  }

  /// The fate of the notification in a record; nil for other records, and outside connections.
  func fate(of record: Record) -> Conversation.Fate? {
    guard record.stream.isDirected, record.role == .provider, case .frame = record.content else { return nil }
    return all?.fate(of: record)
  }

  subscript(_ connection: Int) -> [UInt8]? { objects[connection] }
}

/// The connections on the time line of the page.
struct ReportConnections {
  private var rows: [Int: Row] = [:]

  /// The rows of the page.
  static let limit = 5000
  /// The rows from which they are chosen.
  private static let candidates = 1 << 16

  fileprivate struct Row {
    /// From the provider to the service, as far as known.
    let route: ByteStream.Route?
    /// The number of the input.
    let input: Int
    var first: Int?
    var last: Int?
    /// When the service first wrote.
    var answered: Int?
    var sent = 0
    var received = 0
    var errors = 0
    var warnings = 0

    init(_ record: Record, fromProvider: Bool) {
      input = record.input
      route = record.stream.route.map { fromProvider ? $0 : .init(source: $0.destination, destination: $0.source) }
    }

    mutating func add(_ record: Record, fromProvider: Bool) {
      for case let time? in record.packets.map(\.time) {
        let moment = time.clamped.milliseconds
        first = min(first ?? moment, moment)
        last = max(last ?? moment, moment)
        if !fromProvider, answered == nil { answered = moment }
      }
      for finding in record.findings {
        if finding.severity == .error { errors += 1 }
        if finding.severity == .warning { warnings += 1 }
      }
      guard case .frame = record.content else { return }
      if fromProvider { sent += 1 } else { received += 1 }
    }
  }

  mutating func add(_ record: Record) {
    let connection = record.stream.connection
    let fromProvider = record.role.map { $0 == .provider } ?? record.stream.number.isMultiple(of: 2)
    if rows[connection] == nil {
      guard rows.count < Self.candidates else { return }
      rows[connection] = Row(record, fromProvider: fromProvider)
    }
    rows[connection]?.add(record, fromProvider: fromProvider)
  }

  /// Writes the array of connections: of too many, those with errors first, then those with warnings.
  func write(_ conversations: ReportConversations, inputs: [String], to out: inout Output) {
    let ranked = rows.keys.sorted { one, other in
      let (a, b) = (rows[one]?.rank ?? 0, rows[other]?.rank ?? 0)
      return (b, one) < (a, other)
    }
    out.array("connections") { out in
      for connection in ranked.prefix(Self.limit).sorted() {
        guard let row = rows[connection] else { continue }
        out.object { out in
          out.member("connection", connection)
          out.member("from", row.route?.source.description)
          out.member("to", row.route?.destination.description)
          if row.route == nil, inputs.indices.contains(row.input) { out.member("file", inputs[row.input]) }
          out.member("first", row.first)
          out.member("last", row.last)
          out.member("answered", row.answered)
          out.member("sent", row.sent)
          out.member("received", row.received)
          out.member("errors", row.errors)
          out.member("warnings", row.warnings)
          guard let object = conversations[connection] else { return }
          out.key("dialogue")
          out.write(object)
        }
      }
    }
  }
}

extension ReportConnections.Row {
  fileprivate var rank: Int { errors > 0 ? 2 : warnings > 0 ? 1 : 0 }
}
