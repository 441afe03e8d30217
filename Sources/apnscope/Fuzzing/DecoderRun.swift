import APNSViews
import CProcess

/// One run of a decoder under supervision. It gets its own process group, so that its descendants are killed with it.
/// Its output is discarded except the beginning of standard error.
final class DecoderRun {
  private let decoder: Decoder
  private let seconds: Double
  /// Nil once the command has ended.
  private var input: TemporaryFile?
  private let process: pid_t
  private let began = clockSeconds()
  /// The read end of the pipe for its standard error; nil once no process holds the other end.
  private var errors: Descriptor?
  /// A descriptor that becomes readable when the process ends; nil if the system has none.
  private var end: Descriptor?
  private var errorOutput: [UInt8] = []
  private var excess: Ending?
  /// The result; nil while the command runs.
  private(set) var outcome: Outcome?

  struct Outcome {
    let ending: Ending
    /// The beginning of its standard error. The path of its input is written as `@@`, since it differs between runs.
    let errors: [Substring]
    let seconds: Double
  }

  private static let longestErrors = 1 << 14

  /// Prepares this process for running commands: no core files, orphaned descendants become its children, and
  /// sanitizers abort, because by default they end a process with a status that may mean a refusal.
  static func prepare() {
    child_prepare()
    _ = inherited
    for name in ["ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"] {
      unsafe setenv(name, "abort_on_error=1:halt_on_error=1", 0)  // keeps options that the user has set
    }
  }

  /// Children that existed before: a shell that replaced itself with apnscope may leave some.
  private static let inherited = childrenOf(getpid())

  /// - Parameter seconds: A time limit shorter than that of the options.
  init(of decoder: Decoder, on bytes: [UInt8], seconds: Double?) throws(Failure) {
    let input = try TemporaryFile.make(containing: bytes)
    let words = decoder.words(on: input.path)
    guard let pipe = Pipe() else {
      throw .unreadable("cannot create a pipe for \(words[0]): \(systemError()); try fewer --jobs")
    }
    _ = fcntl(pipe.read.number, F_SETFL, O_NONBLOCK)
    guard let process = start(words, input: input.path, errors: pipe.write.number) else {
      throw .unreadable("cannot run \(words[0]): \(systemError()); check the command after --")
    }
    let end = child_watch(process)
    (self.decoder, self.input, self.process) = (decoder, input, process)
    self.seconds = min(decoder.options.timeout, seconds ?? .infinity)
    self.end = end < 0 ? nil : Descriptor(end)
    let read = pipe.read
    errors = consume read
  }

  /// Whether the command has ended, so that there is an outcome. Kills it if it exceeds a limit.
  func hasEnded() -> Bool {
    guard let input else { return true }
    drain()
    guard child_has_ended(process) else {
      excess = excess ?? exceededLimit()
      if excess != nil { _ = kill(-process, SIGKILL) }
      return false
    }
    let seconds = clockSeconds() - began
    let (status, peak) = reap()
    if peak > decoder.options.memory << 20 { excess = excess ?? .exceededMemory }
    let lines = String(decoding: errorOutput, as: UTF8.self).replacing(input.path, with: "@@")
      .split(whereSeparator: \.isNewline)
    let ending = excess ?? decoder.ending(status: status >> 8 & 0xff, signal: status & 0x7f, lines)
    outcome = Outcome(ending: ending, errors: lines, seconds: seconds)
    return true
  }

  func stop() {
    if input != nil { _ = reap() }
  }

  /// Kills processes that commands left running. Orphans become children of this process, even in their own sessions.
  /// Returns how many were still running.
  @discardableResult
  static func endOrphans(sparing runs: [DecoderRun] = []) -> Int {
    var count = 0
    // Each killed process may leave further orphans.
    for _ in 0..<64 {
      let orphans = childrenOf(getpid()).filter { orphan in
        !inherited.contains(orphan) && !runs.contains { $0.process == orphan }
      }
      if orphans.isEmpty { break }
      for orphan in orphans where kill(orphan, SIGKILL) == 0 {
        var status: Int32 = 0
        _ = unsafe waitpid(orphan, &status, 0)
        if status & 0x7f == SIGKILL { count += 1 }
      }
    }
    return count
  }

