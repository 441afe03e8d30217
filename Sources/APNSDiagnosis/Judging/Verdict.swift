/// The number of a verdict: of the findings of all rules about the frames of a form, with the user's severities and
/// without offsets.
struct Verdict: Sendable, Hashable, BitwiseCopyable {
  fileprivate let index: UInt16

  /// The verdict without findings.
  static let clean = Verdict(index: 0)
  var isClean: Bool { index == 0 }
}

/// All verdicts so far, each as one counted frame, and the number of frames with each since they were last moved.
struct Verdicts {
  private var frames = [CountedFrames([Finding]())]
  private var counts = [0]
  /// Whether enough of each finding in the verdict was reported, as far as that was checked.
  private var areEnough = [true]

  /// The number of a verdict; nil if there are too many different ones.
  mutating func number(of findings: [Finding]) -> Verdict? {
    let frame = CountedFrames(findings)
    if let index = frames.firstIndex(of: frame) { return Verdict(index: UInt16(index)) }
    guard frames.count < 1 << 10 else { return nil }
    frames.append(frame)
    counts.append(0)
    areEnough.append(false)
    return Verdict(index: UInt16(frames.count - 1))
  }

  /// Counts a frame.
  @inline(__always)
  mutating func add(_ verdict: Verdict) {
    counts[Int(verdict.index)] += 1
  }

  /// Whether frames with this verdict are only counted, because enough of its findings were reported so far.
  @inline(__always)
  mutating func isCountable(_ verdict: Verdict, by counting: Counting?) -> Bool {
    areEnough[Int(verdict.index)] || checkCountable(Int(verdict.index), by: counting)
  }

  @inline(never)
  private mutating func checkCountable(_ index: Int, by counting: Counting?) -> Bool {
    areEnough[index] =
      counting.map { counting in
        frames[index].findings.allSatisfy { counting.isEnough(of: $0.rule, $0.severity) }
      } ?? false
    return areEnough[index]
  }

  /// Moves the counted frames to `counted`.
  mutating func move(to counted: inout CountedFrames) {
    for index in counts.indices where counts[index] > 0 {
      counted.add(frames[index], times: counts[index])
      counts[index] = 0
    }
  }
}
