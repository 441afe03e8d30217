import APNSCraft
import APNSDiagnosis
import APNSViews
import Octets

/// Runs a decoder on one case after the other, several at a time, and has kept what it fails on.
struct FuzzLoop {
  private let decoder: Decoder
  private let verdicts: FuzzVerdicts
  private let jobs: Int
  private(set) var failures: FuzzFailures
  private var cases = 0
  private var orphans = 0
  /// Of the runs that ended by themselves, in seconds.
  private var slowest = 0.0
  /// Cases that ended before an earlier one did: they are judged in their order, so that the number of jobs decides nothing.
  private var early: [Int: (TestCase, ChildProcess.Outcome)] = [:]

  init(_ decoder: Decoder, _ verdicts: FuzzVerdicts, _ failures: FuzzFailures, jobs: Int) {
    self.decoder = decoder
    self.verdicts = verdicts
    self.failures = failures
    self.jobs = jobs
  }

  private struct Running {
    let testCase: TestCase
    let file: TemporaryFile
    var child: ChildProcess
  }

  /// - Parameter deadline: by ``clockSeconds()``; no case is begun after it.
  mutating func go(_ cases: Mutations, count: Int, until deadline: Double?) throws {
    var cases = cases
    var running: [Running] = []
    var idle: [TemporaryFile] = []
    var given = 0
    defer {
      for index in running.indices { running[index].child.stop() }
      ChildProcess.endOrphans(sparing: [])
    }
    while !Interrupt.isRaised {
      let isOver = given >= count || deadline.map { clockSeconds() > $0 } ?? false
      while !isOver, !failures.areWaiting, running.count < jobs, given < count {
        let next = cases.next()
        given += 1
        let file = try idle.popLast() ?? TemporaryFile.make()
        try file.replace(with: next.bytes)
        let limit = failures.isKnownTimeout(next) ? quickLimit : nil
        running.append(Running(testCase: next, file: file, child: try decoder.start(on: file.path, seconds: limit)))
      }
      if running.isEmpty {
        // Only now, so that nobody runs unwatched meanwhile.
        try failures.keepWaiting(quickLimit: quickLimit)
        if isOver { break }
        continue
      }
      var (still, hasEnded) = ([Running](), false)
      for var run in running {
        if let outcome = run.child.outcome() {
          hasEnded = true
          early[run.testCase.number] = (run.testCase, outcome)
          idle.append(run.file)
        } else {
          still.append(run)
        }
      }
      running = still
      if hasEnded {
        orphans += ChildProcess.endOrphans(sparing: running.map(\.child))
        try judgeThoseInTurn()
      } else {
        ChildProcess.wait(for: running.map(\.child))
      }
      failures.progress?.show { seconds in
        let most = count == .max ? "" : " of \(count)"
        let left = deadline.map { "  \(Int(max(0, $0 - clockSeconds()).rounded(.up))) s left" } ?? ""
        return "fuzzing: \(self.cases)\(most) cases  \(Int(Double(self.cases) / seconds)) a second  "
          + "\(plural(failures.all.count, "failure"))\(left)"
      }
    }
    try failures.keepWaiting(quickLimit: quickLimit)
    failures.progress?.clear()
  }

  /// Seconds that a run which ends by itself surely does not take; nil where none did yet.
  private var quickLimit: Double? { slowest > 0 ? max(0.1, slowest * 4) : nil }

  private mutating func judgeThoseInTurn() throws(Failure) {
    while let (testCase, outcome) = early.removeValue(forKey: cases) {
      cases += 1
      try judge(testCase, outcome)
    }
  }

  private mutating func judge(_ testCase: TestCase, _ outcome: ChildProcess.Outcome) throws(Failure) {
    if case .exited(let status) = outcome.ending {
      slowest = max(slowest, outcome.seconds)
      if status == 126 || status == 127 { throw cannotRun(outcome) }
    }
    if verdicts.isFailed(testCase, by: outcome.ending) { failures.add(testCase, outcome) }
  }

