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
    self.signs = signs.locating(words)
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

  func ending(
    on bytes: [UInt8], in file: TemporaryFile, seconds: Double? = nil
  ) throws(Failure) -> ChildProcess.Ending? {
    try outcome(on: bytes, in: file, seconds: seconds)?.ending
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
  private(set) var program = ProgramFiles([])

  /// The same signs for this command, with the places of its failures.
  func locating(_ words: [String]) -> FailureSigns {
    var signs = self
    signs.program = ProgramFiles(words)
    return signs
  }

  /// Classifies an exit status.
  /// - Parameter lines: The lines of standard error.
  func ending(_ status: Int32, _ lines: [Substring]) -> ChildProcess.Ending {
    // By convention of the shell, the command could not be run.
    if status == 126 || status == 127 { return .exited(status) }
    for text in texts where lines.contains(where: { $0.contains(text) }) {
      return .failed(status: status, text, at: program.place(in: lines))
    }
    if refusals.contains(status) { return .exited(status) }
    let signal = status - 128
    // A shell reports a command killed by a signal like that.
    if ChildProcess.Ending.signalNames[signal] != nil { return .crashed(signal: signal, at: program.place(in: lines)) }
    return refusals.isEmpty || status == 0
      ? .exited(status) : .failed(status: status, nil, at: program.place(in: lines))
  }
}

extension ChildProcess.Ending {
  /// A predicate for the subject "the command".
  var words: String {
    switch self {
    case .exited(0): "accepts it (status 0)"
    case .exited(126), .exited(127): "cannot be run (status \(status))"
    case .exited: "refuses it (status \(status))"
    case .failed(let status, let text?, _): "prints \"\(text)\" (status \(status))" + at
    case .failed(let status, nil, _): "fails with status \(status)" + at
    case .crashed(let signal, _): "is killed by signal \(signal) (\(Self.signalNames[signal] ?? "unnamed"))" + at
    case .timedOut: "exceeds the time limit"
    case .exceededMemory: "exceeds the memory limit"
    }
  }

  private var at: String { place.map { " at \(printable($0))" } ?? "" }

  /// The innermost line of the program in its stack trace, such as `decoder.c:25`; nil if there is none.
  var place: String? {
    switch self {
    case .failed(_, _, let place), .crashed(_, let place): place
    case .exited, .timedOut, .exceededMemory: nil
    }
  }

  /// Whether it is a signal or an uncaught exception.
  var isCrash: Bool {
    switch self {
    case .failed, .crashed: true
    case .exited, .timedOut, .exceededMemory: false
    }
  }

  /// A short word for file names.
  var kind: String {
    switch self {
    case .exited: "verdict"
    case .failed(_, .some, _): "exception"
    case .failed(let status, nil, _): "status-\(status)"
    case .crashed(let signal, _): Self.signalNames[signal]?.lowercased() ?? "signal-\(signal)"
    case .timedOut: "timeout"
    case .exceededMemory: "memory"
    }
  }

  var isVerdict: Bool { if case .exited = self { true } else { false } }

  /// The exit status; 0 if the command did not exit.
  var status: Int32 { if case .exited(let status) = self { status } else { 0 } }

  static let signalNames: [Int32: String] = [
    1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE",
    9: "SIGKILL", 10: "SIGUSR1", 11: "SIGSEGV", 12: "SIGUSR2", 13: "SIGPIPE", 14: "SIGALRM", 15: "SIGTERM",
    24: "SIGXCPU", 25: "SIGXFSZ", 31: "SIGSYS",
  ]
}
