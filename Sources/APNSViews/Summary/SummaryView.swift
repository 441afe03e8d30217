import APNSDiagnosis
import APNSInput
import APNSWire
import Octets

/// Writes a summary of all records on one screen, at the end. Records are only counted; memory stays below 16 MiB.
public struct SummaryView: View {
  let catalog: Catalog
  private let terminal: Terminal
  package private(set) var counts: SummaryCounts

  /// The tokens and connections that are shown.
  private static let topLimit = 5

  /// A summary of no records yet.
  public init(_ catalog: Catalog, terminal: Terminal = Terminal()) {
    (self.catalog, self.terminal, counts) = (catalog, terminal, SummaryCounts(catalog))
  }

  public mutating func show(_ record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
    counts.add(record, bytes)
  }

  public var saysRemarks: Bool { true }

  public mutating func note(_ remark: String) { counts.note(remark) }

  /// Writes the sections. Tables without rows are omitted.
  public func finish(to out: inout Output) {
    writeHead(to: &out)
    for table in [frames, sizes] { table.write(terminal, to: &out) }
    writeRate(to: &out)
    for table in [statuses, tokens, connections, findings, unread] { table.write(terminal, to: &out) }
  }

  // MARK: What there is

  private func writeHead(to out: inout Output) {
    guard counts.records > 0 else {
      return write("There is nothing to summarise: no stream data was read.", .title, to: &out)
    }
    write(counts.texts.joined(separator: ", "), .title, to: &out)
    guard let times = counts.times else { return }
    let (start, end) = (UTC.readable(times.lowerBound), UTC.readable(times.upperBound))
    guard times.lowerBound < times.upperBound else { return write(end, .plain, to: &out) }
    let isSameDay = start.prefix(10) == end.prefix(10)
    let extent = "\(start.dropLast(4)) to \(isSameDay ? end.dropFirst(11) : end[...])"
    write("\(extent), \(durationText(of: times))", .plain, to: &out)
  }

  private var frames: SummaryTable {
    let all = SummaryCounts.Amount(sum: counts.types)
    typealias Column = (column: SummaryTable.Column, isShown: Bool, cell: (SummaryCounts.Amount) -> String)
    func share(_ count: Int) -> String { decimalText(Double(count) / Double(max(all.count, 1)) * 100) + " %" }
    func ifAny(_ count: Int) -> String { count > 0 ? grouped(count) : "" }
    let possible: [Column] = [
      (.init(title: "frames"), true, { grouped($0.count) }),
      (.init(title: "share", omission: 2, style: .dim), true, { share($0.count) }),
      (.init(title: "bytes", omission: 1), true, { grouped($0.bytes) }),
      (.init(title: "", omission: 3, style: .dim), binaryText(all.bytes) != nil, { binaryText($0.bytes) ?? "" }),
      (.init(title: "truncated", style: .error), all.truncated > 0, { ifAny($0.truncated) }),
      (.init(title: "malformed", style: .error), all.malformed > 0, { ifAny($0.malformed) }),
    ]
    let columns = possible.filter(\.isShown)
    var table = SummaryTable("Frames", columns.map(\.column))
    func add(_ label: String, depth: Int, _ amount: SummaryCounts.Amount) {
      table.add(label, columns.map { $0.cell(amount) }, depth: depth)
    }
    for isProvider in [true, false] {
      let way = catalog.schemas.indices.filter {
        counts.types[$0].count > 0 && (catalog.schemas[$0].role == .provider) == isProvider
      }
      guard !way.isEmpty else { continue }
      let sum = SummaryCounts.Amount(sum: way.map { counts.types[$0] })
      add(isProvider ? "provider to APNs" : "APNs to provider", depth: 1, sum)
      for type in way { add(catalog.schemas[type].title, depth: 2, counts.types[type]) }
    }
    return table
  }

  private var sizes: SummaryTable {
    var table = SummaryTable("Sizes", ["min", "median", "p90", "max"].map { .init(title: $0) })
    table.remark = "doubling sizes"
    for (label, sizes) in [("frame bytes", counts.sizes), ("payload bytes", counts.payloads)] {
      guard let cells = sizes.percentiles([0, 50, 90, 100]) else { continue }
      let shape = sizes.histogram.count > 1 ? Bars.lines(sizes.histogram, height: 1)[0] : ""
      table.add(label, cells.map(grouped), remark: shape)
    }
    return table
  }

  // MARK: When

  private func writeRate(to out: inout Output) {
    let timeline = counts.timeline
    guard let chart = timeline.columns(atMost: min(60, terminal.width - 4)) else { return }
    let peak = chart.counts.max() ?? 0
    var parts: [String] = []
    if timeline.span > 0 {
      parts.append("mean " + rateText(timeline.count, in: timeline.span))
    }
    let isChart = chart.counts.count > 1
    var most = "peak \(grouped(peak)) in \(isChart ? "a column of " : "")\(widthText(chart.width))"
    // For shorter columns, a rate per second would extrapolate.
    if chart.width > 1000 { most += " (\(rateText(peak, in: chart.width)))" }
    parts.append(most)
    if timeline.count < counts.frames {
      parts.append("\(counted(counts.frames - timeline.count, "frame")) without a time")
    }
    let lines = parts.joined(separator: ", ").wrapped(to: max(terminal.width - 6, 24))
    out.write("\n" + terminal.paint("Rate", .title) + "  " + lines.joined(separator: "\n      ") + "\n")
    guard isChart else { return }
    let barWidth = max(1, min(3, (terminal.width - 4) / chart.counts.count, 60 / chart.counts.count))
    for line in Bars.lines(chart.counts, height: 3, width: barWidth) where !line.isEmpty {
      out.write("  " + terminal.paint(line, .header) + "\n")
    }
    let start = moment(chart.start, step: chart.width)
    let end = moment(chart.start + (chart.counts.count - 1) * chart.width, step: chart.width)
    let gap = chart.counts.count * barWidth - start.columns - end.columns
    let between = gap >= 2 ? String(repeating: " ", count: gap) : " to "
    out.write(terminal.paint("  \(start)\(between)\(end)", .dim) + "\n")
  }

