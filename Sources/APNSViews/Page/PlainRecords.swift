import APNSDiagnosis
import APNSInput
import APNSWire

/// What the page shows without scripts: the first findings and the first records.
struct PlainRecords {
  private var tree: TreeView
  private var trees = Output()
  private var shown = 0
  /// By severity.
  private var findings: [Finding.Severity: [(finding: Finding, stream: Int, number: Int)]] = [:]
  private var count = 0

  private static let findingLimit = 200
  private static let recordLimit = 40
  /// The bytes of one record's tree, and of all.
  private static let treeLimit = 32 << 10
  private static let treesLimit = 256 << 10

  init(_ catalog: Catalog) { tree = TreeView(catalog, terminal: Terminal(width: 120)) }

  mutating func add(_ record: Record, _ bytes: Span<UInt8>) {
    for finding in record.findings {
      count += 1
      guard findings[finding.severity, default: []].count < Self.findingLimit else { continue }
      findings[finding.severity, default: []].append((finding, record.stream.number, record.number))
    }
    guard shown < Self.recordLimit, trees.count < Self.treesLimit else { return }
    shown += 1
    var out = Output()
    tree.show(record, bytes, to: &out)
    guard out.count > Self.treeLimit else { return out.read { trees.write($0) } }
    let text = out.bytes[..<Self.treeLimit]
    trees.write(Array(text[...(text.lastIndex(of: UInt8(ascii: "\n")) ?? text.endIndex - 1)]))
    trees.write("... the rest of this record is left out here\n")
  }

  func writeFindings(to out: inout Output) {
    let sorted = Finding.Severity.allCases.reversed().flatMap { findings[$0] ?? [] }.prefix(Self.findingLimit)
    guard !sorted.isEmpty else { return out.write("<p>There are no findings.</p>\n") }
    out.write("<table class=\"findings\"><thead><tr><th scope=\"col\">Severity</th><th scope=\"col\">Record</th>")
    out.write("<th scope=\"col\">Finding</th></tr></thead><tbody>\n")
    for (finding, stream, number) in sorted {
      out.write("<tr><td class=\"\(finding.severity.rawValue)\">\(finding.severity.rawValue)</td>")
      out.write("<td>stream \(stream), #\(number), \(hexText(finding.range.lowerBound, digits: 1))</td>")
      out.write("<td><p>")
      out.element("code", finding.rule)
      out.write(" ")
      out.markup(finding.message)
      out.write("</p>")
      for (label, text) in finding.details {
        out.write("<p><b>\(label):</b> ")
        out.markup(text)
        out.write("</p>")
      }
      out.write("</td></tr>\n")
    }
    out.write("</tbody></table>\n")
    if count > sorted.count { out.write("<p>and \(counted(count - sorted.count, "more finding"))</p>\n") }
  }

  func writeTree(of total: Int, to out: inout Output) {
    out.write("<pre>")
    out.markup(printable: trees.text)
    out.write("</pre>\n")
    if total > shown { out.write("<p>and \(counted(total - shown, "more record"))</p>\n") }
  }
}
