import APNSDiagnosis
import APNSInput
import APNSWire

/// What is wrong with some bytes of a record, written under them.
struct TreeMark {
  /// Within the record.
  let range: Range<Int>
  let style: Terminal.Style
  /// Each begins a line.
  let sentences: [(text: String, style: Terminal.Style)]

  /// The findings of a record, and the lengths that their cause blames, in the order of their bytes.
  static func all(of record: Record, _ bytes: Span<UInt8>, _ members: Members) -> [TreeMark] {
    let (base, positions) = (record.firstByte, record.positions)
    /// The position of the first byte, if the record was read from text.
    func position(_ range: Range<Int>) -> String {
      positions.indices.contains(range.lowerBound) ? positions[range.lowerBound].text + ": " : ""
    }
    let findings = record.findings.map { finding in
      let range = (finding.range.lowerBound - base)..<(finding.range.upperBound - base)
      let style = Terminal.Style.of(finding.severity)
      let first = "\(finding.severity.rawValue) \(finding.rule): \(position(range))\(finding.message)"
      let details = finding.details.map { ("\($0.label): \($0.text)", $0.label == "cause" ? style : .plain) }
      return TreeMark(range: range, style: style, sentences: [(first, style)] + details)
    }
    guard let cause = record.findings.lazy.compactMap(\.cause).first, case .frame(let frame, _) = record.content else {
      return findings
    }
    let lengths = members.wrongLengths(of: frame, bytes, cause).map { range, value in
      let sentence = "cause: \(cause.id): \(position(range))expected \(value)"
      return TreeMark(range: range, style: .error, sentences: [(sentence, .error)])
    }
    return (lengths + findings).sorted { $0.range.lowerBound < $1.range.lowerBound }
  }
}

extension Members {
  /// The lengths of a frame that have another value in the frame as repaired, with that value. Empty if the first byte
  /// that the repair changes is not in one of them.
  fileprivate func wrongLengths(
    of frame: FrameRef, _ bytes: Span<UInt8>, _ cause: Cause
  ) -> [(range: Range<Int>, correct: UInt64)] {
    guard let repaired = cause.repaired?.span, let role = catalog.schema(of: frame)?.role,
      let firstChange = (0..<min(bytes.count, repaired.count)).first(where: { bytes[$0] != repaired[$0] })
    else { return [] }
    var correct: [Range<Int>: UInt64] = [:]
    forEach(of: catalog.frame(at: 0, in: repaired, of: role), in: repaired) { member in
      if let length = member.length(in: repaired) { correct[member.leaf.range] = length }
    }
    var wrong: [(range: Range<Int>, correct: UInt64)] = []
    forEach(of: frame, in: bytes) { member in
      guard member.leaf.state == .whole, let length = member.length(in: bytes), let value = correct[member.leaf.range]
      else { return }
      if value != length { wrong.append((member.leaf.range, value)) }
    }
    return wrong.contains { $0.range.contains(firstChange) } ? wrong : []
  }
}