  /// A time with the precision that columns of `step` milliseconds need.
  private func moment(_ milliseconds: Int, step: Int) -> String {
    let seconds = Timeline.step(milliseconds, 1000)
    let text = UTC.text(seconds)
    guard step < 86_400_000 else { return String(text.dropLast(9)) }
    guard step >= 1000 else {
      let fraction = String(1000 + milliseconds - seconds * 1000).dropFirst()
      return text.suffix(8) + "." + fraction
    }
    return step < 600_000 ? String(text.suffix(8)) : String(text.dropLast(3))
  }

  // MARK: What and who

  private var statuses: SummaryTable {
    var table = SummaryTable("Statuses", [.init(title: "count")])
    let codes = counts.statuses.indices.filter { counts.statuses[$0] > 0 }
      .sorted { (counts.statuses[$1], $0) < (counts.statuses[$0], $1) }
    let field = catalog.fields.first { $0.role == .status && $0.size == 1 } ?? .status
    let digits = codes.prefix(SummaryTable.shown(of: codes.count)).reduce(0) { max($0, String($1).count) }
    let rows = codes.map { code in
      let bytes = [UInt8(truncatingIfNeeded: code)]
      let readings = ValueText.strings(of: field.content, bytes.span)
      let indent = String(repeating: " ", count: max(digits - readings[0].count, 0))
      return (indent + readings.joined(separator: "  "), Terminal.Style.plain, counts.statuses[code])
    }
    table.add(rows, "codes")
    return table
  }

  private var tokens: SummaryTable {
    let isComplete = counts.otherTokens == 0
    var table = SummaryTable("Tokens", [.init(title: "seen")])
    table.subtitle = (isComplete ? "" : "at least ") + "\(grouped(counts.tokens.count)) different"
    let top = counts.tokens.sorted { ($1.value.count, $0.value.number) < ($0.value.count, $1.value.number) }
    for (token, tally) in top.prefix(Self.topLimit) {
      let digits = token.isEmpty ? "(empty)" : token.hexDigits
      let label = token.count > 32 ? "\(digits.prefix(40))... (\(token.count) bytes)" : digits
      table.add(label, [grouped(tally.count)], isShortened: true)
    }
    if !isComplete { table.add("other tokens", [grouped(counts.otherTokens)], style: .dim) }
    return table
  }

  private var connections: SummaryTable {
    var table = SummaryTable(
      "Connections",
      [.init(title: "to APNs"), .init(title: "back"), .init(title: "bytes"), .init(title: "streams", omission: 1)])
    let top = counts.connections.filter { $0.value.route != nil }.sorted { one, other in
      (other.value.fromProvider + other.value.toProvider, other.value.bytes, one.key)
        < (one.value.fromProvider + one.value.toProvider, one.value.bytes, other.key)
    }
    for (number, connection) in top.prefix(Self.topLimit) {
      guard let route = connection.route else { continue }
      let amounts = [connection.fromProvider, connection.toProvider, connection.bytes].map { grouped($0) }
      table.add("\(route.source) > \(route.destination)", amounts + ["\(number * 2), \(number * 2 + 1)"])
    }
    if counts.otherRecords > 0 {
      table.add("and \(counted(counts.otherRecords, "record")) of other connections", style: .dim)
    }
    return table
  }

  // MARK: What is wrong

  private var findings: SummaryTable {
    var table = SummaryTable("Findings", [.init(title: "count")])
    let rows = counts.findingsInOrder.map { severity, rule, count in
      (severity.rawValue.padded(to: 9) + rule, Terminal.Style.of(severity), count)
    }
    table.add(rows, "rules")
    return table
  }

  private var unread: SummaryTable {
    var table = SummaryTable("Not read", [.init(title: "places"), .init(title: "bytes")])
    func add(_ label: String, _ amount: SummaryCounts.Amount) {
      if amount.count > 0 { table.add(label, [grouped(amount.count), grouped(amount.bytes)]) }
    }
    let reasons = counts.unparsed.sorted { ($1.value.bytes, $0.key) < ($0.value.bytes, $1.key) }
    for (reason, amount) in reasons { add("unparsed: \(reason)", amount) }
    add("missing from the capture", counts.gaps)
    add("sent twice with different bytes", counts.overlaps)
    for remark in counts.remarks(atMost: 6) { table.add(remark) }
    return table
  }

  // MARK: Text

  private func write(_ text: String, _ style: Terminal.Style, to out: inout Output) {
    terminal.write(text, after: "", margin: "", style, to: &out)
  }
}
