import APNSViews
import Octets

/// The most bytes of a scenario that are recorded and judged.
private let mostBytes = 16 << 20

extension ApnscopeServe {
  /// Runs scenarios against a provider, one after another on the same addresses, and reports how it reacted.
  func runScenarios(_ session: consuming ConformanceSession) throws(Failure) -> Int32 {
    defer { session.end() }
    var report = ConformanceReport(conformance.format)
    /// Why the other scenarios are not run.
    var absence: String?
    /// Shows the first scenario that was not passed.
    var next: String?
    for scenario in ConformanceScenario.all
    where conformance.only.isEmpty || conformance.only.contains(scenario.name) {
      if let absence {
        try report.add(scenario, Judgement(obstacle: Evidence(message: absence)), seconds: 0)
        continue
      }
      if !quiet, provider.isEmpty { StandardError.say("scenario \(scenario.name)") }
      let began = clockSeconds()
      let judgement: Judgement?
      do throws(Failure) { judgement = try judge(scenario, &session) } catch {
        try report.close()
        throw error
      }
      guard session.failure == nil, let judgement else { break }
      try report.add(scenario, judgement, seconds: clockSeconds() - began)
      if next == nil, judgement.verdict != .passed, let output { next = session.command(reading: output) }
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
    let program = provider.isEmpty ? nil : try ProviderProgram(provider, session.server.addresses)
    defer { program?.stop() }
    let quietSeconds = conformance.quietSeconds
    let began = clockSeconds()
    /// When the program ended.
    var end: Double?
    var limit: String?
    var quietNote: String?
    // It is judged while it is not over if more has arrived, and for at most a tenth of the time.
    var (judgedSize, nextJudging) = (0, 0.0)
    while !Interrupt.isRaised {
      session.record(waitingFor: 0.02)
      let now = clockSeconds()
      if end == nil, let program, !program.isRunning { end = now }
      if now - began > conformance.timeLimit { limit = "--time-limit" }
      if session.size > mostBytes { limit = "\(mostBytes >> 20) MiB, the most that is recorded," }
      if limit != nil || session.failure != nil { break }
      let isQuiet = session.lastTraffic.map { now - $0 > quietSeconds + scenario.seconds } ?? false
      if isQuiet { quietNote = "ended after \(shortest(quietSeconds)) s without traffic (--quiet-seconds)" }
      // What a program sent before it ended may still be on its way.
      let rest = session.lastTraffic == nil ? 2 : session.isClosed ? 0.25 : 5
      if isQuiet || now - (end ?? .infinity) - scenario.seconds > rest { break }
      guard session.size != judgedSize, now >= nextJudging else { continue }
      judgedSize = session.size
      if scenario.judgement(of: session.traffic).isSettled { break }
      nextJudging = clockSeconds() + max(0.1, 9 * (clockSeconds() - now))
    }
    guard !Interrupt.isRaised else { return nil }
    var judgement = scenario.judgement(of: session.traffic)
    if let limit { judgement.cut(because: limit + " ended the scenario") }
    let hasConnected = session.lastTraffic != nil
    let ending = end == nil ? nil : try program?.ending(hasConnected: hasConnected)
    let problem = ending.flatMap { $0.isProblem ? $0.sentence : nil }
    if let problem, hasConnected { judgement.problems.append(Evidence(message: problem)) }
    guard judgement.verdict != .passed else { return judgement }
    let notes = [
      hasConnected ? nil : problem,
      hasConnected ? nil : "listening on \(session.server.addresses.map(\.description).joined(separator: ", "))",
      session.remark, problem == nil ? ending?.sentence : nil, judgement.problems.isEmpty ? quietNote : nil,
    ]
    judgement.notes += notes.compactMap(\.self).map { Evidence(message: $0) }
    return judgement
  }
}
