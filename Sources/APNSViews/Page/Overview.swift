import APNSDiagnosis
import APNSInput
import APNSWire
import Octets

/// The charts of the page, which need no script. The script makes rows with a filter clickable.
struct Overview {
  let counts: SummaryCounts
  let periods: [ReportTimes.Period]
  let fates: [Conversation.Fate: Int]
  let catalog: Catalog
  let isFiltered: Bool

  func write(to out: inout Output) {
    out.element("p id=\"counts\"", sentence)
    out.write("\n<div class=\"charts\">\n")
    writeFindings(to: &out)
    writeOutcomes(to: &out)
    writeTypes(to: &out)
    writeSizes(to: &out)
    writeRate(to: &out)
    out.write("</div>\n")
  }

  private var sentence: String {
    guard counts.records > 0 else {
      return isFiltered ? "No record matches the filter." : "There is nothing to report: no stream data was read."
    }
    var parts = counts.streamTexts
    parts.append(plural(counts.frames, "frame", number: grouped(counts.frames)))
    parts.append(byteText(counts.bytes))
    if periods.count > 1 {
      parts.append("in \(periods.count) periods that lie apart")
    } else if let first = counts.firstTime, let last = counts.lastTime, first != last {
      parts.append("in \(durationText(from: first, to: last))")
    }
    return parts.joined(separator: ", ")
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

  private func writeFindings(to out: inout Output) {
    let rows = counts.findingsInOrder.map { severity, rule, count in
      Row(label: rule, detail: severity.rawValue, count: count, filter: "rule:\(rule)", style: severity.rawValue)
    }
    write("Findings", rows, ifNone: "none", to: &out)
  }

  private func writeOutcomes(to out: inout Output) {
    var rows = Conversation.Fate.allCases.compactMap { fate in
      fates[fate].flatMap { count in
        count > 0 ? Row(label: fate.rawValue, count: count, filter: "fate:\(fate.rawValue)", style: fate.rawValue) : nil
      }
    }
    for (status, count) in counts.statuses.enumerated() where count > 0 {
      let title = ErrorResponse.title(of: UInt8(status)) ?? "not documented"
      rows.append(
        Row(label: "status \(status)", detail: title, count: count, filter: "status:\(status)", style: "error"))
    }
    write("Outcomes and answers", rows, ifNone: "no answer", to: &out)
  }

  private func writeTypes(to out: inout Output) {
    let rows = zip(catalog.schemas, counts.types).compactMap { schema, type in
      type.count > 0 ? Row(label: schema.name, count: type.count, filter: "type:\(schema.name)") : nil
    }
    write("Frame types", rows, ifNone: "no frame", to: &out)
  }

  private func write(_ title: String, _ rows: [Row], ifNone: String, to out: inout Output) {
    out.write("<section><h2>\(title)</h2>\n")
    guard let most = rows.map(\.count).max() else { return out.write("<p class=\"none\">\(ifNone)</p></section>\n") }
    out.write("<div class=\"scroll\"><table>\n")
    for row in rows {
      out.write("<tr class=\"\(row.style)\" data-filter=\"")
      out.markup(row.filter)
      out.write("\">")
      out.element("th scope=\"row\"", row.label)
      out.element("td class=\"detail\"", row.detail)
      // Every number above zero has a visible bar.
      let width = max(row.count * 100 / max(most, 1), 1)
      out.write("<td class=\"bar\"><svg viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" aria-hidden=\"true\">")
      out.write(
        "<rect width=\"\(width)\" height=\"8\"/></svg></td><td class=\"count\">\(grouped(row.count))</td></tr>\n")
    }
    out.write("</table></div></section>\n")
  }

  // MARK: Columns

  private func writeSizes(to out: inout Output) {
    out.write("<section><h2>Payload sizes</h2>\n")
    let histogram = counts.payloads.histogram
    if let middle = counts.payloads.percentile(50) {
      let (low, high) = (counts.payloads.smallest, counts.payloads.largest)
      let text =
        low == high
        ? "all \(grouped(low)) bytes"
        : "\(grouped(low)) to \(grouped(high)) bytes, half of them at most \(grouped(middle.size))"
      let labels = histogram.indices.map { bits in
        bits < 2 ? "\(bits)" : "\(grouped(1 << (bits - 1))) to \(grouped((1 << bits) - 1))"
      }
      writeColumns(Array(histogram), labels.map { $0 + " bytes" }, text, to: &out)
    } else {
      out.write("<p class=\"none\">no payload</p>")
    }
    out.write("</section>\n")
  }

  private func writeRate(to out: inout Output) {
    out.write("<section><h2>Frames over time</h2>\n")
    let lines = periods.map(\.frames).filter { $0.count > 0 }
    let limit = 60 / max(lines.count, 1)
    if let width = lines.compactMap({ $0.columns(atMost: limit)?.width }).max() {
      let all = lines.compactMap { $0.columns(atMost: limit, width: width) }
      let starts = all.prefix(3).map { utc($0.start) } + (all.count > 3 ? ["\(all.count - 3) more times"] : [])
      let numbers = all.map { $0.counts.map(Optional.some) }.joined(separator: [nil])
      let labels = all.map { columns in columns.counts.indices.map { utc(columns.start + $0 * width) } }
      let most = all.flatMap(\.counts).max() ?? 0
      writeColumns(
        Array(numbers), Array(labels.joined(separator: [""])),
        "from \(starts.joined(separator: ", ")), at most \(grouped(most)) in \(widthText(width))", to: &out)
    } else {
      out.write("<p class=\"none\">no times in the input</p>")
    }
    out.write("</section>\n")
  }

  private func utc(_ milliseconds: Int) -> String { UTC.text(milliseconds / 1000) + " UTC" }

  /// - Parameter numbers: The heights of the columns; nil is a break.
  private func writeColumns(_ numbers: [Int?], _ labels: [String], _ text: String, to out: inout Output) {
    let most = max(numbers.compactMap(\.self).max() ?? 1, 1)
    out.write(
      "<svg class=\"columns\" viewBox=\"0 0 \(numbers.count * 10) 64\" preserveAspectRatio=\"none\" role=\"img\" ")
    out.write("aria-label=\"")
    out.markup(text)
    out.write("\">")
    for (index, number) in numbers.enumerated() where number != 0 {
      guard let number else {
        out.write("<rect class=\"break\" x=\"\(index * 10 + 4)\" width=\"2\" height=\"64\"/>")
        continue
      }
      let height = max(number * 64 / most, 1)
      out.write("<rect x=\"\(index * 10 + 1)\" y=\"\(64 - height)\" width=\"8\" height=\"\(height)\">")
      out.element("title", "\(labels[index]): \(grouped(number))")
      out.write("</rect>")
    }
    out.write("</svg>\n")
    out.element("p class=\"caption\"", text)
  }
}
