import APNSDiagnosis
import APNSInput
import APNSWire

/// What is wrong with bytes, drawn under them.
struct TreeMark {
  /// Within the record.
  let range: Range<Int>
  let content: Content
  let position: Origin.TextPosition?

  enum Content {
    case finding(Finding)
    /// A length that the cause of a finding blames, and what it should be.
    case length(UInt64, cause: Cause)
  }
}

/// The findings of one record, which are in the order of their bytes, handed out once each.
struct TreeMarks {
  private var rest: ArraySlice<TreeMark>

  init(of record: Record, _ bytes: Span<UInt8>, _ catalog: Catalog) {
    let marks = record.findings.map { finding in
      let range = (finding.range.lowerBound - record.firstByte)..<(finding.range.upperBound - record.firstByte)
      let isThere = record.positions.indices.contains(range.lowerBound)
      return TreeMark(
        range: range, content: .finding(finding), position: isThere ? record.positions[range.lowerBound] : nil)
    }
    guard let cause = record.findings.lazy.compactMap(\.cause).first, case .frame(let frame, _) = record.content else {
      rest = marks[...]
      return
    }
    let lengths = Self.lengths(of: frame, bytes, cause, catalog).map { length in
      let isThere = record.positions.indices.contains(length.range.lowerBound)
      return TreeMark(
        range: length.range, content: .length(length.meant, cause: cause),
        position: isThere ? record.positions[length.range.lowerBound] : nil)
    }
    rest =
      (lengths + marks).enumerated().sorted {
        ($0.element.range.lowerBound, $0.offset) < ($1.element.range.lowerBound, $1.offset)
      }.map(\.element)[...]
  }

  /// The lengths that the repaired frame has otherwise, if what it changes first is one.
  private static func lengths(
    of frame: FrameRef, _ bytes: Span<UInt8>, _ cause: Cause, _ catalog: Catalog
  ) -> [(range: Range<Int>, meant: UInt64)] {
    guard let repaired = cause.repaired?.span, let role = catalog.schema(of: frame)?.role,
      let first = (0..<min(bytes.count, repaired.count)).first(where: { bytes[$0] != repaired[$0] })
    else { return [] }
    var meant: [Range<Int>: UInt64] = [:]
    catalog.forEachField(of: catalog.frame(at: 0, in: repaired, of: role), in: repaired) { leaf in
      if leaf.isLength { meant[leaf.range] = repaired.extracting(leaf.range).number }
    }
    var lengths: [(range: Range<Int>, meant: UInt64)] = []
    catalog.forEachField(of: frame, in: bytes) { leaf in
      guard leaf.isLength, leaf.state == .whole, let value = meant[leaf.range],
        value != bytes.extracting(leaf.range).number
      else { return }
      lengths.append((leaf.range, value))
    }
    return lengths.contains { $0.range.contains(first) } ? lengths : []
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

extension FieldRef {
  fileprivate var isLength: Bool { kind == .length || kind == .itemLength }
}
