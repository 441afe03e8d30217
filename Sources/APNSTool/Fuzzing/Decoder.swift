/// The command line of a decoder under test. `@@` in it is replaced by the path of the input file; without it, the
/// command reads standard input.
package struct Decoder {
  let words: [String]
  let limits: ChildProcess.Limits
  private let signs: FailureSigns

  package init(_ words: [String], limits: ChildProcess.Limits, signs: FailureSigns) throws(Failure) {
    // The argument parser keeps the separator.
    let words = Array(words.first == "--" ? words.dropFirst() : words[...])
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
package struct FailureSigns {
  /// The statuses that mean a refusal; empty means all except 0.
  let refusals: Set<Int32>
  /// Texts on standard error that mean a failure.
  let texts: [String]

  package init(refusals: Set<Int32>, texts: [String]) {
    self.refusals = refusals
    self.texts = texts
  }

  /// The texts that common runtimes print for uncaught exceptions, and sanitizers for findings.
  package static let usualTexts = [
    "Traceback (most recent call last)",  // Python
    "Exception in thread",  // Java, Kotlin, Scala
    "Node.js v", "error: Uncaught",  // Node, Deno
    "panic: ", " [running]:",  // Go
    "panicked at",  // Rust
    ": Fatal error: ",  // Swift
    "PHP Fatal error: ", "Unhandled exception",  // PHP, .NET, Dart
    "Sanitizer: ",
  ]

  /// Classifies an exit status.
  /// - Parameter lines: The lines of standard error.
  func ending(_ status: Int32, _ lines: [Substring]) -> ChildProcess.Ending {
    // By convention of the shell, the command could not be run.
    if status == 126 || status == 127 { return .exited(status) }
    for text in texts where lines.contains(where: { $0.contains(text) }) {
      return .failed(status: status, UncaughtException(text, lines))
    }
    if refusals.contains(status) { return .exited(status) }
    let ending = ChildProcess.Ending(status: status)
    return refusals.isEmpty || status == 0 || !ending.isVerdict ? ending : .failed(status: status, nil)
  }
}

/// An uncaught exception that the command reported.
package struct UncaughtException: Hashable {
  /// The text by which the exception was recognised.
  let text: String
  /// The place where it was thrown, without values, to distinguish different bugs.
  private let origin: String

  /// In most languages, the lines of a stack trace are indented; addresses in them differ between runs. Without a stack
  /// trace, the line with the text may contain the place, next to numbers.
  fileprivate init(_ text: String, _ lines: [Substring]) {
    self.text = text
    let stack = lines.filter { $0.first?.isWhitespace == true }.flatMap { $0.split(separator: " ") }
    let words = lines.first { $0.contains(text) }?.split(separator: " ") ?? []
    origin =
      stack.isEmpty
      ? words.filter { $0.contains(where: \.isLetter) }.joined(separator: " ")
      : stack.filter { !$0.contains("0x") }.joined(separator: " ")
  }
}

extension ChildProcess.Ending {
  /// A predicate for the subject "the command".
  var words: String {
    switch self {
    case .exited(0): "accepts it (status 0)"
    case .exited(126), .exited(127): "cannot be run (status \(status))"
    case .exited: "refuses it (status \(status))"
    case .failed(let status, let exception?): "prints \"\(exception.text)\" (status \(status))"
    case .failed(let status, nil): "fails with status \(status)"
    case .crashed(let signal): "is killed by signal \(signal) (\(Self.signalNames[signal] ?? "unnamed"))"
    case .timedOut: "exceeds the time limit"
    case .exceededMemory: "exceeds the memory limit"
    }
  }

  /// A short word for file names.
  var kind: String {
    switch self {
    case .exited: "verdict"
    case .failed(_, .some): "exception"
    case .failed(let status, nil): "status-\(status)"
    case .crashed(let signal): Self.signalNames[signal]?.lowercased() ?? "signal-\(signal)"
    case .timedOut: "timeout"
    case .exceededMemory: "memory"
    }
  }

  /// A shell reports a command killed by a signal with the status 128 plus the number of the signal.
  init(status: Int32) {
    let signal = status - 128
    self = Self.signalNames[signal] == nil ? .exited(status) : .crashed(signal: signal)
  }

  var isVerdict: Bool { if case .exited = self { true } else { false } }

  /// The exit status; 0 if the command did not exit.
  var status: Int32 { if case .exited(let status) = self { status } else { 0 } }

  private static let signalNames: [Int32: String] = [
    1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE",
    9: "SIGKILL", 10: "SIGUSR1", 11: "SIGSEGV", 12: "SIGUSR2", 13: "SIGPIPE", 14: "SIGALRM", 15: "SIGTERM",
    24: "SIGXCPU", 25: "SIGXFSZ", 31: "SIGSYS",
  ]
}
