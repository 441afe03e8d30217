import CProcess
import Dispatch

// The system's C library, for all files of this program.
#if canImport(Darwin)
  @_exported import Darwin
#elseif canImport(Glibc)
  @_exported import Glibc
#elseif canImport(Musl)
  @_exported import Musl
#endif

// System calls apart from files. Foundation would slow down the start.

func exitProcess(_ status: ExitStatus) -> Never {
  signals_remove_files()
  exit(status.rawValue)
}

/// Starts a command in a process group of its own. Nil if that fails; `systemError()` gives the reason.
/// - Parameters:
///   - output: What becomes its standard output; -1 is /dev/null.
///   - kept: Another descriptor that it gets; -1 is none.
func start(_ words: [String], input path: String, output: Int32 = -1, errors: Int32, kept: Int32 = -1) -> pid_t? {
  let process = unsafe withArguments(words) { unsafe child_start($0, path, output, errors, kept) }
  return process > 0 ? process : nil
}

/// Replaces this process by a command. Returns only if that fails; `systemError()` gives the reason.
func become(_ words: [String]) { _ = unsafe withArguments(words) { unsafe execvp(words[0], $0) } }

/// Calls `body` with copies of the words, terminated by nil as exec requires.
private func withArguments(
  _ words: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32
) -> Int32 {
  var arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
  defer { for index in unsafe arguments.indices { unsafe free(arguments[index]) } }
  return unsafe body(&arguments)
}

/// The system's message for `errno`.
func systemError() -> String {
  errno == EINTR ? "interrupted" : unsafe String(cString: strerror(errno))  // a static string in the C library
}

/// Seconds since 1970, UTC.
func now() -> Int { time(nil) }

/// Seconds of a monotonic clock; only differences are meaningful.
func clockSeconds() -> Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }

func environment(_ name: String) -> String? {
  guard let value = unsafe getenv(name) else { return nil }
  return unsafe String(cString: value)  // terminated, and nothing sets the environment here
}

func processorCount() -> Int { max(Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), 1) }

/// Ctrl-C ends reading: what has been read is shown and the run ends normally, within a second. A second Ctrl-C ends
/// the process at once. The signals of supervisors and of closed terminals have the same effect.
enum Interrupt {
  static var isRaised: Bool { signals_interrupted() }

  /// Whether so much of the second has passed that no write may wait for a reader any more.
  static var isOverdue: Bool { signals_are_overdue() }

  static func catchSignals() { signals_prepare() }
}

/// Opens standard streams that are closed, so that no other file gets their numbers. Using them still fails, because
/// each is opened in the wrong direction.
func holdStandardStreams() {
  for number in Int32(0)...2 where fcntl(number, F_GETFD) < 0 {
    // This is the lowest free number.
    _ = unsafe open("/dev/null", number == 0 ? O_WRONLY : O_RDONLY)
  }
}

func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

/// The width of the terminal on standard output in columns; nil if it is not a terminal.
func terminalWidth() -> Int? {
  var size = winsize()
  guard isTerminal(1), unsafe ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
  return Int(size.ws_col)
}
