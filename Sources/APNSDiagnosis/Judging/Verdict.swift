import Synchronization

/// What all rules report about the frames of a form, as the user weighs it: rules and severities, no places.
struct Verdict: Sendable, Hashable {
  let findings: [CountedFinding]
  /// Some of it weighs more than a note.
  let isBad: Bool

  init(_ findings: [Finding]) {
    var counted: [CountedFinding] = []
    for finding in findings {
      if let index = counted.firstIndex(where: { $0.rule == finding.rule && $0.severity == finding.severity }) {
        counted[index].count += 1
      } else {
        counted.append(CountedFinding(rule: finding.rule, severity: finding.severity, count: 1))
      }
    }
    self.findings = counted
    isBad = counted.contains { $0.severity > .note }
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
  /// Those that were counted since the last ``take(_:)``.
  private var seen: [Int] = []
  /// What the numbers mean, as far as it was asked for.
  private var verdicts: [Verdict] = []
  /// By number: the sink has enough of all that it says.
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

  /// Whether frames of this verdict need only be counted.
  @inline(__always)
  mutating func isCountable(
    _ number: Verdict.Number, of verdicts: Verdicts, _ records: borrowing some RecordSink & ~Copyable
  ) -> Bool {
    let index = Int(number.index)
    if index < areEnough.count, areEnough[index] { return true }
    return becomesCountable(index, verdicts, records)
  }

  @inline(never)
  private mutating func becomesCountable(
    _ index: Int, _ all: Verdicts, _ records: borrowing some RecordSink & ~Copyable
  ) -> Bool {
    if index >= verdicts.count {
      verdicts = all.list
      counts += [Int](repeating: 0, count: verdicts.count - counts.count)
      areEnough += [Bool](repeating: false, count: verdicts.count - areEnough.count)
    }
    for finding in verdicts[index].findings {
      guard records.hasEnough(of: finding.rule, finding.severity) else { return false }
    }
    areEnough[index] = true
    return true
  }

  /// What was counted, which is forgotten.
  mutating func take() -> PassedFrames {
    var passed = PassedFrames()
    passed.count = frames
    for index in seen {
      if verdicts[index].isBad { passed.bad += counts[index] }
      passed.add(verdicts[index].findings, times: counts[index])
      counts[index] = 0
    }
    frames = 0
    seen.removeAll(keepingCapacity: true)
    return passed
  }
}
