import APNSDiagnosis
import APNSWire

/// Findings put together by what they say: of each rule the first one, how many, and where some of the others are.
/// Memory is bounded, however many there are.
struct FindingFold {
  private(set) var groups: [Group] = []
  private var indices: [Key: Int] = [:]
  private let catalog: Catalog
  /// What each group lists beside its first finding.
  private let most: Int

  private struct Key: Hashable {
    let rule: String
    let severity: Finding.Severity
    let cause: String?
  }

  struct Group {
    let first: Entry
    let fix: String
    /// The sender's bug behind the first one, and behind all others.
    let cause: Cause?
    let answer: GatewayReply?
    /// Behind the first one.
    fileprivate(set) var more: [Entry] = []
    fileprivate(set) var count = 1
    /// In so many records.
    fileprivate(set) var frames = 1
    fileprivate var lastFrame: Frame
    let rule: String
    let severity: Finding.Severity
  }

  struct Entry {
    let place: FindingPlace
    let message: String
  }

  fileprivate struct Frame: Equatable {
    let stream: Int
    let number: Int
  }

  /// - Parameter most: entries of one rule beside the first.
  init(_ catalog: Catalog, most: Int) {
    self.catalog = catalog
    self.most = most
  }

  /// - Parameter oncePerFrame: of several findings in one record, only the first is listed.
  mutating func add(_ record: Record, _ bytes: Span<UInt8>, oncePerFrame: Bool) {
    let frame = Frame(stream: record.stream.number, number: record.number)
    for finding in record.findings {
      let key = Key(rule: finding.rule, severity: finding.severity, cause: finding.cause?.id)
      guard let index = indices[key] else {
        indices[key] = groups.count
        groups.append(
          Group(
            first: entry(finding, record, bytes), fix: finding.fix, cause: finding.cause, answer: finding.answer,
            lastFrame: frame,
            rule: finding.rule, severity: finding.severity))
        continue
      }
      groups[index].count += 1
      let isNew = groups[index].lastFrame != frame
      if isNew {
        groups[index].frames += 1
        groups[index].lastFrame = frame
      }
      guard isNew || !oncePerFrame, groups[index].more.count < most else { continue }
      groups[index].more.append(entry(finding, record, bytes))
    }
  }

  /// This many more findings are in this many more records.
  mutating func count(_ findings: Int, in records: Int, of rule: String, _ severity: Finding.Severity) {
    guard let index = indices[Key(rule: rule, severity: severity, cause: nil)] else { return }
    groups[index].count += findings
    groups[index].frames += records
  }

  private func entry(_ finding: Finding, _ record: Record, _ bytes: Span<UInt8>) -> Entry {
    Entry(place: FindingPlace(of: finding, in: record, bytes, catalog), message: printable(finding.message))
  }

  /// Errors first; of one severity, in the order in which they turned up.
  var inOrder: [Group] {
    Finding.Severity.allCases.reversed().flatMap { severity in groups.filter { $0.severity == severity } }
  }
}
