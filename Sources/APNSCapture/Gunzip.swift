import APNSInput
import CZlib

/// Unpacks gzip data as it comes, one member behind the other, with as much memory as one window takes.
///
/// The stream is safe to use because nobody else has it: zlib's state lives until `deinit`, and what it points to of
/// input and output is set for each call.
@safe final class Gunzip {
  /// The third byte is the only method that there is.
  static let magic: [UInt8] = [0x1f, 0x8b, 8]

  /// On the heap, since zlib keeps its address.
  private let stream: UnsafeMutablePointer<z_stream>
  /// Packed bytes, of which those from `start` to `end` are not used yet.
  private var packed: [UInt8]
  private var start = 0
  private var end: Int
  private var packedIsOver = false
  /// Packed bytes before those in `packed`.
  private var offset = 0
  private var isInMember = true
  private var filledItsSpace = false

  /// - Parameter first: the packed bytes that were read already.
  init(_ first: [UInt8]) throws(ReadError) {
    end = first.count
    packed = first + [UInt8](repeating: 0, count: max(0, 1 << 16 - first.count))
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    guard unsafe inflate_init_gzip(stream) == Z_OK else {
      throw ReadError(.unreadable, "there is not enough memory to unpack the gzip data")
    }
  }

  deinit {
    unsafe inflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// Whether there may be more without reading on.
  var mayHoldMore: Bool { start < end || filledItsSpace }

  /// The next unpacked bytes: how many, 0 at the end.
  func read(
    into space: UnsafeMutableRawBufferPointer, refill: (inout [UInt8]) throws(ReadError) -> Int
  ) throws(ReadError) -> Int {
    guard unsafe !space.isEmpty else { return 0 }
    while true {
      if start == end, !filledItsSpace, !packedIsOver {
        offset += end
        start = 0
        end = try refill(&packed)
        packedIsOver = end == 0
      }
      if isInMember {
        let count = try unsafe inflate(into: space)
        if count > 0 { return count }
        if start == end, packedIsOver, isInMember { throw cut() }
      } else if start == end {
        if packedIsOver { return 0 }
      } else if packed[start] == 0 {
        start += 1  // tapes and block devices pad with zeros
      } else if packed[start] == Self.magic[0] {
        unsafe inflateReset(stream)
        isInMember = true
      } else {
        throw damaged("other data follows")
      }
    }
  }

  private func inflate(into space: UnsafeMutableRawBufferPointer) throws(ReadError) -> Int {
    let size = UInt32(clamping: space.count)
    let (start, end) = (start, end)
    let result = unsafe packed.withUnsafeMutableBufferPointer { packed in
      // Both pointers are only used by this call; zlib reads and writes at most as much as it is told there is.
      unsafe stream.pointee.next_in = unsafe packed.baseAddress?.advanced(by: start)
      unsafe stream.pointee.avail_in = UInt32(end - start)
      unsafe stream.pointee.next_out = unsafe space.baseAddress?.assumingMemoryBound(to: UInt8.self)
      unsafe stream.pointee.avail_out = size
      return unsafe CZlib.inflate(stream, Z_NO_FLUSH)
    }
    self.start = unsafe end - Int(stream.pointee.avail_in)
    let left = unsafe stream.pointee.avail_out
    filledItsSpace = left == 0
    switch result {
    case Z_OK, Z_BUF_ERROR: break
    case Z_STREAM_END:
      isInMember = false
      filledItsSpace = false
    default:
      if left == size { throw damaged(unsafe stream.pointee.msg.map { unsafe String(cString: $0) } ?? "unknown error") }
    // What came out before the damage goes first; zlib says the same again when it is asked for more.
    }
    return Int(size - left)
  }

  private func damaged(_ what: String) -> ReadError {
    ReadError(
      .damagedGzip,
      "the gzip data is damaged at its byte \(offset + start) (\(what)): the data before it was read; copy the file "
        + "again and try it with gunzip -t, or read bytes that only look like gzip with --from raw")
  }

  private func cut() -> ReadError {
    ReadError(
      .damagedGzip,
      "the gzip data ends in the middle, at its byte \(offset + end): the data before it was read; copy the file again")
  }
}

extension ReadError.Code {
  public static let damagedGzip = Self(rawValue: "damaged-gzip")
}
