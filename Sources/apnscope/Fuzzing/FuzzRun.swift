import APNSCraft
import APNSDiagnosis
import Octets

/// Runs a decoder on test cases, several at a time, and keeps its failures: of similar ones only the first, saved at
/// once, and later shrunk.
struct FuzzRun {
  let options: Fuzz
  let decoder: Decoder
  let definitions: Definitions
  let folder: OutputPath
  let progress: Progress?
  private var began = clockSeconds()
  /// The failures that are kept. The first ``reported`` ones were shrunk and reported.
  var failures: [KeptFailure] = []
  var reported = 0
  /// What makes failures similar, of all that were kept.
  var keys: Set<String> = []
  var repeats = 0
  var unreproducedTimeouts = 0
  /// Started cases that are not judged. Cases are judged in order, so that the result does not depend on the number of
  /// jobs.
  private var waiting: [(testCase: TestCase, run: DecoderRun)] = []
  private var started = 0
  private var judged: Int { started - waiting.count }
  private var orphans = 0
  /// Duration of the slowest run that ended without being killed, in seconds.
  private var slowest = 0.0

  init(_ options: Fuzz, _ decoder: Decoder, _ definitions: Definitions, in folder: OutputPath) throws(Failure) {
    (self.options, self.decoder, self.definitions, self.folder) = (options, decoder, definitions, folder)
    progress = Progress(quiet: options.messages.quiet)
    // Detect an unwritable folder before the work begins.
    let path = folder.path.hasSuffix("/") ? String(folder.path.dropLast()) : folder.path
    let parent = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    guard mayWrite(FileKind(path) == .folder ? path : parent), !FileKind(path).isRegular else {
      throw .unreadable("\(path): cannot save failures there; choose a writable folder with --out")
    }
  }

  /// Runs the cases, and then shrinks the failures. If there is time left, it goes on with further cases.
  mutating func run(_ cases: Mutations, count: Int) throws {
    var cases = cases
    began = clockSeconds()
    defer {
      for (_, run) in waiting { run.stop() }
      DecoderRun.endOrphans()
    }
    repeat {
      try runCases(&cases, count: count)
      try shrinkFailures(until: endOfShrinking)
    } while !Interrupt.isRaised && started < count && clockSeconds() < end
  }

  /// When the time is over; infinite if it is not limited.
  private var end: Double { began + (options.time ?? .infinity) }

  /// Shrinking takes at most a fifth of the time. If only the number of cases is limited, shrinking takes no time from
  /// them, so it may take longer after a few cases.
  private var endOfShrinking: Double {
    let now = clockSeconds()
    return min(end, now + max(options.time.map { $0 / 5 } ?? 30, (now - began) / 4))
  }

  /// Runs cases until all have ended, or until only the time for shrinking is left.
  private mutating func runCases(_ cases: inout Mutations, count: Int) throws {
    while !Interrupt.isRaised {
      var running = waiting.map(\.run).filter { $0.outcome == nil }
      while started < count, running.count < options.jobs,
        clockSeconds() < end - (reported < failures.count ? (options.time ?? 0) / 5 : 0)
      {
        let next = cases.next()
        started += 1
        let limit = keys.contains(next.key(.timedOut)) ? quickLimit : nil
        let run = try DecoderRun(of: decoder, on: next.bytes, seconds: limit)
        waiting.append((next, run))
        running.append(run)
      }
      if running.isEmpty { return }
      let remaining = running.filter { !$0.hasEnded() }
      if remaining.count < running.count {
        orphans += DecoderRun.endOrphans(sparing: remaining)
        while let (testCase, run) = waiting.first, let outcome = run.outcome {
          waiting.removeFirst()
          try note(outcome)
          if options.isFailed(testCase, by: outcome.ending) { try keep(testCase, outcome) }
        }
      } else {
        DecoderRun.wait(for: remaining)
      }
      progress?.show { seconds in
        let most = count == .max ? "" : " of \(count)"
        let left = options.time == nil ? "" : "  \(Int(max(0, end - clockSeconds()).rounded(.up))) s left"
        return "fuzzing: \(judged)\(most) cases  \(Int(Double(judged) / seconds)) a second  "
          + "\(plural(failures.count, "failure"))\(left)"
      }
    }
  }

  /// A time limit in seconds that no terminating run should exceed; nil if no run has ended yet.
  var quickLimit: Double? { slowest > 0 ? max(0.1, slowest * 4) : nil }

