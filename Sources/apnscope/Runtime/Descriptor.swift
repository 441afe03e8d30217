import APNSCapture

/// An open file, closed with its owner.
struct Descriptor: ~Copyable {
  let number: Int32

  /// - Parameter number: An open file that nothing else closes.
  init(_ number: Int32) { self.number = number }

  /// Opens an input; `-` is standard input.
  init(input path: String) throws(Failure) {
    if path == "-" {
      // Standard input itself stays open.
      self.init(fcntl(0, F_DUPFD_CLOEXEC, 0))
    } else if let file = Descriptor(reading: path) {
      if FileKind(descriptor: file.number) == .folder {
        throw .unreadable("\(path) is a directory; name the files in it")
      }
      self = file
    } else {
      throw .cannotOpen(path)
    }
  }

  /// Opens a file for reading. Nil on failure; `systemError()` gives the reason.
  init?(reading path: String) {
    self.init(path, O_RDONLY)
    RunFiles.noteOpened(number)
  }

  /// Opens a file for writing and truncates it if possible. Nil on failure; `systemError()` gives the reason.
  init?(writing path: String, followsLinks: Bool = true) {
    self.init(path, O_WRONLY | O_CREAT | O_TRUNC | (followsLinks ? 0 : O_NOFOLLOW))
  }

  private init?(_ path: String, _ flags: Int32) {
    let number = unsafe open(path, flags | O_CLOEXEC, 0o666)  // the path is copied by the bridge
    guard number >= 0 else { return nil }
    self.init(number)
  }

  deinit { _ = closeDescriptor(number) }

  /// Closes the file. Returns false if written data was lost, which some file systems report only now.
  consuming func close() -> Bool {
    let number = number
    discard self
    return closeDescriptor(number)
  }

  /// Calls `body` with all bytes from here on, block by block, of which the last one is empty, until it returns false.
  /// An interruption is a failure, because the input may continue.
  func forEachBlock(of name: String, _ body: (Span<UInt8>) throws(Failure) -> Bool) throws(Failure) {
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    while !Interrupt.isRaised {
      if let count = read(into: &buffer) {
        guard try body(buffer.span.extracting(0..<count)), count > 0 else { return }
      } else if errno != EINTR {
        throw .unreadable("\(name): \(systemError())")
      }
    }
    throw .interrupted(name)
  }

  /// As ``readOnce(_:into:)``, but nil on failure.
  func read(into buffer: inout [UInt8]) -> Int? {
    let count = readOnce(number, into: &buffer)
    return count < 0 ? nil : count
  }
}

/// A pipe, of which other programs get no end.
struct Pipe: ~Copyable {
  let read: Descriptor
  let write: Descriptor

  /// Nil on failure; `systemError()` gives the reason.
  init?() {
    var numbers: [Int32] = [0, 0]
    guard unsafe pipe(&numbers) == 0 else { return nil }
    for number in numbers { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }
    read = Descriptor(numbers[0])
    write = Descriptor(numbers[1])
  }
}

// A separate name, because inside `Descriptor` `close` is a method.
private func closeDescriptor(_ number: Int32) -> Bool { close(number) == 0 }

/// Writes all bytes. Waits for the reader of a pipe, but after an interruption only for a part of a second. Returns
/// false on failure; `systemError()` gives the reason, and `errno` is EPIPE if the reader closed the pipe.
func writeAll(_ bytes: Span<UInt8>, to descriptor: Int32) -> Bool {
  var start = 0
  while start < bytes.count {
    if Interrupt.isOverdue, !canWrite(to: descriptor, waiting: 0) {
      errno = EINTR
      return false
    }
    let written = unsafe bytes.withUnsafeBytes { all in
      unsafe write(descriptor, all.baseAddress?.advanced(by: start), all.count - start)  // within the array
    }
    if written < 0 {
      if errno == EINTR { continue }
      if errno == EAGAIN {
        // Another process that shares the pipe or terminal made it non-blocking.
        _ = canWrite(to: descriptor, waiting: -1)
        continue
      }
      return false
    }
    start += written
  }
  return true
}

/// - Parameter milliseconds: How long to wait until something can be written; -1 is without end.
private func canWrite(to descriptor: Int32, waiting milliseconds: Int32) -> Bool {
  var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
  return unsafe poll(&request, 1, milliseconds) > 0  // one request, on this stack
}

/// The bytes of a file that an option names, with a limit that keeps a wrong file from filling memory.
func smallFile(_ input: InputPath) throws(Failure) -> [UInt8] {
  let (name, limit) = (input.description, 1 << 20)
  guard let file = Descriptor(reading: input.path) else { throw .usage("\(name): \(systemError())") }
  guard FileKind(descriptor: file.number) != .folder else { throw .usage("\(name): this is a directory") }
  var bytes: [UInt8] = []
  try file.forEachBlock(of: name) { block in
    bytes.append(contentsOf: block)
    return bytes.count <= limit
  }
  guard bytes.count <= limit else { throw .usage("\(name): the file is larger than \(limit >> 10) KiB") }
  return bytes
}
