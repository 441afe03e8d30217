import APNSCraft
import APNSDiagnosis
import APNSViews
import Octets

/// Runs a decoder on test cases, several at a time, and collects its failures.
struct FuzzLoop {
  private let options: Fuzz
  private let decoder: Decoder
  private var time: FuzzTime
  private(set) var failures: FuzzFailures
  /// The number of cases that were started, and of those that were judged.
  private var started = 0
  private var cases = 0
  private var running: [Running] = []
  private var idle: [TemporaryFile] = []
  private var orphans = 0
  /// Duration of the slowest run that ended without being killed, in seconds.
  private var slowest = 0.0
  /// Outcomes that arrived before those of earlier cases. Cases are judged in order, so that the result does not depend
  /// on the number of jobs.
  private var finishedEarly: [Int: (TestCase, ChildProcess.Outcome)] = [:]

  init(_ options: Fuzz, _ decoder: Decoder, _ failures: FuzzFailures) {
    self.options = options
    self.decoder = decoder
    self.failures = failures
    time = FuzzTime(options.time)
  }

  private struct Running {
    let testCase: TestCase
    let file: TemporaryFile
    var child: ChildProcess
  }

  /// Runs the cases, and then shrinks the failures. If there is time left, it goes on with further cases.
  mutating func run(_ cases: Mutations, count: Int) throws {
    var cases = cases
    defer {
      for index in running.indices { running[index].child.stop() }
      ChildProcess.endOrphans(sparing: [])
    }
    time = FuzzTime(options.time)
    repeat {
      try advance(&cases, count: count)
      let start = clockSeconds()
      try failures.shrink(until: start + time.share, quickLimit: quickLimit)
      time.addShrinking(since: start)
    } while !Interrupt.isRaised && started < count && !time.isOver(reserving: 0)
    failures.progress?.clear()
  }

  /// Runs cases until all have ended, or until only the time for shrinking is left.
  private mutating func advance(_ source: inout Mutations, count: Int) throws {
    while !Interrupt.isRaised {
      while started < count, running.count < options.jobs,
        !time.isOver(reserving: failures.hasUnreported ? time.share : 0)
      {
        let next = source.next()
        started += 1
        let file = try idle.popLast() ?? TemporaryFile.make()
        try file.replace(with: next.bytes)
        let limit = failures.isKnownTimeout(next) ? quickLimit : nil
        let child = try decoder.start(on: file.path, seconds: limit)
        running.append(Running(testCase: next, file: file, child: child))
      }
      if running.isEmpty { return }
      let before = running.count
      for index in running.indices.reversed() {
        guard let outcome = running[index].child.outcome() else { continue }
        let run = running.remove(at: index)
        finishedEarly[run.testCase.number] = (run.testCase, outcome)
        idle.append(run.file)
      }
      if running.count < before {
        orphans += ChildProcess.endOrphans(sparing: running.map(\.child))
        while let (testCase, outcome) = finishedEarly.removeValue(forKey: cases) {
          cases += 1
          try judge(testCase, outcome)
        }
      } else {
        ChildProcess.wait(for: running.map(\.child))
      }
      failures.progress?.show { seconds in
        let most = count == .max ? "" : " of \(count)"
        let left = time.left.map { "  \(Int($0.rounded(.up))) s left" } ?? ""
        return "fuzzing: \(self.cases)\(most) cases  \(Int(Double(self.cases) / seconds)) a second  "
          + "\(plural(failures.all.count, "failure"))\(left)"
      }
    }
  }

  /// A time limit in seconds that no terminating run should exceed; nil if no run has ended yet.
  private var quickLimit: Double? { slowest > 0 ? max(0.1, slowest * 4) : nil }

  private mutating func judge(_ testCase: TestCase, _ outcome: ChildProcess.Outcome) throws(Failure) {
    try note(outcome)
    if options.isFailed(testCase, by: outcome.ending) { try failures.add(testCase, outcome) }
  }

  /// Notes how long the run took; throws if a shell could not run the command.
  private mutating func note(_ outcome: ChildProcess.Outcome) throws(Failure) {
    if outcome.ending.isVerdict { slowest = max(slowest, outcome.seconds) }
    guard outcome.ending.isUnrun else { return }
    throw .unreadable(
      "the command \(outcome.ending.words)\(outcome.quotation); try to run it yourself, with a full path")
  }

  func reportResult() {
    if orphans > 0 {
      StandardError.say("killed \(orphans == 1 ? "a process" : "\(orphans) processes") that the command left running")
    }
    let stopped = Interrupt.isRaised ? "interrupted after " : ""
    let result = "\(stopped)\(plural(cases, "case")) of --seed \(options.cases.seed): \(failures.summary)"
    StandardError.say(failures.first.map { [result, "next: \(decoder.line(on: $0.path))"] } ?? [result])
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
    validCases.removeAll { options.expected($0) != .accept && !options.ignoreStatus }
    invalidCases.removeAll { options.expected($0) != .reject }
    let validEndings = try endings(of: validCases, in: file)
    if let first = validEndings.first, validCases.count == validEndings.count, validCases.count >= Self.minimumCases,
      validEndings.allSatisfy({ $0.ending == first.ending }), options.isFailed(validCases[0], by: first.ending)
    {
      let ended = first.ending.isVerdict ? "refuses (status \(first.ending.number))" : first.ending.words + " on"
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
        "the command accepts everything, even \(invalidCases.count) streams that break \(invalidCases.count) "
          + "different rules; make it "
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
      try note(outcome)
      all.append(outcome)
    }
    return all
  }

  private mutating func giveUp(
    _ testCase: TestCase, _ outcome: ChildProcess.Outcome, _ sentence: String
  ) throws -> Bool {
    let path = try failures.keep(testCase, outcome, sentence, until: clockSeconds() + time.share)
    StandardError.say([sentence, "next: \(decoder.line(on: path))"])
    return false
  }
}

// MARK: - Time

/// Divides the time of a run: shrinking takes at most a fifth of it. If only the number of cases is limited, shrinking
/// takes no time from them, so it may take longer after a few cases.
private struct FuzzTime {
  private let began = clockSeconds()
  private let deadline: Double
  private var shrinking = 0.0

  private static let leastWithoutDeadline = 30.0

  init(_ seconds: Double?) { deadline = seconds.map { clockSeconds() + $0 } ?? .infinity }

  /// Seconds until the end; nil if there is no limit.
  var left: Double? { deadline.isFinite ? max(0, deadline - clockSeconds()) : nil }

  /// The seconds that shrinking may take now.
  var share: Double {
    let fifth = (clockSeconds() - began - shrinking) / 4 - shrinking
    return left.map { min(fifth, $0) } ?? max(fifth, Self.leastWithoutDeadline - shrinking)
  }

  func isOver(reserving seconds: Double) -> Bool { clockSeconds() >= deadline - max(0, seconds) }

  mutating func addShrinking(since start: Double) { shrinking += clockSeconds() - start }
}
