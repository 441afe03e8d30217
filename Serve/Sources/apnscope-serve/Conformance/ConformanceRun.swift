import APNSServer
import APNSViews
import Octets

/// Runs scenarios against a provider, one after another on the same addresses, and reports how it reacted.
struct ConformanceRun {
  let options: ConformanceOptions
  /// The provider and its arguments; empty if it is started by others.
  let words: [String]
  /// A capture file to which the packets are written.
  let packetFile: String?
  let quiet: Bool

  /// This many tuples are more than the system buffers, so that a provider has to read them to the end.
  static let feedbackCount = 10_000
  /// The most bytes of a scenario that are recorded and judged.
  private static let mostBytes = 16 << 20
  /// In seconds.
  private static let pause = 0.02

  private var quietSeconds: Double { options.quietSeconds ?? ConformanceOptions.usualQuietSeconds }
  private var limitSeconds: Double { options.timeLimit ?? ConformanceOptions.usualLimitSeconds }

  func run(_ session: ConformanceSession) throws(Failure) -> Int32 {
    var session = session
    defer { session.end() }
    var report = ConformanceReport(options.format ?? .text)
    /// Why the other scenarios are not run.
    var absence: String?
    /// Shows the first scenario that was not passed.
    var next: String?
    for scenario in ConformanceScenario.all where options.only.isEmpty || options.only.contains(scenario.name) {
      if let absence {
        report.add(scenario, Judgement(obstacle: absence), seconds: 0)
        continue
      }
      if !quiet, words.isEmpty { StandardError.say("scenario \(scenario.name)") }
      let began = clockSeconds()
      let judgement: Judgement?
      do throws(Failure) { judgement = try judge(scenario, &session) } catch {
        try report.close()
        throw error
      }
      guard session.failure == nil, let judgement else { break }
      report.add(scenario, judgement, seconds: clockSeconds() - began)
      if next == nil, judgement.verdict != .passed, let packetFile { next = session.command(reading: packetFile) }
      // It would not in the others either.
      if session.lastTraffic == nil {
        absence = "not run, because the provider did not connect in the scenario \(scenario.name)"
      }
    }
    try report.close()
    if let failure = session.failure { throw failure }
    if !quiet {
      StandardError.say(report.summary)
      if let next { StandardError.write("  next: \(printable(next))\n") }
    }
    return Interrupt.isRaised ? 3 : report.hasOnlyPassed ? 0 : 1
  }

  /// The result of a scenario; nil if it was interrupted.
  private func judge(
    _ scenario: ConformanceScenario, _ session: inout ConformanceSession
  ) throws(Failure) -> Judgement? {
    session.begin(try scenario.behavior())
    let program = words.isEmpty ? nil : try ProviderProgram(words, session.addresses)
    defer { program?.stop() }
    var hasEnded = false
    var pace = JudgingPace()
    let began = clockSeconds()
    var end = Double.infinity
    var limit: String?
    var quietNote: String?
    while !Interrupt.isRaised {
      session.record(waitingFor: Self.pause)
      let now = clockSeconds()
      if !hasEnded, let program, !program.isRunning { (hasEnded, end) = (true, now) }
      if now - began > limitSeconds { limit = "--time-limit ended the scenario" }
      if session.size > Self.mostBytes {
        limit = "\(Self.mostBytes >> 20) MiB, the most that is recorded, ended the scenario"
      }
      if limit != nil || session.failure != nil { break }
      let isQuiet = session.lastTraffic.map { now - $0 > quietSeconds + scenario.seconds } ?? false
      if isQuiet { quietNote = "ended after \(shortest(quietSeconds)) s without traffic (--quiet-seconds)" }
      if isQuiet || isOver(session, since: now - end - scenario.seconds) { break }
      if pace.isDue(session.size) {
        let isSettled = scenario.judge(session.traffic).isSettled
        pace.rest(since: now)
        if isSettled { break }
      }
    }
    guard !Interrupt.isRaised else { return nil }
    var judgement = scenario.judge(session.traffic)
    if let limit { judgement.cut(because: limit) }
    let hasConnected = session.lastTraffic != nil
    let problem = hasEnded ? try program?.problem(hasConnected: hasConnected) : nil
    if let problem {
      if hasConnected { judgement.problems.append(Evidence(problem)) } else { judgement.add(note: problem) }
    }
    if judgement.verdict != .passed {
      if !hasConnected {
        judgement.add(note: "listening on \(session.addresses.map(\.description).joined(separator: ", "))")
      }
      if !judgement.problems.isEmpty { quietNote = nil }
      let status = hasEnded && problem == nil ? program?.status : nil
      for note in [session.remark, status, quietNote] {
        if let note { judgement.add(note: note) }
      }
    }
    return judgement
  }

  /// Whether nothing more of a program arrives that ended some time ago, in seconds. What it sent before may still be on
  /// its way.
  private func isOver(_ session: ConformanceSession, since seconds: Double) -> Bool {
    let isComplete = session.lastTraffic != nil && session.isClosed
    return seconds > (isComplete ? 0.25 : 2)
  }
}

/// When to judge a scenario that is not over: if more has arrived, and at most a fifth of the time.
private struct JudgingPace {
  private var size = 0
  private var next = 0.0

  /// Whether it is time to judge traffic of this size.
  mutating func isDue(_ size: Int) -> Bool {
    guard size != self.size, clockSeconds() >= next else { return false }
    self.size = size
    return true
  }

  mutating func rest(since began: Double) {
    let now = clockSeconds()
    next = now + max(0.1, 4 * (now - began))
  }
}
