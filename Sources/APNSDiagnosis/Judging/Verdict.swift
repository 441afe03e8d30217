import Synchronization

/// What all rules report about the frames of a form, as the user weighs it: rules and severities, no places.
struct Verdict: Sendable, Hashable {
  let findings: [CountedFinding]

  init(_ findings: [Finding]) {
    self.findings = findings.reduce(into: []) { $0.add($1.rule, $1.severity) }
  }

  /// Its place among all verdicts.
  struct Number: Sendable, Hashable, BitwiseCopyable {
    let index: UInt16

    /// Nothing is reported.
    static let clean = Number(index: 0)
    var isClean: Bool { index == 0 }
  }
}

/// All verdicts so far. Judges on two threads share them; a new one is rare.
final class Verdicts: Sendable {
  private let all = Mutex([Verdict([])])

  /// Nil once there are too many different ones.
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

/// How many frames got which verdict.
struct VerdictCounts {
  private var frames = 0
  private var counts: [Int] = []
  /// Those that were counted since the last ``move(to:)``.
  private var seen: [Int] = []
  /// What the numbers mean, as far as it was asked for.
  private var verdicts: [Verdict] = []
  /// By number: enough of all that it says was reported.
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

  /// Whether frames of this verdict need only be counted, as far as ``checkCountable(_:of:_:)`` knows.
  @inline(__always)
  func isCountable(_ number: Verdict.Number) -> Bool {
    let index = Int(number.index)
    return index < areEnough.count && areEnough[index]
  }

  /// Whether enough of all that the verdict says was reported by now.
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

  /// Adds what was counted to `counted`, and forgets it.
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
