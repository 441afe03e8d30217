import APNSViews
import Octets

/// Runs scenarios against a provider, one after another on the same addresses, and reports how it reacted.
struct ConformanceRun {
  let command: ApnscopeServe
  /// The provider and its arguments; empty if the user starts it.
  private let words = TrailingCommand.words

  /// This many tuples are more than the system buffers, so that a provider has to read them to the end.
  static let feedbackCount = 10_000
  /// The most bytes of a scenario that are recorded and judged.
  private static let mostBytes = 16 << 20
  /// In seconds.
  private static let pause = 0.02

  init(command: ApnscopeServe) { self.command = command }

  func run(_ session: ConformanceSession) throws(Failure) -> Int32 {
    var session = session
    defer { session.end() }
    let (options, quiet) = (command.conformance, command.quiet)
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
      if next == nil, judgement.verdict != .passed, let file = command.output { next = session.command(reading: file) }
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
    let quietSeconds = command.conformance.quietSeconds ?? ConformanceOptions.usualQuietSeconds
    let limitSeconds = command.conformance.timeLimit ?? ConformanceOptions.usualLimitSeconds
    let began = clockSeconds()
    /// When the program ended.
    var end: Double?
    var limit: String?
    var quietNote: String?
    // It is judged while it is not over if more has arrived, and for at most a fifth of the time.
    var (judgedSize, nextJudging) = (0, 0.0)
    while !Interrupt.isRaised {
      session.record(waitingFor: Self.pause)
      let now = clockSeconds()
      if end == nil, let program, !program.isRunning { end = now }
      if now - began > limitSeconds { limit = "--time-limit ended the scenario" }
      if session.size > Self.mostBytes {
        limit = "\(Self.mostBytes >> 20) MiB, the most that is recorded, ended the scenario"
      }
      if limit != nil || session.failure != nil { break }
      let isQuiet = session.lastTraffic.map { now - $0 > quietSeconds + scenario.seconds } ?? false
      if isQuiet { quietNote = "ended after \(shortest(quietSeconds)) s without traffic (--quiet-seconds)" }
      // What a program sent before it ended may still be on its way.
      let rest = session.lastTraffic != nil && session.isClosed ? 0.25 : 2
      if isQuiet || now - (end ?? .infinity) - scenario.seconds > rest { break }
      guard session.size != judgedSize, now >= nextJudging else { continue }
      judgedSize = session.size
      if scenario.judgement(of: session.traffic).isSettled { break }
      nextJudging = clockSeconds() + max(0.1, 4 * (clockSeconds() - now))
    }
    guard !Interrupt.isRaised else { return nil }
    var judgement = scenario.judgement(of: session.traffic)
    if let limit { judgement.cut(because: limit) }
    let hasConnected = session.lastTraffic != nil
    let problem = end == nil ? nil : try program?.problem(hasConnected: hasConnected)
    if let problem, hasConnected { judgement.problems.append(Evidence(message: problem)) }
    var notes = hasConnected ? [] : [problem]
    if judgement.verdict != .passed {
      if !hasConnected { notes.append("listening on \(session.addresses.map(\.description).joined(separator: ", "))") }
      notes += [
        session.remark, end != nil && problem == nil ? program?.status : nil,
        judgement.problems.isEmpty ? quietNote : nil,
      ]
    }
    judgement.notes += notes.compactMap(\.self).map { Evidence(message: $0) }
    return judgement
  }
}
