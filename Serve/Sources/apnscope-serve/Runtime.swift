import APNSViews
import Foundation
import Synchronization

/// An error that ends the run: a sentence for standard error, and the exit status.
struct Failure: Error {
  let status: Int32
  let sentence: String

  static func usage(_ sentence: String) -> Failure { Failure(status: 2, sentence: sentence) }
  static func unreadable(_ sentence: String) -> Failure { Failure(status: 3, sentence: sentence) }

  /// What `errno` says of standard output. A reader that wants no more is no error.
  static var output: Failure {
    errno == EPIPE ? Failure(status: 0, sentence: "") : .unreadable("standard output: \(systemError())")
  }
}

/// The system's message for an error number.
func systemError(_ number: Int32 = errno) -> String { unsafe String(cString: strerror(number)) }

/// Seconds of a monotonic clock; only differences are meaningful.
func clockSeconds() -> Double { ProcessInfo.processInfo.systemUptime }

/// Writes all bytes. False on failure; `systemError()` gives the reason.
func writeAll(_ bytes: Span<UInt8>, to descriptor: Int32) -> Bool {
  var start = 0
  while start < bytes.count {
    let count = unsafe bytes.withUnsafeBytes { all in
      unsafe write(descriptor, all.baseAddress?.advanced(by: start), all.count - start)  // within the bytes
    }
    if count < 0, errno != EINTR { return false }
    start += max(count, 0)
  }
  return true
}

/// Ctrl-C, TERM or HUP ends the run normally, within a second. A second one ends the process at once.
enum Interrupt {
  private static let flag = Atomic(false)

  static var isRaised: Bool { flag.load(ordering: .relaxed) }

  static func catchSignals() {
    // Both are reported by the write that fails.
    for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
    // The reader of the output may have stopped reading.
    signal(SIGALRM) { _ in _exit(3) }
    for number in [SIGINT, SIGTERM, SIGHUP] {
      let before = signal(number) { _ in
        if Interrupt.flag.exchange(true, ordering: .relaxed) { _exit(3) }
        ualarm(800_000, 0)
      }
      // Under nohup it stays ignored.
      let wasIgnored = unsafe unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
      if number == SIGHUP, wasIgnored { signal(number, SIG_IGN) }
    }
  }
}

/// Opens standard streams that are closed, so that no socket gets their numbers. Using them still fails, because each
/// is opened in the wrong direction.
func holdStandardStreams() {
  for number in Int32(0)...2 where fcntl(number, F_GETFD) < 0 {
    // This is the lowest free number.
    _ = unsafe open("/dev/null", number == 0 ? O_WRONLY : O_RDONLY)
  }
}

/// Messages for people.
enum StandardError {
  /// Prints one sentence, made safe for a terminal.
  static func say(_ sentence: String) { write("apnscope-serve: " + printable(sentence) + "\n") }

  /// Prints text unchanged; it must be safe for a terminal.
  static func write(_ text: String) { _ = writeAll(Array(text.utf8).span, to: 2) }
}

/// The files that the options name for reading. No output replaces one of them.
enum InputFiles {
  /// The bytes of a file.
  /// - Parameter limit: The maximum number of bytes, which keeps a wrong file from filling memory.
  static func read(_ path: String, _ option: String, limit: Int) throws(Failure) -> [UInt8] {
    let file = FileHandle(forReadingAtPath: path)
    guard let file, let data = try? file.read(upToCount: limit + 1) ?? Data() else {
      throw .usage("\(option) \(path): \(systemError())")
    }
    guard data.count <= limit else {
      throw .usage("\(option) \(path): the file is larger than \(limit >> 10) KiB")
    }
    return Array(data)
  }

  /// Refuses to write to a file that is read, whatever its name.
  static func check(_ files: [(path: String?, option: String)], output: String?) throws(Failure) {
    guard let output, let identity = Self.identity(output) else { return }
    guard let read = files.first(where: { $0.path.flatMap(Self.identity) == identity }) else { return }
    throw .usage("-w \(output) would replace the file of \(read.option); write to another file")
  }

  private static func identity(_ path: String) -> [UInt64]? {
    var status = stat()
    guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return [UInt64(truncatingIfNeeded: status.st_dev), UInt64(status.st_ino)]
  }
}
