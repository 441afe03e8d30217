import CProcess

/// A command that runs on one input under supervision. It gets its own process group, so that its descendants are
/// killed with it. Its output is discarded except the beginning of standard error.
struct ChildProcess {
  private let process: pid_t
  /// The read end of the pipe for its standard error. It reaches its end once no process holds the other end.
  private let errors: Int32
  private var errorsAreClosed = false
  /// A descriptor that becomes readable when the process ends; -1 if the system has none.
  private let end: Int32
  private let began = clockSeconds()
  private let limits: Limits
  private let signs: FailureSigns
  private var errorOutput: [UInt8] = []
  private var excess: Ending?

  struct Limits {
    /// Wall-clock time.
    var seconds = 1.0
    /// Resident memory of the process and its descendants, in bytes.
    var memory = 512 << 20
  }

  /// How the command ended.
  struct Ending: Hashable {
    let kind: Kind
    /// The exit status, or the number of the signal.
    var number: Int32 = 0
    /// The text by which an uncaught exception was recognised.
    var text: String?
    /// The innermost line of the program in its stack trace, such as `decoder.c:25`; nil if there is none.
    var place: String?

    enum Kind {
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
  }

  /// The result of a run.
  struct Outcome {
    let ending: Ending
    /// The beginning of its standard error.
    let errorOutput: [UInt8]
    let seconds: Double
  }

  private static let longestErrors = 1 << 14

  /// Prepares this process for running commands: no core files, and orphaned descendants become its children.
  static func prepare() {
    child_prepare()
    _ = inherited
  }

  /// Children that existed before: a shell that replaced itself with apnscope may leave some.
  private static let inherited = childrenOf(getpid())

  /// Starts a command.
  /// - Parameters:
  ///   - words: The command and its arguments.
  ///   - path: The file that becomes its standard input.
  init(_ words: [String], input path: String, limits: Limits, signs: FailureSigns) throws(Failure) {
    self.limits = limits
    self.signs = signs
    guard let pipe = openPipe() else {
      throw .unreadable("cannot create a pipe for \(words[0]): \(systemError()); try fewer --jobs")
    }
    defer { close(pipe.write) }
    guard let process = start(words, input: path, errors: pipe.write) else {
      let reason = systemError()
      close(pipe.read)
      throw .unreadable("cannot run \(words[0]): \(reason); check the command after --")
    }
    self.process = process
    errors = pipe.read
    end = child_watch(process)
  }

  /// The result; nil while the command runs.
  mutating func outcome() -> Outcome? {
    drain()
    guard child_has_ended(process) else {
      excess = excess ?? exceededLimit()
      if excess != nil { killGroup(process) }
      return nil
    }
    let seconds = clockSeconds() - began
    let (status, peak) = reap()
    if peak > limits.memory { excess = excess ?? .exceededMemory }
    let ending = excess ?? signs.ending(status: status >> 8 & 0xff, signal: status & 0x7f, errorOutput)
    return Outcome(ending: ending, errorOutput: errorOutput, seconds: seconds)
  }

  /// Waits for the result; nil if that was interrupted.
  mutating func finish() -> Outcome? {
    while true {
      if let outcome = outcome() { return outcome }
      guard !Interrupt.isRaised else {
        stop()
        return nil
      }
      Self.wait(for: [self])
    }
  }

  /// Kills the command when its result is no longer needed.
  mutating func stop() {
    killGroup(process)
    _ = reap()
  }

  /// Kills processes that commands left running. Orphans become children of this process, even in their own sessions.
  /// Returns how many were still running.
  @discardableResult
  static func endOrphans(sparing running: [ChildProcess]) -> Int {
    var count = 0
    // Each killed process may leave further orphans.
    for _ in 0..<64 {
      let orphans = childrenOf(getpid()).filter { orphan in
        !inherited.contains(orphan) && !running.contains { $0.process == orphan }
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
  static func wait(for children: [ChildProcess]) {
    var waits: [pollfd] = []
    var longest: Int32 = 10
    for child in children {
      if !child.errorsAreClosed { waits.append(pollfd(fd: child.errors, events: Int16(POLLIN), revents: 0)) }
      if child.end >= 0 {
        waits.append(pollfd(fd: child.end, events: Int16(POLLIN), revents: 0))
      } else {
        longest = 1
      }
    }
    _ = unsafe poll(&waits, nfds_t(waits.count), longest)
  }

  /// Reads the available output, so that a full pipe never blocks the command. The amount per call is limited.
  private mutating func drain() {
    guard !errorsAreClosed else { return }
    var buffer = [UInt8](repeating: 0, count: 1 << 12)
    for _ in 0..<64 {
      guard let count = Descriptor(number: errors, isOwned: false).read(into: &buffer) else { return }
      errorsAreClosed = count == 0
      if errorsAreClosed { return }
      errorOutput += buffer[..<min(count, Self.longestErrors - errorOutput.count)]
    }
  }

  private func exceededLimit() -> Ending? {
    let seconds = clockSeconds() - began
    if seconds > limits.seconds { return .timedOut }
    // A short run cannot use much memory, and checking would cost more than the run.
    return seconds > 0.005 && residentBytes(ofTreeAt: process) > limits.memory ? .exceededMemory : nil
  }

  /// Collects the exit status, and the peak memory of the process or a descendant in bytes. The process must have ended
  /// or been killed.
  private mutating func reap() -> (status: Int32, peak: Int) {
    killGroup(process)  // before its number can be reused
    var status: Int32 = 0
    var usage = rusage()
    while unsafe wait4(process, &status, 0, &usage) < 0, errno == EINTR {}
    drain()
    close(errors)
    if end >= 0 { close(end) }
    #if canImport(Darwin)
      return (status, usage.ru_maxrss)
    #else
      return (status, usage.ru_maxrss << 10)
    #endif
  }
}

private func killGroup(_ process: pid_t) { _ = kill(-process, SIGKILL) }

private func openPipe() -> (read: Int32, write: Int32)? {
  var numbers: [Int32] = [0, 0]
  guard unsafe pipe(&numbers) == 0 else { return nil }
  for number in numbers { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }
  _ = fcntl(numbers[0], F_SETFL, O_NONBLOCK)
  return (numbers[0], numbers[1])
}

/// Starts a command. Nil if that fails; `systemError()` gives the reason.
/// - Parameters:
///   - output: What becomes its standard output; -1 is /dev/null.
///   - kept: Another descriptor that it gets; -1 is none.
func start(_ words: [String], input path: String, output: Int32 = -1, errors: Int32, kept: Int32 = -1) -> pid_t? {
  // Copies of the words, terminated by nil as exec requires; freed below.
  var arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
  defer { for index in unsafe arguments.indices { unsafe free(arguments[index]) } }
  let process = unsafe child_start(&arguments, path, output, errors, kept)
  return process > 0 ? process : nil
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

/// By default, a sanitizer finding ends a process with a status that may mean a refusal. These options make it abort
/// instead.
func abortOnSanitizerFindings() {
  for name in ["ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"] {
    unsafe setenv(name, "abort_on_error=1:halt_on_error=1", 0)  // keeps options that the user has set
  }
}
