import APNSCraft
import APNSDiagnosis
import APNSViews
import Octets

/// Runs a decoder on test cases, several at a time, and collects its failures.
struct FuzzLoop {
  private let decoder: Decoder
  private let verdicts: FuzzVerdicts
  private let jobs: Int
  private(set) var failures: FuzzFailures
  private var cases = 0
  private var orphans = 0
  /// Duration of the slowest run that ended without being killed, in seconds.
  private var slowest = 0.0
  /// Outcomes that arrived before those of earlier cases. Cases are judged in order, so that the result does not depend
  /// on the number of jobs.
  private var finishedEarly: [Int: (TestCase, ChildProcess.Outcome)] = [:]

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

  /// Runs the cases.
  /// - Parameter deadline: In terms of ``clockSeconds()``; no case is started after it.
  mutating func run(_ cases: Mutations, count: Int, until deadline: Double?) throws {
    var cases = cases
    var running: [Running] = []
    var idle: [TemporaryFile] = []
    var started = 0
    defer {
      for index in running.indices { running[index].child.stop() }
      ChildProcess.endOrphans(sparing: [])
    }
    while !Interrupt.isRaised {
      let isOver = started >= count || deadline.map { clockSeconds() > $0 } ?? false
      while !isOver, !failures.hasPending, running.count < jobs, started < count {
        let next = cases.next()
        started += 1
        let file = try idle.popLast() ?? TemporaryFile.make()
        try file.replace(with: next.bytes)
        let limit = failures.isKnownTimeout(next) ? quickLimit : nil
        running.append(Running(testCase: next, file: file, child: try decoder.start(on: file.path, seconds: limit)))
      }
      if running.isEmpty {
        // Wait until no case is running, because shrinking blocks and running cases would not be watched.
        try failures.savePending(quickLimit: quickLimit)
        if isOver { break }
        continue
      }
      var (still, hasEnded) = ([Running](), false)
      for var run in running {
        if let outcome = run.child.outcome() {
          hasEnded = true
          finishedEarly[run.testCase.number] = (run.testCase, outcome)
          idle.append(run.file)
        } else {
          still.append(run)
        }
      }
      running = still
      if hasEnded {
        orphans += ChildProcess.endOrphans(sparing: running.map(\.child))
        try judgeInOrder()
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
    try failures.savePending(quickLimit: quickLimit)
    failures.progress?.clear()
  }

  /// A time limit in seconds that no terminating run should exceed; nil if no run has ended yet.
  private var quickLimit: Double? { slowest > 0 ? max(0.1, slowest * 4) : nil }

  private mutating func judgeInOrder() throws(Failure) {
    while let (testCase, outcome) = finishedEarly.removeValue(forKey: cases) {
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

  func reportResult(seed: UInt64) {
    if orphans > 0 {
      StandardError.say("killed \(orphans == 1 ? "a process" : "\(orphans) processes") that the command left running")
    }
    let stopped = Interrupt.isRaised ? "interrupted after " : ""
    let result = "\(stopped)\(plural(cases, "case")) of --seed \(seed): \(failures.summary)"
    StandardError.say([result] + failures.all.prefix(1).map { "next: \(decoder.line(on: $0.path))" })
  }
}

// MARK: - Probe

extension FuzzLoop {
  /// Checks whether the command can distinguish valid and invalid streams at all. Returns false if it cannot: that is
  /// one failure, not a hundred.
  /// - Parameter validSource: Valid cases, if `cases` may contain none.
  mutating func probe(_ cases: Mutations, validSource: Mutations?) throws -> Bool {
    let file = try TemporaryFile.make()
    var (validCases, invalidCases) = Self.examples(cases, validSource: validSource)
    validCases.removeAll { verdicts.expected($0) != .accept && !verdicts.ignoresStatus }
    invalidCases.removeAll { verdicts.expected($0) != .reject }
    let validEndings = try endings(of: validCases, in: file)
    if let first = validEndings.first, validCases.count == validEndings.count, validCases.count >= Self.minimumCases,
      validEndings.allSatisfy({ $0.ending == first.ending }), verdicts.isFailed(validCases[0], by: first.ending)
    {
      let ended = first.ending.isVerdict ? "refuses (status \(first.ending.status))" : first.ending.words + " on"
      return try giveUp(
        validCases[0], first,
        "the command \(ended) each of the first \(validCases.count) valid streams\(first.quotation)")
    }
    let invalidEndings = try endings(of: invalidCases, in: file)
    if invalidCases.count == invalidEndings.count, invalidCases.count >= Self.minimumCases,
      invalidEndings.allSatisfy({ $0.ending == .exited(0) }), validEndings.allSatisfy({ $0.ending == .exited(0) })
    {
      return try giveUp(
        invalidCases[0], invalidEndings[0],
        "the command accepts everything, even \(invalidCases.count) streams that break \(invalidCases.count) different rules; make it "
          + "exit with status 1 for invalid streams, or look only for crashes with --ignore-status")
    }
    return true
  }

  private static let minimumCases = 4
  private static let invalidLimit = 8

  private static func examples(
    _ cases: Mutations, validSource: Mutations?
  ) -> (validCases: [TestCase], invalidCases: [TestCase]) {
    var (cases, validSource) = (cases, validSource)
    var (validCases, invalidCases) = ([TestCase](), [TestCase]())
    var rules: Set<String> = []
    for _ in 0..<400 {
      let made = cases.next()
      if made.label.verdict == .accept, validCases.count < minimumCases { validCases.append(made) }
      if made.label.verdict == .reject, invalidCases.count < invalidLimit, rules.insert(made.label.rule ?? "").inserted
      {
        invalidCases.append(made)
      }
      if validCases.count == minimumCases, invalidCases.count == invalidLimit { break }
    }
    while validCases.count < minimumCases, let made = validSource?.nextCase() { validCases.append(made) }
    return (validCases, invalidCases)
  }

  /// The outcomes of the cases; fewer if the run is interrupted.
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
    StandardError.say([sentence, "next: \(decoder.line(on: path))"])
    return false
  }
}
