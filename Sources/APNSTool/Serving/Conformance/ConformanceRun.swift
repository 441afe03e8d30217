import APNSDiagnosis
import APNSGateway
import APNSInput
import APNSServer
import APNSViews
import APNSWire
import Octets

/// Runs scenarios against a provider, one after another on the same addresses, and reports how it reacted.
package struct ConformanceRun {
  private let settings: StreamSettings
  private let style: TextStyle
  private let server: ServerSettings
  private let format: ConformanceFormat
  /// The names of the scenarios to run; empty for all.
  package var names: [String] = []
  /// The provider and its arguments; empty if it is started by others.
  package var command: [String] = []
  /// A scenario ends when the provider has sent nothing for this time, in seconds.
  package var quietSeconds = Self.usualQuietSeconds
  /// A scenario ends after this time, in seconds.
  package var limitSeconds = Self.usualLimitSeconds
  /// A file with the tokens that the feedback service reports.
  package var feedbackTokens: InputPath?
  /// A capture file to which the packets are written.
  package var packetFile: OutputPath?
  package var quiet = false

  package static let usualQuietSeconds = 5.0
  package static let usualLimitSeconds = 60.0
  /// This many tuples are more than the system buffers, so that a provider has to read them to the end.
  private static let feedbackCount = 10_000
  /// The most bytes of a scenario that are recorded and judged.
  private static let mostBytes = 16 << 20
  /// In seconds.
  private static let pause = 0.02

  package init(
    _ settings: StreamSettings, _ style: TextStyle, _ server: ServerSettings, _ format: ConformanceFormat
  ) {
    self.settings = settings
    self.style = style
    self.server = server
    self.format = format
  }

  /// The names of all scenarios.
  package static var names: [String] { ConformanceScenario.all.map(\.name) }

  /// Lists the scenarios on standard output.
  package static func list() throws(Failure) {
    var file = try OutputFile(nil)
    let width = (names.map(\.count).max() ?? 0) + 2
    for scenario in ConformanceScenario.all {
      file.write(scenario.name.padded(to: width) + scenario.demand + "\n")
    }
    try file.close()
  }

  package func run() throws(Failure) -> ExitStatus {
    let feedback =
      try feedbackTokens.map { input throws(Failure) in try FeedbackList(input) }
      ?? FeedbackList(count: Self.feedbackCount)
    var report = try ConformanceReport(format, style)
    let capture = try SessionCapture(packetFile)
    let running = try RunningServer(server, settings)
    var session = ConformanceSession(running, capture, feedback.tuples)
    defer { session.end() }
    // Without a command, the user starts the provider, and needs the ports for that.
    if !quiet || command.isEmpty { running.announce() }
    let program = command.isEmpty ? nil : ProviderProgram(command)
    /// Why the other scenarios are not run.
    var absence: String?
    /// Shows the first scenario that was not passed.
    var next: String?
    for scenario in ConformanceScenario.all where names.isEmpty || names.contains(scenario.name) {
      if let absence {
        report.add(scenario, Judgement(obstacle: absence), seconds: 0)
        continue
      }
      if !quiet, command.isEmpty { StandardError.say("scenario \(scenario.name)") }
      let began = clockSeconds()
      let judgement: Judgement?
      do throws(Failure) { judgement = try judge(scenario, program, &session) } catch {
        try report.close()
        throw error
      }
      guard session.failure == nil, let judgement else { break }
      let seconds = clockSeconds() - began
      report.add(scenario, judgement, seconds: seconds)
      if next == nil, judgement.verdict != .passed, let packetFile { next = session.command(reading: packetFile.path) }
      // It would not in the others either.
      if session.lastTraffic == nil {
        absence = "not run, because the provider did not connect in the scenario \(scenario.name)"
      }
    }
    try report.close()
    if let failure = session.failure { throw failure }
    if !quiet {
      StandardError.say([report.summary] + [next.map { "next: \($0)" }].compactMap(\.self))
    }
    return Interrupt.isRaised ? .unreadable : report.hasOnlyPassed ? .clean : .findings
  }

  /// The result of a scenario; nil if it was interrupted.
  private func judge(
    _ scenario: ConformanceScenario, _ program: ProviderProgram?, _ session: inout ConformanceSession
  ) throws(Failure) -> Judgement? {
    session.begin(scenario.behavior)
    var child: ChildProcess?
    if let program { child = try program.start(session.addresses, seconds: limitSeconds + 10) }
    defer {
      child?.stop()
      ChildProcess.endOrphans(sparing: [])
    }
    var outcome: ChildProcess.Outcome?
    var pace = JudgingPace()
    let began = clockSeconds()
    var end = Double.infinity
    var limit: String?
    var quietNote: String?
    while !Interrupt.isRaised {
      session.record(waitingFor: Self.pause)
      let now = clockSeconds()
      if child != nil, let ended = child?.outcome() {
        (outcome, end, child) = (ended, now, nil)
      }
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
    if let outcome, let problem = try program?.problem(of: outcome, hasConnected: hasConnected) {
      if hasConnected { judgement.problems.append(Evidence(problem)) } else { judgement.add(note: problem) }
    }
    if judgement.verdict != .passed {
      if !hasConnected {
        judgement.add(note: "listening on \(session.addresses.map(\.description).joined(separator: ", "))")
      }
      if !judgement.problems.isEmpty { quietNote = nil }
      for note in [session.remark, outcome.flatMap { program?.status(of: $0) }, quietNote] {
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
