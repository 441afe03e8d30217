import APNSDiagnosis

/// The times of an input's records, in periods that lie apart: captures that were made years apart would otherwise be
/// two dots on one time line.
struct ReportTimes {
  private var inputs: [Int: Period] = [:]

  /// Further inputs share the last period.
  private static let inputLimit = 64
  /// In milliseconds. Shorter breaks are drawn to scale.
  private static let leastBreak = 60_000

  struct Period {
    /// In milliseconds since 1970.
    fileprivate(set) var first: Int
    fileprivate(set) var last: Int
    /// The times of frames.
    fileprivate(set) var frames = Timeline()

    fileprivate mutating func add(_ first: Int, _ last: Int) {
      (self.first, self.last) = (min(self.first, first), max(self.last, last))
    }
  }

  mutating func add(_ record: Record) {
    let input = min(record.input, Self.inputLimit - 1)
    for case let time? in record.packets.map(\.time) {
      let moment = time.clamped.milliseconds
      inputs[input, default: Period(first: moment, last: moment)].add(moment, moment)
    }
    guard case .frame = record.content, let time = record.packets.first?.time else { return }
    inputs[input]?.frames.add(time)
  }

  /// The periods in order. A break is longer than all inputs together.
  var periods: [Period] {
    let leastBreak = inputs.values.reduce(Self.leastBreak) { $0 + $1.last - $1.first }
    var periods: [Period] = []
    for input in inputs.values.sorted(by: { ($0.first, $0.last) < ($1.first, $1.last) }) {
      guard let end = periods.last?.last, input.first - end <= leastBreak else {
        periods.append(input)
        continue
      }
      periods[periods.count - 1].add(input.first, input.last)
      periods[periods.count - 1].frames.add(input.frames)
    }
    return periods
  }
}
