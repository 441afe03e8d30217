import APNSDiagnosis
import APNSQuery

/// Selects the records to show. Others are not counted.
struct RecordSelection {
  /// The number of the only stream to show.
  var stream: Int?
  /// The display filter.
  var filter: Filter?
  /// Maximum number of records.
  var count: Int?
  /// The options that set the same filter, for commands that users can paste.
  var flags: [String]

  init(stream: Int? = nil, filter: Filter? = nil, count: Int? = nil, flags: [String] = []) {
    self.stream = stream
    self.filter = filter
    self.count = count
    self.flags = flags
  }

  /// Whether all records are shown.
  var isAll: Bool { stream == nil && filter == nil && count == nil }
}

/// The lowest severity that makes the exit status 1.
enum FailOn: String, CaseIterable {
  case never, error, warning, note

  func isReached(by worst: Finding.Severity?) -> Bool {
    guard let worst, let bar = Finding.Severity(rawValue: rawValue) else { return false }
    return worst >= bar
  }
}
