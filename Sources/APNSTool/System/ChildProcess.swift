import CChild

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Someone else's command, run on one input and watched: in a process group of its own, so that what it leaves behind
/// goes with it. What it prints is thrown away but for the beginning of its standard error.
package struct ChildProcess {
  private let process: pid_t
  /// What it says; nobody's once all who could write there are gone.
  private let errors: Int32
  private var hasSaidAll = false
  /// Readable once it ends; -1 where the system has no such thing.
  private let end: Int32
  private let began = clockSeconds()
  private let limits: Limits
  private let signs: FailureSigns
  private var said: [UInt8] = []
  private var excess: Ending?

  package struct Limits {
    /// Of the clock on the wall.
    package var seconds: Double
    /// Of the resident sets of it and its children, in bytes.
    package var memory: Int

    package init(seconds: Double = 1, memory: Int = 512 << 20) {
      self.seconds = seconds
      self.memory = memory
    }
  }

  /// How it ended.
  package enum Ending: Hashable {
    case exited(Int32)
    /// Exited as a decoder that refuses its input does not: with an uncaught exception, or with a status that is no refusal.
    case failed(status: Int32, UncaughtException?)
    case crashed(signal: Int32)
    case timedOut
    /// Held more than it may.
    case outgrew
  }

  /// What came of it.
  package struct Outcome {
    package let ending: Ending
    /// The beginning of its standard error.
    package let said: [UInt8]
    package let seconds: Double
  }

  private static let longestErrors = 1 << 14

  /// For all commands from now on: no core files, and nobody is left behind.
  package static func prepare() {
    child_prepare()
    _ = inherited
  }

  /// Children that this process had before it was this program: a shell that became it can leave some.
  private static let inherited = childrenOf(getpid())

  /// - Parameters:
  ///   - words: the command and its arguments.
  ///   - path: becomes its standard input.
  package init(_ words: [String], input path: String, limits: Limits, signs: FailureSigns) throws(Failure) {
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

  /// What came of it; nil as long as it runs.
  package mutating func outcome() -> Outcome? {
    drain()
    guard child_has_ended(process) else {
      excess = excess ?? isBeyond()
      if excess != nil { killGroup(process) }
      return nil
    }
    let seconds = clockSeconds() - began
    let (status, peak) = bury()
    let signal = status & 0x7f
    let lines = said.isEmpty ? [] : String(decoding: said, as: UTF8.self).split(whereSeparator: \.isNewline)
    let ending: Ending =
      excess
      ?? (peak > limits.memory
        ? .outgrew : signal == 0 ? signs.ending(status >> 8 & 0xff, lines) : .crashed(signal: signal))
    return Outcome(ending: ending, said: said, seconds: seconds)
  }

  /// For when nobody wants to know any more.
  package mutating func stop() {
    killGroup(process)
    _ = bury()
  }

  /// Ends what commands left behind, other than these: with their parent gone, such processes are children of this one,
  /// also those in sessions of their own. Gives how many were still running.
  @discardableResult
  static func endOrphans(sparing running: [ChildProcess]) -> Int {
    var count = 0
    // Each one ended may leave others.
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

  /// Sleeps until one of them says something or ends, or is to be looked after.
  package static func wait(for children: [ChildProcess]) {
    var waits: [pollfd] = []
    var longest: Int32 = 10
    for child in children {
      if !child.hasSaidAll { waits.append(pollfd(fd: child.errors, events: Int16(POLLIN), revents: 0)) }
      if child.end >= 0 {
        waits.append(pollfd(fd: child.end, events: Int16(POLLIN), revents: 0))
      } else {
        longest = 1
      }
    }
    _ = unsafe poll(&waits, nfds_t(waits.count), longest)
  }

  /// Reads what is there, so that it is never held up by a full pipe; a flood is read only so far at a time.
  private mutating func drain() {
    guard !hasSaidAll else { return }
    var buffer = [UInt8](repeating: 0, count: 1 << 12)
    for _ in 0..<64 {
      let count = unsafe buffer.withUnsafeMutableBytes { space in
        unsafe read(errors, space.baseAddress, space.count)  // within the array
      }
      if count == 0 { hasSaidAll = true }
      guard count > 0 else { return }
      said += buffer[..<min(count, Self.longestErrors - said.count)]
    }
  }

  private func isBeyond() -> Ending? {
    let seconds = clockSeconds() - began
    if seconds > limits.seconds { return .timedOut }
    // A short run cannot take much, and looking costs more than it.
    return seconds > 0.005 && residentBytes(ofTreeAt: process) > limits.memory ? .outgrew : nil
  }

  /// Its status, and the most that it or a child of its held, in bytes. It has ended, or was killed.
  private mutating func bury() -> (status: Int32, peak: Int) {
    killGroup(process)  // before its number is free
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

/// Nil where it cannot be started; `systemError()` says why.
private func start(_ words: [String], input path: String, errors: Int32) -> pid_t? {
  // Copies of the words, ended by nil, as exec wants them; freed below.
  var arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
  defer { for index in unsafe arguments.indices { unsafe free(arguments[index]) } }
  let process = unsafe child_start(&arguments, path, errors)
  return process > 0 ? process : nil
}

// What Linux tells of processes; elsewhere nothing is seen of it, and only the peak at the end counts.

private func residentBytes(ofTreeAt process: pid_t, depth: Int = 0) -> Int {
  let words = procWords("/proc/\(process)/statm")
  let own = words.count > 1 ? words[1] * Int(getpagesize()) : 0
  guard depth < 8 else { return own }
  return childrenOf(process).reduce(own) { $0 + residentBytes(ofTreeAt: $1, depth: depth + 1) }
}

/// Those of its first thread.
private func childrenOf(_ process: pid_t) -> [pid_t] {
  procWords("/proc/\(process)/task/\(process)/children").map { pid_t($0) }
}

private func procWords(_ path: String) -> [Int] {
  guard let file = Descriptor(reading: path) else { return [] }
  var buffer = [UInt8](repeating: 0, count: 4096)
  guard let count = file.read(into: &buffer) else { return [] }
  return String(decoding: buffer[..<count], as: UTF8.self).split { $0 == " " || $0 == "\n" }.compactMap { Int($0) }
}

/// A sanitizer's finding ends a process with the status that decoders refuse with, unless it is asked to abort.
func abortOnSanitizerFindings() {
  for name in ["ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"] {
    unsafe setenv(name, "abort_on_error=1:halt_on_error=1", 0)  // an option of the user's stays
  }
}
