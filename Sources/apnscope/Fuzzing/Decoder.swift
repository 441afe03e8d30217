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
    lazy var place = program.place(in: lines)
    if signal != 0 { return .killed(by: signal, place: place) }
    if Ending.unrun.contains(status) { return .exited(status) }
    let text = texts.first { text in lines.contains { $0.contains(text) } }
    if let text { return .failed(status, text: text, place: place) }
    if options.refuseStatus.contains(status) { return .exited(status) }
    // A shell reports a command killed by a signal like that.
    if Ending.signalNames[status - 128] != nil { return .killed(by: status - 128, place: place) }
    return options.refuseStatus.isEmpty || status == 0 ? .exited(status) : .failed(status, place: place)
  }
}

struct Ending: Hashable {
  /// A short word for file names.
  let name: String
  /// A predicate for the subject "the command".
  let words: String
  /// The status with which the command accepted or refused its input; nil if it failed.
  let verdict: Int32?
  /// Whether it is a signal or an uncaught exception.
  let isCrash: Bool
  /// The innermost line of the program in its stack trace, such as `decoder.c:25`; nil if there is none.
  let place: String?

  private init(_ name: String, _ words: String, verdict: Int32? = nil, isCrash: Bool = false, place: String? = nil) {
    (self.name, self.verdict, self.isCrash, self.place) = (name, verdict, isCrash, place)
    self.words = words + (place.map { " at \(printable($0))" } ?? "")
  }

  static let timedOut = Ending("timeout", "exceeds the time limit")
  static let exceededMemory = Ending("memory", "exceeds the memory limit")

  /// It accepted or refused its input with this status, or a shell could not run it.
  static func exited(_ status: Int32) -> Ending {
    let verb = status == 0 ? "accepts it" : unrun.contains(status) ? "cannot be run" : "refuses it"
    return Ending("verdict", "\(verb) (status \(status))", verdict: status)
  }

  /// It exited, but not by refusing its input: with an uncaught exception, recognised by its text, or with a status
  /// that is not a refusal.
  static func failed(_ status: Int32, text: String? = nil, place: String?) -> Ending {
    let words = text.map { "prints \"\($0)\" (status \(status))" } ?? "fails with status \(status)"
    return Ending(text == nil ? "status-\(status)" : "exception", words, isCrash: true, place: place)
  }

  static func killed(by signal: Int32, place: String?) -> Ending {
    let name = signalNames[signal]
    return Ending(
      name?.lowercased() ?? "signal-\(signal)", "is killed by signal \(signal) (\(name ?? "unnamed"))", isCrash: true,
      place: place)
  }

  /// The statuses with which a shell says that it could not run a command.
  static let unrun: Set<Int32> = [126, 127]

  static let signalNames: [Int32: String] = [
    1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE",
    9: "SIGKILL", 10: "SIGUSR1", 11: "SIGSEGV", 12: "SIGUSR2", 13: "SIGPIPE", 14: "SIGALRM", 15: "SIGTERM",
    24: "SIGXCPU", 25: "SIGXFSZ", 31: "SIGSYS",
  ]
}
