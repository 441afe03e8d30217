import APNSDiagnosis
import APNSViews

/// The records that the page contains in full: as many as fit. If not all fit, a record replaces the last ones whose
/// findings are less severe.
struct EmbeddedRecords {
  private let limit: Int
  private var entries: [[UInt8]] = []
  /// The indices of the entries by rank.
  private var ranked: [[Int]]
  private var size = 0
  private var isFull = false
  /// The number of records that are embedded.
  private(set) var count = 0

  /// The bytes of all entries.
  static let sizeLimit = 20 << 20

  init(limit: Int) {
    self.limit = limit
    ranked = Array(repeating: [], count: Finding.Severity.allCases.count + 1)
  }

  /// Whether there may be a place for a record. `worst` is the severity of its worst finding.
  func wants(worst: Finding.Severity?) -> Bool { !isFull || ranked[..<worst.rank].contains { !$0.isEmpty } }

  /// Adds a record, unless there is no place for it.
  mutating func add(_ entry: borrowing Output, worst: Finding.Severity?) {
    var escaped = Output()
    escaped.scriptJSON(entry)
    while !fits(escaped.count) {
      isFull = true
      guard let rank = ranked[..<worst.rank].firstIndex(where: { !$0.isEmpty }) else { return }
      remove(ranked[rank].removeLast())
    }
    ranked[worst.rank].append(entries.count)
    entries.append(escaped.bytes)
    size += escaped.count
    count += 1
  }

  private mutating func remove(_ index: Int) {
    size -= entries[index].count
    entries[index] = []
    count -= 1
  }

  private func fits(_ bytes: Int) -> Bool { count < limit && size + bytes <= Self.sizeLimit }

  /// Writes the records, a line each.
  func write(to out: inout Output) {
    for entry in entries { out.write(entry) }
  }
}

extension Finding.Severity? {
  fileprivate var rank: Int { map { severity in 1 + Finding.Severity.allCases.filter { $0 < severity }.count } ?? 0 }
}
