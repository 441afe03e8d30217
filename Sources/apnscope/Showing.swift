import APNSDiagnosis
import APNSInput
import APNSQuery
import APNSViews

/// One run that shows records: from whatever reads, through a view, to an output, a last line and an exit status.
struct Showing {
  var roles: RoleOptions
  var rules: RulePolicy
  var selection: Selection
  /// Compiled, so that a mistake in it is told before anything is opened.
  var filter: Filter?
  /// Records.
  var limit: Int?
  var output: String?
  var failOn: FailOn
  var quiet: Bool
  /// Files that are read beside the inputs.
  var alsoReads: [String] = []
  /// They count, but are not shown.
  var hidesNotes: Bool
  var format: ViewFormat
  /// The words that read the same again, but for the selection, for the command to run next.
  var flags: [String]
  /// The names of the inputs, by their numbers.
  var inputs: [String]
  var hasHeadings: Bool
  var progress: Progress? = nil
  /// Findings that are known: passed over as if they were not there.
  var baseline: Baseline? = nil
  /// Files that are written besides the output.
  var reports: [ReportFile] = []
  var closing = Closing.triage
  /// Other records are not spoken of at all.
  var isWanted: ((Record) -> Bool)? = nil
  /// Threads to work with, of which two are the most that help: they share the reading where little is written, and the
  /// writing where each record is.
  var jobs = 1
  /// Bytes of several streams make one, where a format writes one only.
  var joinsStreams = false
  /// What is written is a capture.
  var writesCapture = false

  /// What the last line is about.
  enum Closing {
    /// The first thing to look at, and the command to run next.
    case triage
    /// How many findings there are, and how many were left out; those in the baseline's file were known.
    case account(baseline: String?)
    case nothing
  }

  /// - Parameter read: reads into the dissector, and returns what could not be read.
  func run<V: View>(
    _ view: V, read: (inout Dissector<ViewSink<V>>) -> [Failure]
  ) throws -> ExitStatus {
    if let output { try Showing.check(output, writesCapture: writesCapture) }
    let file = try OutputFile(
      output, reading: inputs + alsoReads, content: writesCapture ? .capture : format == .raw ? .bytes : .text)
    let sink = ViewSink(
      view, to: file, selection: selection, filter: filter, limit: limit,
      refusesMixture: format.isOneStream && !joinsStreams,
      inputs: inputs, hasHeadings: hasHeadings, hidesNotes: hidesNotes, baseline: baseline,
      reports: reports, jobs: jobs,
      progress: progress,
      isWanted: isWanted)
    var dissector = Dissector(
      protocolDefinitions, policy: roles.policy, rules: rules, recovers: !roles.believesLengths, into: sink)
    // Progress is told by whoever reads, of what another thread would count.
    if jobs > 1, progress == nil, !V.showsEachAlone {
      var companion: Companion?
      dissector.companion = { work, meanwhile in
        companion = companion ?? Companion()
        guard let companion else {
          work()
          meanwhile()
          return true
        }
        return companion.run(work, meanwhile)
      }
    }
    var failures = read(&dissector)
    if let mixture = dissector.records.mixture { failures.append(mixture) }
    let triage = dissector.records.triage
    let wasInterrupted = failures.contains(where: \.isInterruption)
    let isComplete =
      failures.isEmpty || (triage.foundSomething && dissector.records.mixture == nil && !wasInterrupted)
    do throws(Failure) {
      try dissector.records.close(complete: isComplete)
    } catch {
      failures.append(error)
    }
    for failure in failures { failure.report() }
    // A closed pipe ends quietly, and after a write error nothing else matters.
    if !quiet, !dissector.records.isClosed, failures.isEmpty || triage.foundSomething,
      let line = lastLine(triage)
    {
      Talk.say(line)
    }
    if let failure = failures.first {
      return failures.contains { $0.status == .unreadable } ? .unreadable : failure.status
    }
    return failOn.isReached(by: triage.worst) ? .findings : .clean
  }

  /// Few formats are a capture.
  static func check(_ output: String, writesCapture: Bool = false) throws(Failure) {
    guard !writesCapture, output.hasSuffix(".pcap") || output.hasSuffix(".pcapng") else { return }
    throw .usage(
      "\(output): this command writes no packets; to write a capture: apnscope -T ndjson ... | apnscope encode "
        + "-T pcap -w \(output)")
  }

  private func lastLine(_ triage: Triage) -> String? {
    switch closing {
    case .nothing: nil
    case .triage: triage.line(flags: flags, selection: selection.flags, format: format, wanted: selection.stream)
    case .account(let baseline):
      triage.account(hidesNotes: hidesNotes, baseline: baseline, wanted: selection.stream)
    }
  }
}
