import APNSDiagnosis
import APNSInput

/// The times of an input's records, in periods that lie apart: captures that were made years apart would otherwise be
/// two dots on one time line.
struct ReportTimes {
  /// By input.
  private var times: [Int: ClosedRange<CaptureTime>] = [:]
  private var frames: [Int: Timeline] = [:]

  /// Further inputs share the last period.
  private static let inputLimit = 64
  /// In milliseconds. Shorter breaks are drawn to scale.
  private static let leastBreak = 60_000

  /// `first` and `last` are in milliseconds since 1970; `frames` are the times of frames.
  typealias Period = (first: Int, last: Int, frames: Timeline)

  mutating func add(_ record: Record) {
    let input = min(record.input, Self.inputLimit - 1)
    times[input].add(record)
    guard case .frame = record.content, let time = record.packets.first?.time else { return }
    frames[input, default: Timeline()].add(time)
  }

  /// The periods in order. A break is longer than all inputs together.
  var periods: [Period] {
    let inputs: [Period] = times.map { input, times in
      (times.lowerBound.milliseconds, times.upperBound.milliseconds, frames[input] ?? Timeline())
    }
    let leastBreak = inputs.reduce(Self.leastBreak) { $0 + $1.last - $1.first }
    var periods: [Period] = []
    for input in inputs.sorted(by: { ($0.first, $0.last) < ($1.first, $1.last) }) {
      if let end = periods.last?.last, input.first - end <= leastBreak {
        periods[periods.count - 1].last = max(end, input.last)
        periods[periods.count - 1].frames.add(input.frames)
      } else {
        periods.append(input)
      }
    }
    return periods
  }
}
