/// Someone else's decoder, as a command line: `@@` in it stands for a file with the input, which it else gets on its
/// standard input.
package struct Decoder {
  let words: [String]
  let limits: ChildProcess.Limits
  private let signs: FailureSigns

  package init(_ words: [String], limits: ChildProcess.Limits, signs: FailureSigns) throws(Failure) {
    // Behind `--` the parser leaves it in place.
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

  /// - Parameter seconds: a shorter limit than its own.
  func start(on path: String, seconds: Double? = nil) throws(Failure) -> ChildProcess {
    var limits = limits
    limits.seconds = min(limits.seconds, seconds ?? limits.seconds)
    return try ChildProcess(words.map { $0.replacing("@@", with: path) }, input: path, limits: limits, signs: signs)
  }

  /// Runs it on these bytes alone, to the end; nil where that was interrupted.
  func outcome(
    on bytes: [UInt8], in file: TemporaryFile, seconds: Double? = nil
  ) throws(Failure) -> ChildProcess.Outcome? {
    try file.replace(with: bytes)
    var child = try start(on: file.path, seconds: seconds)
    while true {
      if let outcome = child.outcome() {
        ChildProcess.endOrphans(sparing: [])
        return outcome
      }
      if Interrupt.isRaised {
        child.stop()
        ChildProcess.endOrphans(sparing: [])
        return nil
      }
      ChildProcess.wait(for: [child])
    }
  }

  func ending(
    on bytes: [UInt8], in file: TemporaryFile, seconds: Double? = nil
  ) throws(Failure) -> ChildProcess.Ending? {
    try outcome(on: bytes, in: file, seconds: seconds)?.ending
  }

  /// The line that runs it on a file.
  func line(on path: String) -> String {
    let shown = words.map { shellWord($0.replacing("@@", with: path)) }.joined(separator: " ")
    return words.contains { $0.contains("@@") } ? shown : shown + " < " + shellWord(path)
  }
}

/// What tells a decoder that fails from one that refuses its input: many languages end an uncaught exception with a status
/// that a refusal has too.
package struct FailureSigns {
  /// Statuses of a refusal; empty for all of them.
  let refusals: Set<Int32>
  /// Texts on standard error.
  let texts: [String]

  package init(refusals: Set<Int32>, texts: [String]) {
    self.refusals = refusals
    self.texts = texts
  }

  /// What uncaught exceptions and sanitizers print, in the words of their runtimes.
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

  /// - Parameter lines: of the command's standard error.
  func ending(_ status: Int32, _ lines: [Substring]) -> ChildProcess.Ending {
    // The shell's words for a command that it cannot run.
    if status == 126 || status == 127 { return .exited(status) }
    for text in texts where lines.contains(where: { $0.contains(text) }) {
      return .failed(status: status, UncaughtException(text, lines))
    }
    if refusals.contains(status) { return .exited(status) }
    let ending = ChildProcess.Ending(status: status)
    return refusals.isEmpty || status == 0 || !ending.isVerdict ? ending : .failed(status: status, nil)
  }
}

package struct UncaughtException: Hashable {
  /// By which it was recognised.
  let text: String
  /// Where it was thrown. One bug does not stand for another, whatever its values are.
  private let origin: String

  /// Lines of a stack are indented in most languages, and addresses in them differ from run to run. Without a stack, the line
  /// with the text may have the place, beside numbers.
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
  /// In words, behind "the command".
  var words: String {
    switch self {
    case .exited(0): "accepts it (status 0)"
    case .exited(126), .exited(127): "cannot be run (status \(status))"
    case .exited: "refuses it (status \(status))"
    case .failed(let status, let exception?): "prints \"\(exception.text)\" (status \(status))"
    case .failed(let status, nil): "fails with status \(status)"
    case .crashed(let signal): "is killed by signal \(signal) (\(Self.signalNames[signal] ?? "unnamed"))"
    case .timedOut: "exceeds the time limit"
    case .outgrew: "exceeds the memory limit"
    }
  }

  /// Short, for the names of files.
  var kind: String {
    switch self {
    case .exited: "verdict"
    case .failed(_, .some): "exception"
    case .failed(let status, nil): "status-\(status)"
    case .crashed(let signal): Self.signalNames[signal]?.lowercased() ?? "signal-\(signal)"
    case .timedOut: "timeout"
    case .outgrew: "memory"
    }
  }

  /// A shell that ran the command reports its death by a signal as 128 and more.
  init(status: Int32) {
    let signal = status - 128
    self = Self.signalNames[signal] == nil ? .exited(status) : .crashed(signal: signal)
  }

  var isVerdict: Bool { if case .exited = self { true } else { false } }

  /// 0 where it did not exit.
  var status: Int32 { if case .exited(let status) = self { status } else { 0 } }

  private static let signalNames: [Int32: String] = [
    1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE",
    9: "SIGKILL", 10: "SIGUSR1", 11: "SIGSEGV", 12: "SIGUSR2", 13: "SIGPIPE", 14: "SIGALRM", 15: "SIGTERM",
    24: "SIGXCPU", 25: "SIGXFSZ", 31: "SIGSYS",
  ]
}