  private func cannotRun(_ outcome: ChildProcess.Outcome) -> Failure {
    .unreadable("the command \(outcome.ending.words)\(outcome.quotation); try to run it yourself, with a full path")
  }

  func sayWhatCameOut(seed: UInt64) {
    if orphans > 0 {
      StandardError.say("killed \(orphans == 1 ? "a process" : "\(orphans) processes") that the command left running")
    }
    let stopped = Interrupt.isRaised ? "stopped after " : ""
    StandardError.say("\(stopped)\(plural(cases, "case")) of --seed \(seed): \(failures.account)")
  }
}

// Before the run: whether the command tells right from wrong at all. What fails everything is one mistake, not a hundred.
extension FuzzLoop {
  /// Gives false where a run would say nothing more.
  /// - Parameter sound: valid cases, where the others are chosen.
  mutating func probe(_ cases: Mutations, sound: Mutations?) throws -> Bool {
    let file = try TemporaryFile.make()
    var (right, wrong) = Self.examples(cases, sound: sound)
    right.removeAll { verdicts.expected($0) != .accept && !verdicts.ignoresStatus }
    wrong.removeAll { verdicts.expected($0) != .reject }
    let rightEndings = try endings(of: right, in: file)
    if let first = rightEndings.first, right.count == rightEndings.count, right.count >= Self.fewest,
      rightEndings.allSatisfy({ $0.ending == first.ending }), verdicts.isFailed(right[0], by: first.ending)
    {
      let ended = first.ending.isVerdict ? "refuses (status \(first.ending.status))" : first.ending.words + " on"
      return try giveUp(
        right[0], first, "the command \(ended) each of the first \(right.count) valid streams\(first.quotation)")
    }
    let wrongEndings = try endings(of: wrong, in: file)
    if wrong.count == wrongEndings.count, wrong.count >= Self.fewest,
      wrongEndings.allSatisfy({ $0.ending == .exited(0) }), rightEndings.allSatisfy({ $0.ending == .exited(0) })
    {
      return try giveUp(
        wrong[0], wrongEndings[0],
        "the command accepts everything, even \(wrong.count) streams that break \(wrong.count) different rules; make it "
          + "exit with status 1 for invalid streams, or look only for crashes with --ignore-status")
    }
    return true
  }

  private static let fewest = 4
  private static let mostWrong = 8

  private static func examples(_ cases: Mutations, sound: Mutations?) -> (right: [TestCase], wrong: [TestCase]) {
    var (cases, sound) = (cases, sound)
    var (right, wrong) = ([TestCase](), [TestCase]())
    var rules: Set<String> = []
    for _ in 0..<400 {
      let made = cases.next()
      if made.label.verdict == .accept, right.count < fewest { right.append(made) }
      if made.label.verdict == .reject, wrong.count < mostWrong, rules.insert(made.label.rule ?? "").inserted {
        wrong.append(made)
      }
      if right.count == fewest, wrong.count == mostWrong { break }
    }
    while right.count < fewest, let made = sound?.nextCase() { right.append(made) }
    return (right, wrong)
  }

  /// Fewer where the run is stopped.
  private mutating func endings(of cases: [TestCase], in file: TemporaryFile) throws -> [ChildProcess.Outcome] {
    var all: [ChildProcess.Outcome] = []
    for testCase in cases {
      failures.progress?.show { _ in
        "first trying some valid and invalid streams: \(plural(all.count, "run"))"
      }
      guard let outcome = try decoder.outcome(on: testCase.bytes, in: file) else { break }
      if outcome.ending == .exited(126) || outcome.ending == .exited(127) { throw cannotRun(outcome) }
      if outcome.ending.isVerdict { slowest = max(slowest, outcome.seconds) }
      all.append(outcome)
    }
    return all
  }

  private mutating func giveUp(
    _ testCase: TestCase, _ outcome: ChildProcess.Outcome, _ sentence: String
  ) throws -> Bool {
    let path = try failures.keep(testCase, outcome, sentence)
    StandardError.say("\(sentence); try it yourself: \(decoder.line(on: path))")
    return false
  }
}
