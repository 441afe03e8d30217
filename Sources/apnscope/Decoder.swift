import APNSViews

/// Someone else's decoder, as a command line: `@@` in it stands for a file with the input, which it else gets on its
/// standard input.
struct Decoder {
  let words: [String]
  let limits: ChildProcess.Limits

  init(_ words: [String], seconds: Double, memory: Int) throws(Failure) {
    // Behind `--` the parser leaves it in place.
    let words = Array(words.first == "--" ? words.dropFirst() : words[...])
    guard let command = words.first, !command.isEmpty else {
      throw .usage("no command to run; add one after --, such as -- ./decoder or -- python3 decode.py @@")
    }
    self.words = words
    limits = ChildProcess.Limits(seconds: seconds, memory: memory << 20)
    abortOnSanitizerFindings()
    ChildProcess.prepare()
  }

  /// - Parameter seconds: a shorter limit than its own.
  func start(on path: String, seconds: Double? = nil) throws(Failure) -> ChildProcess {
    var limits = limits
    limits.seconds = min(limits.seconds, seconds ?? limits.seconds)
    return try ChildProcess(words.map { $0.replacing("@@", with: path) }, input: path, limits: limits)
  }

  /// Runs it on these bytes alone, to the end; nil where that was interrupted.
  func outcome(
    on bytes: [UInt8], in file: ScratchFile, seconds: Double? = nil
  ) throws(Failure) -> ChildProcess.Outcome? {
    try file.write(bytes)
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
    on bytes: [UInt8], in file: ScratchFile, seconds: Double? = nil
  ) throws(Failure) -> ChildProcess.Ending? {
    try outcome(on: bytes, in: file, seconds: seconds)?.ending
  }

  /// The line that runs it on a file.
  func line(on path: String) -> String {
    let shown = words.map { shellWord($0.replacing("@@", with: path)) }.joined(separator: " ")
    return words.contains { $0.contains("@@") } ? shown : shown + " < " + shellWord(path)
  }
}

/// A file of our own for one input after the other; it goes with its owner.
final class ScratchFile {
  private let file: TemporaryFile

  var path: String { file.path }

  init() throws(Failure) { file = try TemporaryFile.make() }

  func write(_ bytes: [UInt8]) throws(Failure) {
    guard file.replace(with: bytes) else {
      throw .unreadable("\(path): \(systemError()); free some space, or set TMPDIR to another folder")
    }
  }
}

extension ChildProcess.Ending {
  /// In words, behind "the command".
  var words: String {
    switch self {
    case .exited(0): "accepts it (status 0)"
    case .exited(126), .exited(127): "cannot be run (status \(status))"
    case .exited: "refuses it (status \(status))"
    case .crashed(let signal): "is killed by signal \(signal) (\(Self.signalNames[signal] ?? "unnamed"))"
    case .timedOut: "exceeds the time limit"
    case .outgrew: "exceeds the memory limit"
    }
  }

  /// Short, for the names of files.
  var kind: String {
    switch self {
    case .exited: "verdict"
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
