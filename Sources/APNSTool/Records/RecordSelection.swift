import APNSDiagnosis
import APNSQuery

/// Which records are shown; the others do not count.
package struct RecordSelection {
  /// Only this stream.
  package var stream: Int?
  package var filter: Filter?
  /// At most this many records.
  package var count: Int?
  /// The options that give the same filter, for commands that can be pasted.
  package var flags: [String]

  package init(stream: Int? = nil, filter: Filter? = nil, count: Int? = nil, flags: [String] = []) {
    self.stream = stream
    self.filter = filter
    self.count = count
    self.flags = flags
  }

  /// Every record is shown.
  var isAll: Bool { stream == nil && filter == nil && count == nil }
}

/// From which severity on findings make the exit status 1.
package enum FailOn: String, CaseIterable {
  case never, error, warning, note

  func isReached(by worst: Finding.Severity?) -> Bool {
    guard let worst, let bar = Finding.Severity(rawValue: rawValue) else { return false }
    return worst >= bar
  }
}
