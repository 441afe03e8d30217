import APNSDiagnosis
import APNSWire

/// Groups findings by rule, severity and cause: the first finding, the number of them, and the locations of some
/// others. Memory does not grow with the number of findings.
struct FindingFold {
  private var groups: [Group] = []
  private let catalog: Catalog
  /// The most locations that a group keeps after its first finding.
  private let most: Int

  struct Group {
    /// The first finding. The others have the same rule, severity and cause.
    let finding: Finding
    /// The first finding, and some of those after it.
    fileprivate(set) var entries: [Entry]
    fileprivate(set) var count = 1
    /// The number of records with findings of the group.
    fileprivate(set) var frames = 1
    /// The stream and the number of the last of these records.
    fileprivate var lastFrame: (Int, Int)
  }

  /// What is kept of a finding without its record: the numbers of the input, the stream in its file, if there are
  /// several, and the record; its place in words, and its message.
  typealias Entry = (input: Int, stream: Int?, number: Int, place: String, message: String)

  init(_ catalog: Catalog, most: Int) { (self.catalog, self.most) = (catalog, most) }

  /// - Parameter oncePerFrame: list only the first of several findings of a group in one record.
  mutating func add(_ record: Record, _ bytes: Span<UInt8>, oncePerFrame: Bool) {
    let frame = (record.stream.number, record.number)
    for finding in record.findings {
      guard let index = index(finding.rule, finding.severity, finding.cause?.id) else {
        groups.append(Group(finding: finding, entries: [entry(finding, record, bytes)], lastFrame: frame))
        continue
      }
      groups[index].count += 1
      let isNew = groups[index].lastFrame != frame
      if isNew {
        groups[index].frames += 1
        groups[index].lastFrame = frame
      }
      guard isNew || !oncePerFrame, groups[index].entries.count <= most else { continue }
      groups[index].entries.append(entry(finding, record, bytes))
    }
  }

  /// Adds findings that were counted without keeping their records.
  mutating func count(_ findings: CountedFrames.Findings) {
    guard let index = index(findings.rule, findings.severity, nil) else { return }
    groups[index].count += findings.count
    groups[index].frames += findings.frames
  }

  private func index(_ rule: String, _ severity: Finding.Severity, _ cause: String?) -> Int? {
    groups.firstIndex { $0.finding.rule == rule && $0.finding.severity == severity && $0.finding.cause?.id == cause }
  }

  private func entry(_ finding: Finding, _ record: Record, _ bytes: Span<UInt8>) -> Entry {
    (
      record.input, record.stream.isDirected ? record.stream.numberInFile : nil, record.number,
      record.place(of: finding, identifier: record.number(.identifier, in: bytes, catalog)), finding.message
    )
  }

  /// Errors first; within a severity, in the order of the first findings.
  var inOrder: [Group] {
    Finding.Severity.allCases.reversed().flatMap { severity in groups.filter { $0.finding.severity == severity } }
  }
}
