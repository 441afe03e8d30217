import APNSDiagnosis
import APNSInput

/// A histogram of times, which are added in any order. If they fall into too many steps, the steps become longer.
package struct Timeline: Sendable {
  package private(set) var count = 0
  /// The first and the last time, in milliseconds since 1970.
  private var earliest = Int.max
  private var latest = Int.min
  /// The number of times in each step of the current width.
  private var counts: [Int: Int] = [:]
  private var level = 0

  private static let limit = 4096
  /// Possible widths of a step in milliseconds, each a multiple of the previous one.
  private static let widths =
    [1, 10, 100, 1000, 10_000, 60_000, 600_000, 3_600_000] + [1, 10, 100, 1000, 10_000].map { $0 * day }
  /// Possible widths of a column in milliseconds.
  private static let roundWidths: [Int] = {
    let powers = (0...8).map { exponent in (0..<exponent).reduce(day) { width, _ in width * 10 } }
    return [1, 2, 5, 10, 20, 50, 100, 200, 500]  // milliseconds
      + [1, 2, 5, 10, 30].map { $0 * 1000 } + [1, 2, 5, 10, 30].map { $0 * 60_000 }
      + [1, 2, 6, 12].map { $0 * 3_600_000 } + powers.flatMap { [$0, 2 * $0, 5 * $0] }
  }()
  private static let day = 86_400_000

  package init() {}

  package mutating func add(_ time: CaptureTime) {
    add(1, at: time.clamped.milliseconds)
  }

  /// Adds the times of another histogram, each at the beginning of its step.
  package mutating func add(_ other: Timeline) {
    for (step, number) in other.counts { add(number, at: step * Self.widths[other.level]) }
  }

  private mutating func add(_ number: Int, at moment: Int) {
    (earliest, latest) = (min(earliest, moment), max(latest, moment))
    count += number
    counts[Self.step(moment, Self.widths[level]), default: 0] += number
    // The times that are possible fall into fewer steps of the largest width.
    while counts.count > Self.limit {
      let finer = Self.widths[level]
      level += 1
      let coarser = counts.map { (Self.step($0.key * finer, Self.widths[level]), $0.value) }
      counts = Dictionary(coarser, uniquingKeysWith: +)
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
    let finest = Self.widths[level]
    let width = Self.roundWidths.first { width in
      width >= least && width.isMultiple(of: finest)
        && Self.step(latest, width) - Self.step(earliest, width) < max(limit, 2)
    }
    guard let width else { return nil }
    let first = Self.step(earliest, width)
    var columns = [Int](repeating: 0, count: Self.step(latest, width) - first + 1)
    for (step, number) in counts { columns[Self.step(step * finest, width) - first] += number }
    return (width, first * width, columns)
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
