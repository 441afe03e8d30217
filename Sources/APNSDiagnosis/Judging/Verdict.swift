import Synchronization

/// The findings of all rules about the frames of a form, with the user's severities and without offsets.
struct Verdict: Sendable, Hashable {
  let findings: [CountedFinding]

  init(_ findings: [Finding]) {
    self.findings = findings.reduce(into: []) { $0.add($1.rule, $1.severity) }
  }

  /// The index of a verdict among all verdicts.
  struct Number: Sendable, Hashable, BitwiseCopyable {
    let index: UInt16

    /// The verdict without findings.
    static let clean = Number(index: 0)
    var isClean: Bool { index == 0 }
  }
}

/// All verdicts so far. Judges on two threads share them; new ones are rare.
final class Verdicts: Sendable {
  private let all = Mutex([Verdict([])])

  /// The number of a verdict; nil if there are too many different ones.
  func number(of verdict: Verdict) -> Verdict.Number? {
    all.withLock { all in
      if let index = all.firstIndex(of: verdict) { return Verdict.Number(index: UInt16(index)) }
      guard all.count < 1 << 10 else { return nil }
      all.append(verdict)
      return Verdict.Number(index: UInt16(all.count - 1))
    }
  }

  var list: [Verdict] { all.withLock { $0 } }
}

/// The number of frames with each verdict.
struct VerdictCounts {
  private var frames = 0
  private var counts: [Int] = []
  /// The verdicts that were counted since the last ``move(to:)``.
  private var seen: [Int] = []
  /// The verdicts by number, as far as they are known.
  private var verdicts: [Verdict] = []
  /// Whether enough of each finding in the verdict was reported, by number.
  private var areEnough: [Bool] = []

  var isEmpty: Bool { frames == 0 }

  @inline(__always)
  mutating func add(_ number: Verdict.Number) {
    frames += 1
    if !number.isClean { addFindings(Int(number.index)) }
  }

  private mutating func addFindings(_ index: Int) {
    if counts[index] == 0 { seen.append(index) }
    counts[index] += 1
  }

  /// Whether frames with this verdict are only counted, according to the last ``checkCountable(_:of:_:)``.
  @inline(__always)
  func isCountable(_ number: Verdict.Number) -> Bool {
    let index = Int(number.index)
    return index < areEnough.count && areEnough[index]
  }

  /// Whether enough of each finding in the verdict was reported so far.
  @inline(never)
  mutating func checkCountable(_ number: Verdict.Number, of all: Verdicts, _ reported: ReportedFindings) -> Bool {
    let index = Int(number.index)
    if index >= verdicts.count {
      verdicts = all.list
      counts += [Int](repeating: 0, count: verdicts.count - counts.count)
      areEnough += [Bool](repeating: false, count: verdicts.count - areEnough.count)
    }
    for finding in verdicts[index].findings {
      guard reported.areEnough(finding.rule, finding.severity) else { return false }
    }
    areEnough[index] = true
    return true
  }

  /// Adds the counts to `counted` and resets them.
  mutating func move(to counted: inout CountedFrames) {
    for index in seen {
      counted.add(counts[index], each: verdicts[index].findings)
      frames -= counts[index]
      counts[index] = 0
    }
    counted.add(frames, each: [])
    frames = 0
    seen.removeAll(keepingCapacity: true)
  }
}
