import APNSDiagnosis
import APNSInput

/// A histogram of times, which are added in any order. If they fall into too many steps, the steps become longer.
package struct Timeline: Sendable {
  package private(set) var count = 0
  /// The first and the last time, in milliseconds since 1970.
  private var earliest = Int.max
  private var latest = Int.min
  /// The number of times in each step, and the width of a step in milliseconds.
  private var counts: [Int: Int] = [:]
  private var width = 1

  private static let limit = 4096
  /// Possible widths of a step or a column in milliseconds.
  private static let widths: [Int] = {
    let day = 86_400_000
    let powers = (0...8).map { exponent in (0..<exponent).reduce(day) { width, _ in width * 10 } }
    return [1, 2, 5, 10, 20, 50, 100, 200, 500]  // milliseconds
      + [1, 2, 5, 10, 30].map { $0 * 1000 } + [1, 2, 5, 10, 30].map { $0 * 60_000 }
      + [1, 2, 6, 12].map { $0 * 3_600_000 } + powers.flatMap { [$0, 2 * $0, 5 * $0] }
  }()

  package init() {}

  package mutating func add(_ time: CaptureTime) { add(1, at: time.clamped.milliseconds) }

  /// Adds the times of another histogram, each at the beginning of its step.
  package mutating func add(_ other: Timeline) {
    for (step, number) in other.counts { add(number, at: step * other.width) }
  }

  private mutating func add(_ number: Int, at moment: Int) {
    (earliest, latest) = (min(earliest, moment), max(latest, moment))
    count += number
    counts[Self.step(moment, width), default: 0] += number
    // The times that are possible fall into few steps of the largest width.
    while counts.count > Self.limit, let wider = Self.widths.first(where: { $0 > width && $0.isMultiple(of: width) }) {
      counts = Dictionary(counts.map { (Self.step($0.key * width, wider), $0.value) }, uniquingKeysWith: +)
      width = wider
    }
  }

  /// Milliseconds from the first time to the last.
  package var span: Int { count > 0 ? latest - earliest : 0 }

  /// The counts for a bar chart: the width of a column, which is round, and the beginning of the first since 1970, both
  /// in milliseconds.
  package typealias Columns = (width: Int, start: Int, counts: [Int])

  /// From 1 to `limit` columns, each of at least `least` milliseconds; nil if there are no times.
  package func columns(atMost limit: Int, width least: Int = 0) -> Columns? {
    guard count > 0 else { return nil }
    let column = Self.widths.first { column in
      column >= least && column.isMultiple(of: width)
        && Self.step(latest, column) - Self.step(earliest, column) < max(limit, 2)
    }
    guard let column else { return nil }
    let first = Self.step(earliest, column)
    var columns = [Int](repeating: 0, count: Self.step(latest, column) - first + 1)
    for (step, number) in counts { columns[Self.step(step * width, column) - first] += number }
    return (column, first * column, columns)
  }

  /// The step that has a moment: rounded down, also before 1970.
  static func step(_ moment: Int, _ width: Int) -> Int {
    moment >= 0 ? moment / width : (moment + 1) / width - 1
  }
}

extension CaptureTime {
  /// The time, limited to about 35,000 years before and after 1970, since a capture may claim any time.
  package var clamped: CaptureTime {
    CaptureTime(
      seconds: min(max(seconds, -1 << 40), 1 << 40), nanoseconds: min(max(nanoseconds, 0), 999_999_999), digits: digits)
  }

  package var milliseconds: Int { seconds * 1000 + nanoseconds / 1_000_000 }
}

extension ClosedRange<CaptureTime>? {
  /// Adds the times of a record's packets.
  mutating func add(_ record: Record) {
    for case let time? in record.packets.lazy.map(\.time?.clamped) {
      self = self.map { min($0.lowerBound, time)...max($0.upperBound, time) } ?? time...time
    }
  }
}
