import CSignals

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// The few calls to the system that the command makes; Foundation would only slow the start.

func exitProcess(_ status: ExitStatus) -> Never {
  signals_remove_files()
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
  static var isRaised: Bool { signals_interrupted() }

  static func catchSignals() { signals_prepare() }
}

/// Opens standard streams that are closed, so that no other file gets their numbers and what is written to them. Using one
/// fails as before, since each is opened the wrong way round.
func holdStandardStreams() {
  for number in Int32(0)...2 where fcntl(number, F_GETFD) < 0 {
    // The lowest free number is this one.
    _ = unsafe open("/dev/null", number == 0 ? O_WRONLY : O_RDONLY)
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
    if isOwned { _ = closeDescriptor(number) }
  }

  /// False if something that was written did not arrive, which some file systems report only now.
  consuming func close() -> Bool {
    let (number, isOwned) = (number, isOwned)
    discard self
    return !isOwned || closeDescriptor(number)
  }

  /// The next bytes into `buffer`, from `start` on: how many, 0 at the end. An interrupt is a failure, since the input may
  /// go on.
  func read(into buffer: inout [UInt8], from start: Int = 0, of name: String) throws(Failure) -> Int {
    while !Interrupt.isRaised {
      if let count = read(into: &buffer, from: start) { return count }
      guard errno == EINTR else { throw .unreadable("\(name): \(systemError())") }
    }
    throw .interrupted(name)
  }

  /// The same, once, also when interrupted; nil if the call fails.
  func read(into buffer: inout [UInt8], from start: Int = 0) -> Int? {
    let count = unsafe buffer.withUnsafeMutableBytes { space in
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: space[start...])  // within the array's own storage
      return unsafe systemRead(number, rest.baseAddress, rest.count)
    }
    return count < 0 ? nil : count
  }

  /// The same file under another number, which whoever takes it closes.
  func duplicate() -> Int32 { dup(number) }

  var isDirectory: Bool {
    var status = stat()
    return unsafe fstat(number, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}

// Under names of their own, since `read` and `close` are also ours.
private func closeDescriptor(_ number: Int32) -> Bool { close(number) == 0 }

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
      if errno == EAGAIN {
        // Another process that shares the pipe or terminal made it non-blocking.
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&request, 1, -1)
        continue
      }
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
