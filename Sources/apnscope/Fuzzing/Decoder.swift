import APNSCraft
import APNSViews

/// The command line of a decoder under test. `@@` in it is replaced by the path of the input file; without it, the
/// command reads standard input.
struct Decoder {
  let words: [String]
  let limits: ChildProcess.Limits
  private let signs: FailureSigns

  init(_ words: [String], limits: ChildProcess.Limits, signs: FailureSigns) throws(Failure) {
    guard let command = words.first, !command.isEmpty else {
      throw .usage("no command to run; add one after --, such as -- ./decoder or -- python3 decode.py @@")
    }
    self.words = words
    self.limits = limits
    self.signs = signs
    abortOnSanitizerFindings()
    ChildProcess.prepare()
  }

  /// Starts the command on a file.
  /// - Parameter seconds: A time limit shorter than that of `limits`.
  func start(on path: String, seconds: Double? = nil) throws(Failure) -> ChildProcess {
    var limits = limits
    limits.seconds = min(limits.seconds, seconds ?? limits.seconds)
    return try ChildProcess(words.map { $0.replacing("@@", with: path) }, input: path, limits: limits, signs: signs)
  }

  /// Runs the command on these bytes to its end; nil if that was interrupted.
  func outcome(
    on bytes: [UInt8], in file: TemporaryFile, seconds: Double? = nil
  ) throws(Failure) -> ChildProcess.Outcome? {
    try file.replace(with: bytes)
    var child = try start(on: file.path, seconds: seconds)
    defer { ChildProcess.endOrphans(sparing: []) }
    return child.finish()
  }

  /// A shell command line that runs the command on a file.
  func line(on path: String) -> String {
    let shown = words.map { shellWord($0.replacing("@@", with: path)) }.joined(separator: " ")
    return words.contains { $0.contains("@@") } ? shown : shown + " < " + shellWord(path)
  }
}

/// Distinguishes a decoder that fails from one that refuses its input: many languages end an uncaught exception with a
/// status that may also mean a refusal.
struct FailureSigns {
  /// The statuses that mean a refusal; empty means all except 0.
  let refusals: Set<Int32>
  /// Texts on standard error that mean a failure.
  let texts: [String]
  let program: ProgramFiles

  /// Classifies the end of a run.
  /// - Parameters:
  ///   - signal: The signal that killed the command; 0 if it exited with `status`.
  ///   - errors: Its standard error.
  func ending(status: Int32, signal: Int32, _ errors: [UInt8]) -> ChildProcess.Ending {
    let lines = errors.isEmpty ? [] : String(decoding: errors, as: UTF8.self).split(whereSeparator: \.isNewline)
    func failed(_ kind: ChildProcess.Ending.Kind, _ number: Int32, _ text: String? = nil) -> ChildProcess.Ending {
      ChildProcess.Ending(kind: kind, number: number, text: text, place: program.place(in: lines))
    }
    if signal != 0 { return failed(.crashed, signal) }
    // By convention of the shell, the command could not be run.
    if status == 126 || status == 127 { return .exited(status) }
    let text = texts.first { text in lines.contains { $0.contains(text) } }
    if let text { return failed(.failed, status, text) }
    if refusals.contains(status) { return .exited(status) }
    // A shell reports a command killed by a signal like that.
    if ChildProcess.Ending.signalNames[status - 128] != nil { return failed(.crashed, status - 128) }
    return refusals.isEmpty || status == 0 ? .exited(status) : failed(.failed, status)
  }
}

extension ChildProcess.Ending {
  /// A predicate for the subject "the command".
  var words: String {
    let at = place.map { " at \(printable($0))" } ?? ""
    switch kind {
    case .exited:
      return number == 0
        ? "accepts it (status 0)" : "\(isUnrun ? "cannot be run" : "refuses it") (status \(number))"
    case .failed: return (text.map { "prints \"\($0)\" (status \(number))" } ?? "fails with status \(number)") + at
    case .crashed: return "is killed by signal \(number) (\(Self.signalNames[number] ?? "unnamed"))" + at
    case .timedOut: return "exceeds the time limit"
    case .exceededMemory: return "exceeds the memory limit"
    }
  }

  /// A short word for file names.
  var name: String {
    switch kind {
    case .exited: "verdict"
    case .failed: text == nil ? "status-\(number)" : "exception"
    case .crashed: Self.signalNames[number]?.lowercased() ?? "signal-\(number)"
    case .timedOut: "timeout"
    case .exceededMemory: "memory"
    }
  }

  /// Whether it is a signal or an uncaught exception.
  var isCrash: Bool { kind == .failed || kind == .crashed }

  /// Whether the command accepted or refused its input.
  var isVerdict: Bool { kind == .exited }

  /// Whether a shell could not run the command.
  var isUnrun: Bool { self == .exited(126) || self == .exited(127) }

  static let signalNames: [Int32: String] = [
    1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE",
    9: "SIGKILL", 10: "SIGUSR1", 11: "SIGSEGV", 12: "SIGUSR2", 13: "SIGPIPE", 14: "SIGALRM", 15: "SIGTERM",
    24: "SIGXCPU", 25: "SIGXFSZ", 31: "SIGSYS",
  ]
}
