import APNSDiagnosis
import APNSInput

/// The records that the page contains in full: as many as fit. If not all fit, a record replaces the last ones whose
/// findings are less severe.
struct EmbeddedRecords {
  private let limit: Int
  /// By the severity of the worst finding: the records in JSON, with their order, and their size.
  private var ranks = [(entries: [(order: Int, json: [UInt8])], size: Int)](
    repeating: ([], 0), count: Finding.Severity.allCases.count + 1)
  private var added = 0
  /// Whether a record did not fit, so that others as severe as it hardly do.
  private var isFull = false

  init(limit: Int) { self.limit = limit }

  var count: Int { ranks.reduce(0) { $0 + $1.entries.count } }

  /// Whether a record may fit. `worst` is the severity of its worst finding.
  func wants(worst: Finding.Severity?) -> Bool {
    count < limit && !isFull || ranks[..<worst.rank].contains { !$0.entries.isEmpty }
  }

  /// Adds a record that is wanted if it fits.
  mutating func add(_ entry: borrowing Output, worst: Finding.Severity?) {
    var escaped = Output()
    escaped.scriptJSON(entry)
    let space = ReportView.sizeLimit - escaped.count
    guard ranks[worst.rank...].reduce(0, { $0 + $1.size }) <= space else {
      isFull = true
      return
    }
    while count >= limit || ranks.reduce(0, { $0 + $1.size }) > space,
      let least = ranks.firstIndex(where: { !$0.entries.isEmpty })
    {
      isFull = false
      ranks[least].size -= ranks[least].entries.removeLast().json.count
    }
    ranks[worst.rank].entries.append((added, escaped.bytes))
    ranks[worst.rank].size += escaped.count
    added += 1
  }

  /// Writes the records, a line each, and passes them on piece by piece: they are too large to be in memory twice.
  func write(to out: inout Output, _ pass: (inout Output) -> Void) {
    for entry in ranks.flatMap(\.entries).sorted(by: { $0.order < $1.order }) {
      out.write(entry.json)
      if out.count >= 1 << 16 { pass(&out) }
    }
  }
}

extension Finding.Severity? {
  fileprivate var rank: Int { map { severity in 1 + Finding.Severity.allCases.filter { $0 < severity }.count } ?? 0 }
}

// The data of a record: the object that `dissect -T ndjson` writes, and the bytes. The script finds the fields in the
// bytes. The size of an entry is limited, so that a few large records do not fill the page.
extension ReportView {
  /// The bytes of a record that are embedded.
  private static let byteLimit = 1 << 16
  /// The size of an object that is embedded with its values.
  private static let objectLimit = 2 * byteLimit

  /// Writes an object and a line end.
  mutating func writeEntry(
    of record: Record, _ bytes: Span<UInt8>, fate: Conversation.Fate?, to out: inout Output
  ) {
    out.line { out in
      writeObject(of: record, bytes, to: &out)
      out.member("number", record.number)
      if record.stream.route != nil { out.member("connection", record.stream.connection) }
      out.member("stream", record.stream.number)
      out.member("role", record.role.flatMap { catalog.roleNames[$0] })
      out.member("lane", record.isFromService.map { $0 ? "in" : "out" })
      out.member("fate", fate?.rawValue)
      if record.findings.contains(where: { $0.answer != nil }) {
        out.array("answers", record.findings) { $0.jsonString($1.answer?.sentence ?? "") }
      }
      out.member("at", record.packets.first?.time?.clamped.milliseconds)
      out.member("base", record.firstByte)
      out.member("hex", hex: bytes.extracting(0..<min(bytes.count, Self.byteLimit)))
      if bytes.count > Self.byteLimit { out.member("bytes", bytes.count) }
    }
  }

  private mutating func writeObject(of record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
    out.key("record")
    let start = out.count
    object.writeObject(record, bytes, to: &out)
    guard out.count - start > Self.objectLimit else { return }
    out.cut(to: start)
    object.writeObject(record, nil, to: &out)
    out.member("left_out", "values")
  }
}
