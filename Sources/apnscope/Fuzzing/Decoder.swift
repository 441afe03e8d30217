import APNSCraft
import APNSViews

/// A decoder under test: its command line, and what counts as its failure.
struct Decoder {
  /// The command and its arguments. `@@` is replaced by the path of the input file; without it, the command reads
  /// standard input.
  let words: [String]
  let options: WatchOptions
  /// Texts on standard error that mean a failure: many languages end an uncaught exception with a status that may also
  /// mean a refusal.
  private let texts: [String]
  private let program: ProgramFiles

  init(_ words: [String], _ options: WatchOptions) throws(Failure) {
    guard let command = words.first, !command.isEmpty else {
      throw .usage("no command to run; add one after --, such as -- ./decoder or -- python3 decode.py @@")
    }
    (self.words, self.options, program) = (words, options, ProgramFiles(of: words))
    let given = options.crashText
    texts = (given.contains("") ? [] : FailureText.usual) + given.filter { !$0.isEmpty }
    DecoderRun.prepare()
  }

  /// Runs the command on these bytes to its end; nil if that was interrupted.
  /// - Parameter seconds: A time limit shorter than that of the options.
  func outcome(on bytes: [UInt8], seconds: Double? = nil) throws(Failure) -> DecoderRun.Outcome? {
    let run = try DecoderRun(of: self, on: bytes, seconds: seconds)
    while !Interrupt.isRaised, !run.hasEnded() { DecoderRun.wait(for: [run]) }
    run.stop()
    DecoderRun.endOrphans()
    return run.outcome
  }

  /// The words of a run on a file.
  func words(on path: String) -> [String] { words.map { $0.replacing("@@", with: path) } }

  /// A shell command line that runs the command on a file.
  func line(on path: String) -> String {
    let reads = words.contains { $0.contains("@@") } ? "" : " < " + shellWord(path)
    return shellLine(words(on: path)) + reads
  }

  /// Classifies the end of a run.
  /// - Parameters:
  ///   - signal: The signal that killed the command; 0 if it exited with `status`.
  ///   - lines: Its standard error.
  func ending(status: Int32, signal: Int32, _ lines: [Substring]) -> Ending {
    func failed(_ kind: Ending.Kind, _ number: Int32, _ text: String? = nil) -> Ending {
      Ending(kind: kind, number: number, text: text, place: program.place(in: lines))
    }
    if signal != 0 { return failed(.crashed, signal) }
    // By convention of the shell, the command could not be run.
    if status == 126 || status == 127 { return .exited(status) }
    let text = texts.first { text in lines.contains { $0.contains(text) } }
    if let text { return failed(.failed, status, text) }
    if options.refuseStatus.contains(status) { return .exited(status) }
    // A shell reports a command killed by a signal like that.
    if Ending.signalNames[status - 128] != nil { return failed(.crashed, status - 128) }
    return options.refuseStatus.isEmpty || status == 0 ? .exited(status) : failed(.failed, status)
  }
}

/// How a run of the command ended.
struct Ending: Hashable {
  let kind: Kind
  /// The exit status, or the number of the signal.
  var number: Int32 = 0
  /// The text by which an uncaught exception was recognised.
  var text: String?
  /// The innermost line of the program in its stack trace, such as `decoder.c:25`; nil if there is none.
  var place: String?

  enum Kind {
    /// It accepted or refused its input.
    case exited
    /// It exited, but not by refusing its input: with an uncaught exception, or with a status that is not a refusal.
    case failed
    /// A signal killed it.
    case crashed
    case timedOut, exceededMemory
  }

  static func exited(_ status: Int32) -> Ending { Ending(kind: .exited, number: status) }
  static let timedOut = Ending(kind: .timedOut)
  static let exceededMemory = Ending(kind: .exceededMemory)

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
