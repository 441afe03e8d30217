#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

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

  /// The file itself, cut to nothing where it can be. Nil where it cannot be opened; `systemError()` says why.
  init?(writing path: String) {
    let number = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard number >= 0 else { return nil }
    self.init(number: number, isOwned: true)
  }

  /// A capture file, for packets that a root user captures or another one. Root follows no link, which may be another
  /// user's.
  init?(capture path: String) {
    let link = geteuid() == 0 ? O_NOFOLLOW : 0
    let number = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | link, 0o666)
    guard number >= 0 else { return nil }
    self.init(number: number, isOwned: true)
  }

  /// A file that nobody else has: nil also where there is one of that name, a link that leads nowhere included.
  init?(creating path: String) {
    let number = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
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
