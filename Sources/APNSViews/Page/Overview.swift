import APNSDiagnosis
import APNSWire
import Octets

// The charts of the page, which need no script. The script makes rows with a filter clickable.
extension ReportView {
  func writeOverview(_ periods: [ReportTimes.Period], to out: inout Output) {
    out.element("p id=\"counts\"", sentence(periods))
    out.write("\n<div class=\"charts\">\n")
    write("Findings", findings, ifNone: "none", to: &out)
    write("Outcomes and answers", outcomes, ifNone: "no answer", to: &out)
    write("Frame types", types, ifNone: "no frame", to: &out)
    write("Payload sizes", sizes, ifNone: "no payload", to: &out)
    write("Frames over time", rate(periods), ifNone: "no times in the input", to: &out)
    out.write("</div>\n")
  }

  private func sentence(_ periods: [ReportTimes.Period]) -> String {
    guard counts.records > 0 else {
      return selection != nil ? "No record matches the filter." : "There is nothing to report: no stream data was read."
    }
    var parts = counts.texts
    if periods.count > 1 {
      parts.append("in \(periods.count) periods that lie apart")
    } else if let times = counts.times, times.lowerBound < times.upperBound {
      parts.append("in \(durationText(of: times))")
    }
    return parts.joined(separator: ", ")
  }

  private func section<Chart>(
    _ title: String, _ chart: Chart?, ifNone: String, to out: inout Output, _ write: (Chart, inout Output) -> Void
  ) {
    out.write("<section><h2>\(title)</h2>\n")
    if let chart { write(chart, &out) } else { out.write("<p class=\"none\">\(ifNone)</p>") }
    out.write("</section>\n")
  }

  // MARK: Tables with bars

  private struct Row {
    var label: String
    var detail = ""
    let count: Int
    /// What a click on the row searches for.
    var filter = ""
    var style = ""
  }

  private var findings: [Row] {
    counts.findingsInOrder.map { severity, rule, count in
      Row(label: rule, detail: severity.rawValue, count: count, filter: "rule:\(rule)", style: severity.rawValue)
    }
  }

  private var outcomes: [Row] {
    let fates = Conversation.Fate.allCases.map { fate in
      Row(label: fate.rawValue, count: self.fates[fate] ?? 0, filter: "fate:\(fate.rawValue)", style: fate.rawValue)
    }
    let statuses = counts.statuses.enumerated().map { status, count in
      let title = ErrorResponse.title(of: UInt8(status)) ?? "not documented"
      return Row(label: "status \(status)", detail: title, count: count, filter: "status:\(status)", style: "error")
    }
    return fates + statuses
  }

  private var types: [Row] {
    zip(catalog.schemas, counts.types).map { schema, type in
      Row(label: schema.name, count: type.count, filter: "type:\(schema.name)")
    }
  }

  /// Writes the rows with a count above zero.
  private func write(_ title: String, _ rows: [Row], ifNone: String, to out: inout Output) {
    section(title, rows.map(\.count).max().flatMap { $0 > 0 ? $0 : nil }, ifNone: ifNone, to: &out) { most, out in
      out.write("<div class=\"scroll\"><table>\n")
      for row in rows where row.count > 0 {
        out.write("<tr class=\"\(row.style)\"")
        out.attribute("data-filter", row.filter)
        out.write(">")
        out.element("th scope=\"row\"", row.label)
        out.element("td class=\"detail\"", row.detail)
        // Every number above zero has a visible bar.
        let width = max(row.count * 100 / most, 1)
        out.write("<td class=\"bar\"><svg viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" aria-hidden=\"true\">")
        out.write(
          "<rect width=\"\(width)\" height=\"8\"/></svg></td><td class=\"count\">\(grouped(row.count))</td></tr>\n")
      }
      out.write("</table></div>")
    }
  }

  // MARK: Columns

  /// The heights of the columns; nil is a break.
  private typealias Columns = (numbers: [Int?], labels: [String], text: String)

  private var sizes: Columns? {
    guard let sizes = counts.payloads.percentiles([0, 50, 100])?.map(grouped) else { return nil }
    let histogram = counts.payloads.histogram
    let text =
      sizes[0] == sizes[2]
      ? "all \(sizes[0]) bytes" : "\(sizes[0]) to \(sizes[2]) bytes, half of them at most \(sizes[1])"
    let labels = histogram.indices.map { bits in
      (bits < 2 ? "\(bits)" : "\(grouped(1 << (bits - 1))) to \(grouped((1 << bits) - 1))") + " bytes"
    }
    return (Array(histogram), labels, text)
  }

  private func rate(_ periods: [ReportTimes.Period]) -> Columns? {
    let lines = periods.map(\.frames).filter { $0.count > 0 }
    let limit = 60 / max(lines.count, 1)
    guard let width = lines.compactMap({ $0.columns(atMost: limit)?.width }).max() else { return nil }
    let all = lines.compactMap { $0.columns(atMost: limit, width: width) }
    let starts = all.prefix(3).map { utc($0.start) } + (all.count > 3 ? ["\(all.count - 3) more times"] : [])
    let numbers = all.map { $0.counts.map(Optional.some) }.joined(separator: [nil])
    let labels = all.map { columns in columns.counts.indices.map { utc(columns.start + $0 * width) } }
    let most = all.flatMap(\.counts).max() ?? 0
    return (
      Array(numbers), Array(labels.joined(separator: [""])),
      "from \(starts.joined(separator: ", ")), at most \(grouped(most)) in \(widthText(width))"
    )
  }

  private func utc(_ milliseconds: Int) -> String { UTC.text(milliseconds / 1000) + " UTC" }

  private func write(_ title: String, _ columns: Columns?, ifNone: String, to out: inout Output) {
    section(title, columns, ifNone: ifNone, to: &out) { columns, out in
      let most = max(columns.numbers.compactMap(\.self).max() ?? 1, 1)
      let width = columns.numbers.count * 10
      out.write("<svg class=\"columns\" viewBox=\"0 0 \(width) 64\" preserveAspectRatio=\"none\" role=\"img\"")
      out.attribute("aria-label", columns.text)
      out.write(">")
      for (index, number) in columns.numbers.enumerated() where number != 0 {
        guard let number else {
          out.write("<rect class=\"break\" x=\"\(index * 10 + 4)\" width=\"2\" height=\"64\"/>")
          continue
        }
        let height = max(number * 64 / most, 1)
        out.write("<rect x=\"\(index * 10 + 1)\" y=\"\(64 - height)\" width=\"8\" height=\"\(height)\">")
        out.element("title", "\(columns.labels[index]): \(grouped(number))")
        out.write("</rect>")
      }
      out.write("</svg>\n")
      out.element("p class=\"caption\"", columns.text)
    }
  }
}
