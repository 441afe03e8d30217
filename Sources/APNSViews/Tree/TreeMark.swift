import APNSDiagnosis
import APNSInput

/// What is wrong with some bytes of a record, written under them.
struct TreeMark {
  /// Within the record.
  let range: Range<Int>
  let style: Terminal.Style
  /// Each begins a line.
  let sentences: [(text: String, style: Terminal.Style)]

  /// The findings of a record.
  static func all(of record: Record) -> [TreeMark] {
    record.findings.map { finding in
      let range = (finding.range.lowerBound - record.firstByte)..<(finding.range.upperBound - record.firstByte)
      let style = Terminal.Style.of(finding.severity)
      // The position of the first byte, if the record was read from text.
      let isText = record.positions.indices.contains(range.lowerBound)
      let position = isText ? record.positions[range.lowerBound].text + ": " : ""
      let first = "\(finding.severity.rawValue) \(finding.rule): \(position)\(finding.message)"
      let details = finding.details.map { ("\($0.label): \($0.text)", $0.label == "cause" ? style : .plain) }
      return TreeMark(range: range, style: style, sentences: [(first, style)] + details)
    }
  }
}
