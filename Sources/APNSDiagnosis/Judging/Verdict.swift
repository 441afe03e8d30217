import Synchronization

/// The number of a verdict: of the findings of all rules about the frames of a form, with the user's severities and
/// without offsets.
struct Verdict: Sendable, Hashable, BitwiseCopyable {
  let index: UInt16

  /// The verdict without findings.
  static let clean = Verdict(index: 0)
  var isClean: Bool { index == 0 }
}

/// All verdicts so far, each as one counted frame. Judges on two threads share them; new ones are rare.
final class Verdicts: Sendable {
  private let all = Mutex([CountedFrames([Finding]())])

  /// The number of a verdict; nil if there are too many different ones.
  func number(of findings: [Finding]) -> Verdict? {
    let frame = CountedFrames(findings)
    return all.withLock { all in
      if let index = all.firstIndex(of: frame) { return Verdict(index: UInt16(index)) }
      guard all.count < 1 << 10 else { return nil }
      all.append(frame)
      return Verdict(index: UInt16(all.count - 1))
    }
  }

  var list: [CountedFrames] { all.withLock { $0 } }
}

/// The number of frames with each verdict.
struct VerdictCounts {
  private var frames = 0
  private var counts: [Int] = []
  /// The verdicts that were counted since the last ``move(to:)``.
  private var seen: [Int] = []
  /// The verdicts by number, as far as they are known.
  private var verdicts: [CountedFrames] = []
  /// Whether enough of each finding in the verdict was reported, by number.
  private var areEnough: [Bool] = []

  var isEmpty: Bool { frames == 0 }

  @inline(__always)
  mutating func add(_ number: Verdict) {
    frames += 1
    if !number.isClean { addFindings(Int(number.index)) }
  }

  private mutating func addFindings(_ index: Int) {
    if counts[index] == 0 { seen.append(index) }
    counts[index] += 1
  }

  /// Whether frames with this verdict are only counted, according to the last `checkCountable(_:of:_:)`.
  @inline(__always)
  func isCountable(_ number: Verdict) -> Bool {
    let index = Int(number.index)
    return index < areEnough.count && areEnough[index]
  }

  /// Whether enough of each finding in the verdict was reported so far.
  @inline(never)
  mutating func checkCountable(_ number: Verdict, of all: Verdicts, _ counting: Counting) -> Bool {
    let index = Int(number.index)
    if index >= verdicts.count {
      verdicts = all.list
      counts += [Int](repeating: 0, count: verdicts.count - counts.count)
      areEnough += [Bool](repeating: false, count: verdicts.count - areEnough.count)
    }
    for finding in verdicts[index].findings {
      guard counting.isEnough(of: finding.rule, finding.severity) else { return false }
    }
    areEnough[index] = true
    return true
  }

  /// Adds the counts to `counted` and resets them.
  mutating func move(to counted: inout CountedFrames) {
    for index in seen {
      counted.add(verdicts[index], times: counts[index])
      frames -= counts[index]
      counts[index] = 0
    }
    if frames > 0 { counted.add(CountedFrames([Finding]()), times: frames) }
    frames = 0
    seen.removeAll(keepingCapacity: true)
  }
}
