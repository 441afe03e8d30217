import APNSInput
import CPcap

/// The bytes of an open file or pipe, decompressed if they are gzip, or bytes in memory. All readers of input read from
/// a `ByteSource`.
///
/// A pipe cannot be rewound, so bytes that were peeked at to recognise a format are served again. The descriptor stays
/// open: the code that opened it must close it. A signal that interrupts a read ends the input as its end would.
public final class ByteSource {
  /// Bytes that were peeked at but not read.
  package private(set) var head: [UInt8] = []
  /// Whether the end of the input, or an interruption, was reached.
  package private(set) var isAtEnd = false
  /// Whether a signal ended the reading before the end of the input.
  package private(set) var wasInterrupted = false

  /// Size of the file in bytes, before decompression; nil if it has no size, such as a pipe.
  public var size: Int? {
    let size = file_size(descriptor)
    return size < 0 ? nil : Int(size)
  }

  private let descriptor: Int32
  /// Whether the descriptor is a regular file: reads never block.
  public private(set) lazy var isFile = size != nil
  private let decompresses: Bool
  private var hasBegun = false
  private var gunzip: Gunzip?

  /// - Parameters:
  ///   - descriptor: An open file descriptor, which the caller closes.
  ///   - decompresses: Whether gzip data is decompressed; false reads the bytes unchanged.
  public init(descriptor: Int32, decompresses: Bool = true) {
    self.descriptor = descriptor
    self.decompresses = decompresses
  }

  /// - Parameter bytes: Bytes in memory, which are served unchanged.
  public init(_ bytes: [UInt8]) {
    (descriptor, decompresses) = (-1, false)
    (head, hasBegun, isAtEnd) = (bytes, true, true)
  }

  package static func isCompressed(_ head: [UInt8]) -> Bool { head.starts(with: Gunzip.magic) }

  /// Reads the next bytes into `buffer`. Returns their number, or 0 at the end.
  /// - Throws: `ReadError` if the file cannot be read, or its gzip data is damaged.
  public func read(into buffer: inout [UInt8]) throws(ReadError) -> Int {
    if !hasBegun { try begin() }
    if !head.isEmpty {
      let count = min(head.count, buffer.count)
      buffer.replaceSubrange(..<count, with: head[..<count])
      head.removeFirst(count)
      return count
    }
    guard !isAtEnd else { return 0 }
    let count = if let gunzip { try gunzip.read(from: self, into: &buffer) } else { try readDescriptor(into: &buffer) }
    if count == 0 { isAtEnd = true }
    return count
  }

  /// Reads more bytes into `head`. Returns false at the end.
  /// - Throws: `ReadError` as ``read(into:)`` does.
  package func peekMore() throws(ReadError) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let peeked = head
    head = []
    defer { head = peeked + head }
    let count = try read(into: &buffer)
    head = Array(buffer[..<count])
    return count > 0
  }

  /// Whether a read would return without blocking.
  package var isReady: Bool {
    if !head.isEmpty || isAtEnd || gunzip?.mayHoldMore == true || isFile { return true }
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&request, 1, 0) != 0  // one request, on this stack
  }
}

// MARK: - Reading

extension ByteSource {
  /// Reads the first three bytes to see whether the input is gzip.
  private func begin() throws(ReadError) {
    hasBegun = true
    var first: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while decompresses, first.count < Gunzip.magic.count, Gunzip.magic.starts(with: first) {
      let count = try readDescriptor(into: &buffer)
      guard count > 0 else { break }
      first += buffer[..<count]
    }
    if decompresses, Self.isCompressed(first) {
      gunzip = try Gunzip(first)
    } else {
      head = first
    }
  }

  /// The next bytes as they are in the file.
  func readDescriptor(into buffer: inout [UInt8]) throws(ReadError) -> Int {
    guard !wasInterrupted else { return 0 }
    let count = readOnce(descriptor, into: &buffer)
    guard count < 0 else { return count }
    let error = last_error()
    guard error == EINTR else { throw ReadError(.unreadable, systemError(error)) }
    wasInterrupted = true
    return 0
  }
}

/// Reads the next bytes with a single call, which a signal may interrupt. Returns their number, or 0 at the end; less
/// on failure.
package func readOnce(_ descriptor: Int32, into buffer: inout [UInt8]) -> Int {
  unsafe buffer.withUnsafeMutableBytes { space in
    unsafe read(descriptor, space.baseAddress, space.count)  // within the array's own storage
  }
}

func systemError(_ number: Int32) -> String {
  // The string that strerror returns is valid until its next call.
  unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
}
