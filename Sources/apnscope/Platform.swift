#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// The few calls to the system that the command makes; Foundation would only slow the start.

func exitProcess(_ status: ExitStatus) -> Never {
  exit(status.rawValue)
}

/// What went wrong with the last call, in the system's words.
func systemError() -> String {
  unsafe String(cString: strerror(errno))  // a static string of the C library
}

func now() -> Int { time(nil) }

/// Of a clock that only goes on, for rates.
func clockSeconds() -> Double {
  var time = timespec()
  guard unsafe clock_gettime(CLOCK_MONOTONIC, &time) == 0 else { return 0 }
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

func environment(_ name: String) -> String? {
  guard let value = unsafe getenv(name) else { return nil }
  return unsafe String(cString: value)  // terminated, and nothing sets the environment here
}

/// Ctrl-C ends reading; what was seen so far is shown and the run ends as usual. A second one ends at once. The same goes
/// for the signals by which a supervisor or a closed terminal ends a program.
enum Interrupt {
  // Written by a signal handler, which may touch nothing but such a word.
  nonisolated(unsafe) private static var wasRaised: sig_atomic_t = 0

  static var isRaised: Bool { unsafe wasRaised != 0 }

  static func catchSignals() {
    var action = sigaction()
    let handler: @convention(c) (Int32) -> Void = { signal in
      unsafe Interrupt.wasRaised = 1
      Interrupt.restoreDefault(signal)
    }
    #if canImport(Darwin)
      unsafe action.__sigaction_u.__sa_handler = handler
    #else
      unsafe action.__sigaction_handler.sa_handler = handler
    #endif
    for number in [SIGINT, SIGTERM] { _ = unsafe sigaction(number, &action, nil) }
    // Whoever started this may have blocked them.
    var caught = sigset_t()
    _ = unsafe sigemptyset(&caught)
    for number in [SIGINT, SIGTERM, SIGHUP] { _ = unsafe sigaddset(&caught, number) }
    _ = unsafe sigprocmask(SIG_UNBLOCK, &caught, nil)
    // As it is under nohup, it stays ignored.
    var before = sigaction()
    _ = unsafe sigaction(SIGHUP, &action, &before)
    if isIgnored(before) { _ = signal(SIGHUP, SIG_IGN) }
    // A closed pipe is seen where it is written to.
    _ = signal(SIGPIPE, SIG_IGN)
  }

  private static func isIgnored(_ action: sigaction) -> Bool {
    #if canImport(Darwin)
      let handler = unsafe action.__sigaction_u.__sa_handler
    #else
      let handler = unsafe action.__sigaction_handler.sa_handler
    #endif
    return unsafe unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  private static func restoreDefault(_ number: Int32) {
    _ = signal(number, SIG_DFL)
  }
}

/// An open file, closed with its owner.
struct Descriptor: ~Copyable {
  let number: Int32
  private let isOwned: Bool

  static var standardInput: Descriptor { Descriptor(number: 0, isOwned: false) }

  init(number: Int32, isOwned: Bool) {
    self.number = number
    self.isOwned = isOwned
  }

  /// Nil where it cannot be opened; `systemError()` says why.
  init?(reading path: String) {
    let number = unsafe open(path, O_RDONLY | O_CLOEXEC)  // the path is copied by the bridge
    guard number >= 0 else { return nil }
    self.init(number: number, isOwned: true)
  }

  deinit {
    if isOwned { close(number) }
  }

  /// The next bytes into `buffer`, from `start` on: how many, 0 at the end or when interrupted, nil on failure.
  func read(into buffer: inout [UInt8], from start: Int = 0) -> Int? {
    let count = unsafe buffer.withUnsafeMutableBytes { space in
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: space[start...])  // within the array's own storage
      return unsafe systemRead(number, rest.baseAddress, rest.count)
    }
    if count < 0 { return errno == EINTR ? 0 : nil }
    return count
  }

  /// The same file under another number, which whoever takes it closes.
  func duplicate() -> Int32 { dup(number) }

  var isDirectory: Bool {
    var status = stat()
    return unsafe fstat(number, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}

private func systemRead(_ number: Int32, _ base: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  unsafe read(number, base, count)
}

enum WriteResult {
  case done
  /// Nobody reads any more.
  case closedPipe
  case failed
}

func writeAll(_ bytes: Span<UInt8>, to descriptor: Int32) -> WriteResult {
  var start = 0
  while start < bytes.count {
    let written = unsafe bytes.withUnsafeBytes { all in
      unsafe write(descriptor, all.baseAddress?.advanced(by: start), all.count - start)  // within the array
    }
    if written < 0 {
      if errno == EINTR { continue }
      return errno == EPIPE ? .closedPipe : .failed
    }
    start += written
  }
  return .done
}

func writeAll(_ text: String, to descriptor: Int32) -> WriteResult {
  let bytes = Array(text.utf8)
  return writeAll(bytes.span, to: descriptor)
}

/// Makes a pipe hold more, where the system lets it, so that whoever writes and whoever reads wait less for each other.
func widenPipe(_ descriptor: Int32) {
  #if os(Linux)
    // F_SETPIPE_SZ, which is not imported; for anything but a pipe it fails, and nothing is lost.
    _ = fcntl(descriptor, 1031, 1 << 20)
  #endif
}

func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

/// Columns of the terminal behind standard output; nil where there is none.
func terminalWidth() -> Int? {
  var size = winsize()
  guard isTerminal(1), unsafe ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
  return Int(size.ws_col)
}

func renameFile(_ from: String, _ to: String) -> Bool {
  unsafe rename(from, to) == 0  // both paths are copied by the bridge
}

func removeFile(_ path: String) {
  _ = unsafe unlink(path)
}
