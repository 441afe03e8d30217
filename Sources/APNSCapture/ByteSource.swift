import APNSInput
import CPcap

/// The bytes of an open file or a pipe, unpacked where they are gzip: what every reader reads from.
///
/// A pipe cannot be rewound, so what is peeked at to recognise a format is served again. The descriptor stays open:
/// whoever opened it closes it. A read that a signal interrupts ends the input as its end would.
public final class ByteSource {
  /// What was peeked at and not read yet.
  public private(set) var head: [UInt8] = []
  public private(set) var isAtEnd = false
  /// The end is not the input's own: a signal ended the reading.
  public private(set) var wasInterrupted = false
  /// What ended the reading for a reader that takes no Swift errors.
  private(set) var failure: ReadError?

  /// Bytes of the file itself, packed or not, that were read so far.
  public private(set) var position = 0
  /// Of the file itself; nil for what has no size, such as a pipe.
  public var size: Int? {
    let size = file_size(descriptor)
    return size < 0 ? nil : Int(size)
  }
  /// Called after each read of the file itself.
  public var onRead: (() -> Void)?

  private let descriptor: Int32
  /// It is never waited for, or only at its end, where that is followed.
  public private(set) lazy var isFile = size != nil
  private let unpacks: Bool
  public let follows: Bool
  private var hasBegun = false
  private var gunzip: Gunzip?

  /// - Parameters:
  ///   - unpacks: false where the bytes are wanted as they are, gzip or not.
  ///   - follows: the end of a file is not the end of the input: what is written to it later is waited for.
  public init(descriptor: Int32, unpacks: Bool = true, follows: Bool = false) {
    self.descriptor = descriptor
    self.unpacks = unpacks
    self.follows = follows
  }

  /// Whether bytes begin like gzip.
  public static func isPacked(_ head: [UInt8]) -> Bool { head.starts(with: Gunzip.magic) }

  /// The next bytes into `buffer`: how many, 0 at the end.
  public func read(into buffer: inout [UInt8]) throws(ReadError) -> Int {
    let result = unsafe buffer.withUnsafeMutableBytes { space in
      Result { () throws(ReadError) in unsafe try read(into: space) }  // within the array's own storage
    }
    return try result.get()
  }

  /// Reads some more into the head; false at the end.
  public func peekMore() throws(ReadError) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let peeked = head
    head = []
    defer { head = peeked + head }
    let count = try read(into: &buffer)
    head = Array(buffer[..<count])
    return count > 0
  }

  /// A followed file has been read, and may grow.
  public var isAtEndForNow: Bool {
    guard follows, let size else { return false }
    return position >= size
  }

  /// Whether a read would find bytes, or the end, at once.
  public var isReady: Bool {
    if !head.isEmpty || isAtEnd || gunzip?.mayHoldMore == true { return true }
    if isFile { return !isAtEndForNow }
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&request, 1, 0) != 0  // one request, on this stack
  }
}

// MARK: - Reading

extension ByteSource {
  /// For libpcap: as `read`, but a failure is noted and told as -1.
  func serve(_ space: UnsafeMutableRawBufferPointer) -> Int {
    do throws(ReadError) {
      return unsafe try read(into: space)
    } catch {
      failure = error
      return -1
    }
  }

  private func read(into space: UnsafeMutableRawBufferPointer) throws(ReadError) -> Int {
    if !hasBegun { try begin() }
    if !head.isEmpty {
      let count = min(head.count, space.count)
      unsafe space.copyBytes(from: head[..<count])
      head.removeFirst(count)
      return count
    }
    guard !isAtEnd else { return 0 }
    let count = unsafe try gunzip == nil ? readDescriptor(into: space) : inflate(into: space)
    if count == 0 { isAtEnd = true }
    return count
  }

  /// Finds out whether the bytes are gzip, which takes three.
  private func begin() throws(ReadError) {
    hasBegun = true
    var first: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while unpacks, first.count < Gunzip.magic.count, Gunzip.magic.starts(with: first) {
      let count = try readDescriptor(into: &buffer)
      guard count > 0 else { break }
      first += buffer[..<count]
    }
    if unpacks, Self.isPacked(first) {
      gunzip = try Gunzip(first)
    } else {
      head = first
    }
  }

  private func inflate(into space: UnsafeMutableRawBufferPointer) throws(ReadError) -> Int {
    guard let gunzip else { return 0 }
    do throws(ReadError) {
      return unsafe try gunzip.read(into: space) { (packed: inout [UInt8]) throws(ReadError) in
        try readDescriptor(into: &packed)
      }
    } catch {
      // What a signal cut is not damaged.
      guard !wasInterrupted else { return 0 }
      throw error
    }
  }

  private func readDescriptor(into buffer: inout [UInt8]) throws(ReadError) -> Int {
    let result = unsafe buffer.withUnsafeMutableBytes { space in
      Result { () throws(ReadError) in unsafe try readDescriptor(into: space) }
    }
    return try result.get()
  }

  private func readDescriptor(into space: UnsafeMutableRawBufferPointer) throws(ReadError) -> Int {
    while !wasInterrupted {
      let count = unsafe systemRead(descriptor, space.baseAddress, space.count)  // within the space
      if count < 0 { return try interruption() }
      position += count
      onRead?()
      guard count == 0, follows, let size else { return count }
      if size < position {
        throw ReadError(.unreadable, "the file was truncated while apnscope followed it; read it again from the start")
      }
      // Files tell nobody that they have grown.
      if wait_a_moment(Self.followMilliseconds) != 0 { return try interruption() }
    }
    return 0
  }

  private static let followMilliseconds: Int32 = 100

  private func interruption() throws(ReadError) -> Int {
    let error = last_error()
    guard error == EINTR else { throw ReadError(.unreadable, systemError(error)) }
    wasInterrupted = true
    return 0
  }
}

// Under a name of its own, since `read` is also ours.
private func systemRead(_ number: Int32, _ base: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  unsafe read(number, base, count)
}

func systemError(_ number: Int32) -> String {
  // strerror gives a string that lives until its next call.
  unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
}
