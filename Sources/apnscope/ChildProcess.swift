#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Someone else's command, run on one input and watched: in a process group of its own, so that what it leaves behind
/// goes with it. What it prints is thrown away but for the beginning of its standard error.
struct ChildProcess {
  private let process: pid_t
  private let errors: Int32
  private let began = clockSeconds()
  private let limits: Limits
  private var said: [UInt8] = []
  private var verdict: Ending?

  struct Limits {
    var seconds = 1.0
    /// Of its resident set, in bytes.
    var memory = 512 << 20
  }

  /// How it ended.
  enum Ending: Hashable {
    case exited(Int32)
    case crashed(signal: Int32)
    case timedOut
    /// Held more than it may.
    case outgrew
  }

  private static let longestErrors = 4096

  /// - Parameters:
  ///   - words: the command and its arguments.
  ///   - path: becomes its standard input.
  init(_ words: [String], input path: String, limits: Limits) throws(Failure) {
    self.limits = limits
    var pipe: (read: Int32, write: Int32) = (0, 0)
    guard openPipe(&pipe) else { throw .unreadable("no pipe for \(words[0]): \(systemError())") }
    defer { close(pipe.write) }
    guard let process = spawn(words, input: path, errors: pipe.write) else {
      let reason = systemError()
      close(pipe.read)
      throw .unreadable("\(words[0]) cannot be run: \(reason); name a command that can, behind --")
    }
    self.process = process
    errors = pipe.read
  }

  /// How it ended, and the beginning of what it said; nil as long as it runs.
  mutating func ending() -> (Ending, said: [UInt8])? {
    drain()
    if verdict == nil, let reason = excess() {
      verdict = reason
      killGroup(process)
    }
    var status: Int32 = 0
    var usage = rusage()
    guard unsafe wait4(process, &status, WNOHANG, &usage) == process else { return nil }
    // Its children, should it have left some.
    killGroup(process)
    drain()
    close(errors)
    if let verdict { return (verdict, said) }
    if Self.peak(usage) > limits.memory { return (.outgrew, said) }
    let signal = status & 0x7f
    return (signal == 0 ? .exited(status >> 8 & 0xff) : .crashed(signal: signal), said)
  }

  /// For when nobody wants to know any more.
  mutating func end() {
    verdict = .timedOut
    killGroup(process)
    var status: Int32 = 0
    _ = unsafe waitpid(process, &status, 0)
    close(errors)
  }

  /// Sleeps until one of them says something or ends, a few milliseconds at most.
  static func wait(for children: [ChildProcess]) {
    var waits = children.map { pollfd(fd: $0.errors, events: Int16(POLLIN), revents: 0) }
    _ = unsafe poll(&waits, nfds_t(waits.count), 2)
  }

  /// Reads what is there, so that it is never held up by a full pipe; a flood is read only so far at a time.
  private mutating func drain() {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    for _ in 0..<16 {
      let count = unsafe buffer.withUnsafeMutableBytes { space in
        unsafe read(errors, space.baseAddress, space.count)  // within the array
      }
      guard count > 0 else { return }
      said += buffer[..<min(count, Self.longestErrors - said.count)]
    }
  }

  private func excess() -> Ending? {
    if clockSeconds() - began > limits.seconds { return .timedOut }
    #if os(Linux)
      if let resident = residentBytes(of: process), resident > limits.memory { return .outgrew }
    #endif
    return nil
  }

  /// Bytes.
  private static func peak(_ usage: rusage) -> Int {
    #if canImport(Darwin)
      return usage.ru_maxrss
    #else
      return usage.ru_maxrss << 10
    #endif
  }
}

private func openPipe(_ ends: inout (read: Int32, write: Int32)) -> Bool {
  var numbers: [Int32] = [0, 0]
  guard unsafe pipe(&numbers) == 0 else { return false }
  for number in numbers { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }
  _ = fcntl(numbers[0], F_SETFL, O_NONBLOCK)
  ends = (numbers[0], numbers[1])
  return true
}

private func killGroup(_ process: pid_t) { _ = kill(-process, SIGKILL) }

#if os(Linux)
  private func residentBytes(of process: pid_t) -> Int? {
    guard let file = Descriptor(reading: "/proc/\(process)/statm") else { return nil }
    var buffer = [UInt8](repeating: 0, count: 128)
    guard let count = file.read(into: &buffer) else { return nil }
    let words = String(decoding: buffer[..<count], as: UTF8.self).split(separator: " ")
    return words.count > 1 ? Int(words[1]).map { $0 * Int(getpagesize()) } : nil
  }
#endif

/// Nil where it cannot be started; `systemError()` says why.
private func spawn(_ words: [String], input path: String, errors: Int32) -> pid_t? {
  var actions = unsafe posix_spawn_file_actions_t()
  var attributes = posix_spawnattr_t()
  guard unsafe posix_spawn_file_actions_init(&actions) == 0, unsafe posix_spawnattr_init(&attributes) == 0 else {
    return nil
  }
  defer {
    unsafe posix_spawn_file_actions_destroy(&actions)
    unsafe posix_spawnattr_destroy(&attributes)
  }
  unsafe posix_spawn_file_actions_addopen(&actions, 0, path, O_RDONLY, 0)
  unsafe posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
  unsafe posix_spawn_file_actions_adddup2(&actions, errors, 2)
  unsafe posix_spawnattr_setpgroup(&attributes, 0)
  // What we ignore it shall not.
  var signals = sigset_t()
  unsafe sigemptyset(&signals)
  unsafe sigaddset(&signals, SIGPIPE)
  unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
  unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF))
  // Copies of the words, ended by nil, as exec wants them; freed below.
  var arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
  defer { for index in unsafe arguments.indices { unsafe free(arguments[index]) } }
  var process: pid_t = 0
  let failure = unsafe posix_spawnp(&process, words[0], &actions, &attributes, &arguments, environ)
  errno = failure
  return failure == 0 ? process : nil
}

/// A sanitizer's finding ends a process with the status that decoders refuse with, unless it is asked to abort.
func abortOnSanitizerFindings() {
  for name in ["ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"] {
    unsafe setenv(name, "abort_on_error=1:halt_on_error=1", 0)  // an option of the user's stays
  }
}