  /// Notes how long the run took; throws if a shell could not run the command.
  private mutating func note(_ outcome: DecoderRun.Outcome) throws(Failure) {
    guard let status = outcome.ending.verdict else { return }
    slowest = max(slowest, outcome.seconds)
    guard Ending.unrun.contains(status) else { return }
    throw .unreadable(
      "the command \(outcome.ending.words)\(outcome.quotation); try to run it yourself, with a full path")
  }

  func reportResult() {
    if orphans > 0 {
      StandardError.say("killed \(orphans == 1 ? "a process" : "\(orphans) processes") that the command left running")
    }
    let stopped = Interrupt.isRaised ? "interrupted after " : ""
    var result = "\(stopped)\(plural(judged, "case")) of --seed \(options.cases.seed): "
    result += failures.isEmpty ? "no failure" : plural(failures.count, "failure")
    if repeats > 0, !failures.isEmpty { result += " (and \(repeats) more like them)" }
    if !failures.isEmpty { result += " in \(folder.path)" }
    if unreproducedTimeouts > 0 {
      result += "; \(plural(unreproducedTimeouts, "time-out")) did not recur and are not counted"
    }
    // The first crash, or else the first time-out, or else the first wrong verdict.
    let first = failures.first { $0.ending.isCrash } ?? failures.first { $0.ending.verdict == nil } ?? failures.first
    StandardError.say([result] + (first.map { ["next: \(decoder.line(on: $0.path))"] } ?? []))
  }

  // MARK: - Probe

  /// Checks whether the command can distinguish valid and invalid streams at all. Returns false if it cannot: that is
  /// one failure, not a hundred.
  /// - Parameter valid: Valid cases, if `cases` contains too few.
  mutating func probe(_ cases: Mutations, valid: Mutations) throws -> Bool {
    var (cases, valid, rules) = (cases, valid, Set<String?>())
    // Every eighth case is valid.
    let first = (0..<64).map { _ in cases.next() }
    let others = (0..<Self.minimumCases).compactMap { _ in valid.nextCase() }
    let validCases = (first.filter { $0.label.verdict == .accept } + others).prefix(Self.minimumCases)
      .filter { options.ignoreStatus || options.expected($0) == .accept }
    let invalidCases = first.filter { options.expected($0) == .reject && rules.insert($0.label.rule).inserted }
      .prefix(Self.invalidLimit)
    let validEndings = try endings(of: validCases)
    if let first = validEndings.first, validEndings.count == Self.minimumCases,
      validEndings.allSatisfy({ $0.ending == first.ending }), options.isFailed(validCases[0], by: first.ending)
    {
      let ended = first.ending.verdict.map { "refuses (status \($0))" } ?? first.ending.words + " on"
      let what = "the command \(ended) each of the first \(validCases.count) valid streams\(first.quotation)"
      return try giveUp(validCases[0], first, what)
    }
    let invalidEndings = try endings(of: invalidCases)
    if invalidEndings.count == invalidCases.count, invalidCases.count >= Self.minimumCases,
      (validEndings + invalidEndings).allSatisfy({ $0.ending == .exited(0) })
    {
      let what =
        "the command accepts everything, even \(invalidCases.count) streams that break \(invalidCases.count) "
        + "different rules; make it exit with status 1 for invalid streams, or look only for crashes with "
        + "--ignore-status"
      return try giveUp(invalidCases[0], invalidEndings[0], what)
    }
    return true
  }

  private static let minimumCases = 4
  private static let invalidLimit = 8

  /// The outcomes of the cases; fewer if the run is interrupted.
  private mutating func endings(of cases: some Sequence<TestCase>) throws -> [DecoderRun.Outcome] {
    var all: [DecoderRun.Outcome] = []
    for testCase in cases {
      progress?.show { _ in "first trying some valid and invalid streams: \(plural(all.count, "run"))" }
      guard let outcome = try decoder.outcome(on: testCase.bytes) else { break }
      try note(outcome)
      all.append(outcome)
    }
    return all
  }

  private mutating func giveUp(
    _ testCase: TestCase, _ outcome: DecoderRun.Outcome, _ sentence: String
  ) throws -> Bool {
    var failure = KeptFailure(testCase: testCase, outcome: outcome, sentence: sentence, bytes: testCase.bytes)
    // If each run uses up its limit, shrinking would take minutes.
    if outcome.ending != .timedOut, outcome.ending != .exceededMemory {
      try shrink(&failure, until: endOfShrinking)
    }
    try save(&failure)
    failures.append(failure)
    StandardError.say([sentence, "next: \(decoder.line(on: failure.path))"])
    return false
  }
}
