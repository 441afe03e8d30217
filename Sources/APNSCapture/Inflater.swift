import CZlib

/// A stream of zlib that is being decompressed.
///
/// Safe, because the stream has no other owner: zlib's state lives until `deinit`, and its input and output pointers
/// are set for each call.
@safe final class Inflater {
  /// On the heap, because zlib keeps its address.
  private let stream: UnsafeMutablePointer<z_stream>

  /// Nil if there is not enough memory.
  /// - Parameter windowBits: 15 for zlib data, 31 for gzip data, -15 for a stream without a header.
  init?(windowBits: Int) {
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    guard unsafe inflate_init(stream, Int32(windowBits)) == Z_OK else { return nil }
  }

  deinit {
    unsafe inflateEnd(stream)
    unsafe stream.deallocate()
  }

  func reset() { unsafe inflateReset(stream) }

  var message: String { unsafe stream.pointee.msg.map { unsafe String(cString: $0) } ?? "unknown error" }

  /// Decompresses the bytes in `range` of `input` into `space`.
  /// - Returns: zlib's code, and how many bytes it read and wrote.
  func inflate(
    _ input: inout [UInt8], in range: Range<Int>, into space: UnsafeMutableRawBufferPointer, flush: Int32 = Z_NO_FLUSH
  ) -> (code: Int32, read: Int, written: Int) {
    let (readable, writable) = (UInt32(clamping: range.count), UInt32(clamping: space.count))
    let code = unsafe input.withUnsafeMutableBufferPointer { input in
      // Both pointers are only used during this call, and zlib stays within the given sizes.
      unsafe stream.pointee.next_in = unsafe input.baseAddress?.advanced(by: range.lowerBound)
      unsafe stream.pointee.avail_in = readable
      unsafe stream.pointee.next_out = unsafe space.baseAddress?.assumingMemoryBound(to: UInt8.self)
      unsafe stream.pointee.avail_out = writable
      return unsafe CZlib.inflate(stream, flush)
    }
    return unsafe (code, Int(readable - stream.pointee.avail_in), Int(writable - stream.pointee.avail_out))
  }
}

/// Decompresses a deflate stream as a whole.
///
/// - Parameters:
///   - source: the bytes with the stream.
///   - start: the offset of its first byte.
///   - windowBits: 15 for zlib data, 31 for gzip data, -15 for a stream without a header.
///   - limit: the most bytes that it may have.
/// - Returns: its bytes and the offset after it in `source`; nil if it is damaged, not complete, or longer.
package func inflated(_ source: [UInt8], from start: Int, windowBits: Int, limit: Int) -> (bytes: [UInt8], end: Int)? {
  guard start < source.count, limit > 0, let inflater = Inflater(windowBits: windowBits) else { return nil }
  var source = source
  var result: (code: Int32, read: Int, written: Int)?
  let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { output, count in
    let space = UnsafeMutableRawBufferPointer(output)
    result = unsafe inflater.inflate(&source, in: start..<source.count, into: space, flush: Z_FINISH)
    count = result?.written ?? 0
  }
  guard let result, result.code == Z_STREAM_END else { return nil }
  return (bytes, start + result.read)
}
