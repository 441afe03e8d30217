import APNSDiagnosis
import APNSWire
import Octets

/// Writes all records as one HTML page that needs nothing else: charts, connections on a time line, and each record
/// with its bytes and fields.
///
/// Charts count all records. The page contains the data of a limited number, the most severe findings first. Memory
/// does not grow with the input beyond that.
package struct ReportView: View {
  /// The number of records that a page contains by default.
  package static let standardLimit = 20_000
  /// The bytes of all records' data in a page.
  package static let sizeLimit = 20 << 20
  /// The number of records in the tree, and its size in bytes.
  private static let treeLimit = (count: 40, size: 256 << 10)
  private static let terminal = Terminal(width: 120)

  var catalog: Catalog { summary.catalog }
  private let inputs: [String]
  let selection: String?
  private let conversations: ReportConversations
  private var summary: SummaryView
  var counts: SummaryCounts { summary.counts }
  private var connections = ReportConnections()
  private var times = ReportTimes()
  /// Writes the objects of records.
  var object: NDJSONView
  private var records: EmbeddedRecords
  // Without scripts, the page shows the findings as `check` prints them, and the first records as a tree.
  private var check: CheckTextView
  private var tree: TreeView
  private var trees = Output()
  private var treeCount = 0
  private(set) var fates: [Conversation.Fate: Int] = [:]
  package private(set) var omission: String?

  /// - Parameters:
  ///   - selection: the filter that selected the records, for the title; nil if there is none.
  ///   - limit: the number of records whose data the page contains.
  ///   - conversations: what became of the notifications.
  package init(
    _ catalog: Catalog, inputs: [String], selection: String? = nil, limit: Int = ReportView.standardLimit,
    conversations: ReportConversations = ReportConversations()
  ) {
    self.inputs = inputs
    self.selection = selection
    self.conversations = conversations
    summary = SummaryView(catalog, terminal: Terminal(width: 100))
    object = NDJSONView(catalog, inputs: inputs)
    records = EmbeddedRecords(limit: limit)
    check = CheckTextView(catalog, terminal: Self.terminal, inputs: inputs)
    tree = TreeView(catalog, terminal: Self.terminal)
  }

  package mutating func show(_ record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
    summary.show(record, bytes, to: &out)
    connections.add(record)
    times.add(record)
    let fate = conversations.fate(of: record)
    if let fate { fates[fate, default: 0] += 1 }
    check.show(record, bytes, to: &out)
    if treeCount < Self.treeLimit.count, trees.count < Self.treeLimit.size { addTree(record, bytes) }
    let worst = record.findings.map(\.severity).max()
    guard records.wants(worst: worst) else { return }
    var entry = Output()
    writeEntry(of: record, bytes, fate: fate, to: &entry)
    records.add(entry, worst: worst)
  }

  private mutating func addTree(_ record: Record, _ bytes: Span<UInt8>) {
    treeCount += 1
    tree.show(record, bytes, to: &trees)
    guard trees.count > Self.treeLimit.size else { return }
    trees.cut(to: Self.treeLimit.size)
    trees.write("\n... the rest of this record is left out here\n")
  }

  package var saysRemarks: Bool { true }

  package mutating func note(_ remark: String) { summary.note(remark) }

  package mutating func finish(to out: inout Output) { finish(to: &out) { _ in } }

  package mutating func finish(to out: inout Output, _ pass: (inout Output) -> Void) {
    let total = counts.records
    let parts = [(connections.count, connections.total, connections.noun), (records.count, total, "records")]
      .filter { $0.0 < $0.1 }.map { "\(grouped($0)) of \(grouped($1)) \($2)" }
    if !parts.isEmpty {
      omission =
        "the page contains \(parts.joined(separator: " and ")), the most severe findings first; the charts count all "
        + "of them"
    }
    let periods = times.periods
    out.page(PackageResources.page_html) { place, out in
      switch place {
      case "policy": out.write(Self.policy)
      case "style": out.write(PackageResources.report_css)
      case "script": out.write(PackageResources.report_js)
      case "title": out.markup(title)
      case "inputs": writeInputs(to: &out)
      case "extent": writeExtent(of: total, to: &out)
      case "overview": writeOverview(periods, to: &out)
      case "summary": out.markup(printable: Output.text { summary.finish(to: &$0) })
      case "findings":
        let text = Output.text { check.finish(to: &$0) }
        out.markup(printable: text.isEmpty ? "There are no findings.\n" : text)
      case "tree":
        out.markup(printable: trees.text)
        if total > treeCount { out.write("\nand \(counted(total - treeCount, "more record"))\n") }
      case "report": writeReport(periods, to: &out, pass)
      case "records": records.write(to: &out, pass)
      default: preconditionFailure("page.html has no place \(place)")
      }
    }
  }

  private var title: String {
    guard let first = inputs.first else { return "apnscope" }
    let name = first.split(separator: "/").last.map(String.init) ?? first
    return inputs.count == 1 ? name : "\(name) and \(inputs.count - 1) more"
  }

  private func writeInputs(to out: inout Output) {
    for (index, name) in inputs.prefix(3).enumerated() {
      if index > 0 { out.write(", ") }
      out.element("span class=\"name\"", name)
    }
    if inputs.count > 3 { out.write(" and \(inputs.count - 3) more") }
    guard let selection else { return }
    out.write(", filtered by ")
    out.element("code", selection)
  }

  private func writeExtent(of total: Int, to out: inout Output) {
    let all = counts.remarks(atMost: 50) + conversations.remarks
    if !all.isEmpty { out.write("<div class=\"scroll\" role=\"region\" aria-label=\"Remarks\" tabindex=\"0\">\n") }
    for remark in all {
      out.element("p class=\"remark\"", remark)
      out.write("\n")
    }
    if !all.isEmpty { out.write("</div>\n") }
    guard let omission else { return }
    out.element("p class=\"remark\" id=\"extent\"", omission)
    out.write("\n")
  }

  private func writeReport(_ periods: [ReportTimes.Period], to out: inout Output, _ pass: (inout Output) -> Void) {
    var json = Output()
    json.line { json in
      json.member("schema", NDJSONView.schema)
      json.member("records", counts.records)
      json.member("embedded", records.count)
      json.frames(of: catalog)
      json.array("severities", Finding.Severity.allCases.reversed()) { $0.jsonString($1.rawValue) }
      json.objects("periods", periods) { json, period in
        json.member("first", period.first)
        json.member("last", period.last)
      }
      connections.write(conversations, inputs: inputs, to: &json) { piece in
        out.scriptJSON(piece)
        piece.clear()
        pass(&out)
      }
    }
    out.scriptJSON(json)
  }
}