  /// Waits until a command prints or ends, or until its limits must be checked.
  static func wait(for runs: [DecoderRun]) {
    var waits: [pollfd] = []
    var longest: Int32 = 10
    for run in runs {
      let numbers = [run.errors?.number, run.end?.number].compactMap(\.self)
      waits += numbers.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      if run.end == nil { longest = 1 }
    }
    _ = unsafe poll(&waits, nfds_t(waits.count), longest)
  }

  /// Reads the available output, so that a full pipe never blocks the command. The amount per call is limited.
  private func drain() {
    var buffer = [UInt8](repeating: 0, count: 1 << 12)
    for _ in 0..<64 {
      guard let count = errors?.read(into: &buffer) else { return }
      if count == 0 { errors = nil }
      errorOutput += buffer[..<min(count, Self.longestErrors - errorOutput.count)]
    }
  }

  private func exceededLimit() -> Ending? {
    let seconds = clockSeconds() - began
    if seconds > self.seconds { return .timedOut }
    // A short run cannot use much memory, and checking would cost more than the run.
    return seconds > 0.005 && residentBytes(ofTreeAt: process) > decoder.options.memory << 20
      ? .exceededMemory : nil
  }

  /// Collects the exit status, and the peak memory of the process or a descendant in bytes.
  private func reap() -> (status: Int32, peak: Int) {
    _ = kill(-process, SIGKILL)  // before its number can be reused
    var status: Int32 = 0
    var usage = rusage()
    while unsafe wait4(process, &status, 0, &usage) < 0, errno == EINTR {}
    drain()
    input = nil
    errors = nil
    end = nil
    #if canImport(Darwin)
      return (status, usage.ru_maxrss)
    #else
      return (status, usage.ru_maxrss << 10)
    #endif
  }
}

extension DecoderRun.Outcome {
  /// The lines of standard error that are not blank, made safe for a terminal.
  var errorLines: [String] {
    errors.map { printable(String($0.replacing("\t", with: "    "))) }.filter { $0.contains { $0 != " " } }
  }

  /// A clause with the last line, such as `, and prints "usage: ..."`; empty if there is no output.
  var quotation: String {
    errorLines.last.map { ", and prints \"\($0.count > 120 ? $0.prefix(120) + "..." : $0[...])\"" } ?? ""
  }

  /// The line that says what went wrong, without its numbers, which differ between cases; nil if there is no output.
  var errorLineWithoutNumbers: String? {
    let signs = ["Error", "Exception", "Fatal", "panic", "SUMMARY"]
    let line = errorLines.last { line in !line.hasPrefix(" ") && signs.contains { line.contains($0) } }
    return (line ?? errorLines.last)?.prefix(200).reduce(into: "") { text, character in
      if !character.isNumber { text.append(character) } else if text.last != "0" { text.append("0") }
    }
  }
}

// Linux reports the memory and children of processes. On other systems only the peak at the end is checked.

private func residentBytes(ofTreeAt process: pid_t, depth: Int = 0) -> Int {
  let words = procWords("/proc/\(process)/statm")
  let bytes = words.count > 1 ? words[1] * Int(getpagesize()) : 0
  guard depth < 8 else { return bytes }
  return childrenOf(process).reduce(bytes) { $0 + residentBytes(ofTreeAt: $1, depth: depth + 1) }
}

/// The children of its first thread.
private func childrenOf(_ process: pid_t) -> [pid_t] {
  procWords("/proc/\(process)/task/\(process)/children").map { pid_t($0) }
}

private func procWords(_ path: String) -> [Int] {
  guard let file = Descriptor(reading: path) else { return [] }
  var buffer = [UInt8](repeating: 0, count: 4096)
  guard let count = file.read(into: &buffer) else { return [] }
  return String(decoding: buffer[..<count], as: UTF8.self).split { $0 == " " || $0 == "\n" }.compactMap { Int($0) }
}
