import APNSInput
import APNSViews
import TestSupport
import Testing

/// What a summary keeps, against the same worked out with all the memory it takes.
@Suite struct SummaryCountersTests {
  /// Whatever the times and their order, each thing is in the column of its time.
  @Test func columnsHoldEveryThing() {
    for run in 0..<500 {
      let seed = runSeed &+ UInt64(run)
      var random = SeededGenerator(seed: seed)
      let span = 1 << Int.random(in: 0...45, using: &random)
      let start = Int.random(in: -(1 << 41)...(1 << 43), using: &random)
      let moments = (0..<Int.random(in: 1...300, using: &random)).map { _ in
        start + Int.random(in: 0...span, using: &random)
      }
      var timeline = Timeline()
      for moment in moments { timeline.add(time(moment)) }
      for limit in [2, 20, 60] {
        guard let columns = timeline.columns(atMost: limit) else {
          Issue.record("no columns, APNSCOPE_SEED=\(seed)")
          continue
        }
        var expected = [Int](repeating: 0, count: columns.counts.count)
        for moment in moments { expected[(moment - columns.start) / columns.width] += 1 }
        #expect(columns.counts == expected, "APNSCOPE_SEED=\(seed)")
        #expect(columns.counts.reduce(0, +) == moments.count)
        #expect(columns.counts.count <= limit && columns.start.isMultiple(of: columns.width), "APNSCOPE_SEED=\(seed)")
        #expect(columns.counts.first != 0 && columns.counts.last != 0, "APNSCOPE_SEED=\(seed)")
        // As fine as it can be, but for what is round.
        let used = (moments.max() ?? 0) - (moments.min() ?? 0)
        #expect(columns.width == 1 || used > columns.width / 6 * (limit - 2), "APNSCOPE_SEED=\(seed)")
      }
    }
  }

  private func time(_ milliseconds: Int) -> CaptureTime {
    let seconds = milliseconds >= 0 ? milliseconds / 1000 : (milliseconds - 999) / 1000
    return CaptureTime(seconds: seconds, nanoseconds: (milliseconds - seconds * 1000) * 1_000_000, digits: 6)
  }

  @Test func noTimeTraps() {
    var timeline = Timeline()
    for seconds in [0, .max, .min, 4_294_967_295, -1, 1 << 40] {
      timeline.add(CaptureTime(seconds: seconds, nanoseconds: .max, digits: 9))
    }
    #expect(timeline.columns(atMost: 60)?.counts.reduce(0, +) == 6)
  }

  @Test func percentilesAreThoseOfTheSortedSizes() {
    for run in 0..<300 {
      let seed = runSeed &+ UInt64(run)
      var random = SeededGenerator(seed: seed)
      let largest = [3, 255, 300, 5000, 1 << 20, .max].randomElement(using: &random) ?? 1
      let all = (0..<Int.random(in: 1...400, using: &random)).map { _ in Int.random(in: 0...largest, using: &random) }
        .sorted()
      var sizes = Sizes()
      for size in all.shuffled(using: &random) { sizes.add(size) }
      #expect(sizes.histogram.reduce(0, +) == all.count)
      let shares = [0, 50, 90, 100]
      let expected = shares.map { all[max((all.count * $0 + 99) / 100 - 1, 0)] }
      #expect(sizes.percentiles(shares) == expected, "APNSCOPE_SEED=\(seed)")
    }
  }
}
