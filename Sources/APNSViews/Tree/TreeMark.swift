import APNSDiagnosis
import APNSInput

/// One finding, drawn under its bytes.
struct TreeMark {
  /// Within the record.
  let range: Range<Int>
  let finding: Finding
  let position: Origin.TextPosition?
}

/// The findings of one record, which are in the order of their bytes, handed out once each.
struct TreeMarks {
  private var rest: ArraySlice<TreeMark>

  init(of record: Record) {
    let marks = record.findings.map { finding in
      let range = (finding.range.lowerBound - record.firstByte)..<(finding.range.upperBound - record.firstByte)
      let isThere = record.positions.indices.contains(range.lowerBound)
      return TreeMark(range: range, finding: finding, position: isThere ? record.positions[range.lowerBound] : nil)
    }
    rest = marks[...]
  }

  /// Those that begin in `range`; where it is empty, those of the empty value that stands there.
  mutating func take(_ range: Range<Int>) -> [TreeMark] {
    guard !rest.isEmpty else { return [] }
    var taken: [TreeMark] = []
    while let mark = rest.first {
      let isHere =
        mark.range.lowerBound < range.upperBound
        || (range.isEmpty && mark.range.isEmpty && mark.range.lowerBound == range.lowerBound)
      guard isHere else { break }
      taken.append(mark)
      rest.removeFirst()
    }
    return taken
  }

  mutating func all() -> [TreeMark] {
    defer { rest = [] }
    return Array(rest)
  }
}
