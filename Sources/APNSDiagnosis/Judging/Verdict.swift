/// The different verdicts so far: the findings of all rules about a frame, with the user's severities and without
/// offsets. A verdict is referred to by its index.
struct Verdicts {
  /// A frame with each verdict, the number of those that were not moved yet, and whether enough of each finding was
  /// reported, as far as that was checked.
  private var all: [(frame: CountedFrames, count: Int, isEnough: Bool)] = []

  /// The index of a verdict; nil if there are too many different ones.
  mutating func index(of findings: [Finding]) -> Int? {
    let frame = CountedFrames(findings)
    if let index = all.firstIndex(where: { $0.frame == frame }) { return index }
    guard all.count < 1 << 10 else { return nil }
    all.append((frame, 0, findings.isEmpty))
    return all.count - 1
  }

  @inline(__always)
  mutating func add(_ verdict: Int) {
    all[verdict].count += 1
  }

  /// Whether frames with this verdict are only counted, because enough of its findings were reported so far.
  @inline(__always)
  mutating func isCountable(_ verdict: Int, by counting: Counting?) -> Bool {
    if !all[verdict].isEnough, let counting { all[verdict].isEnough = counting.isEnough(of: all[verdict].frame) }
    return all[verdict].isEnough
  }

  mutating func move(to counted: inout CountedFrames) {
    for index in all.indices where all[index].count > 0 {
      counted.add(all[index].frame, times: all[index].count)
      all[index].count = 0
    }
  }
}
