import CZlib

/// Decompresses a deflate stream as a whole.
///
/// - Parameters:
///   - source: the bytes with the stream.
///   - start: the offset of its first byte.
///   - windowBits: 15 for zlib data, 31 for gzip data, -15 for a stream without a header.
///   - limit: the most bytes that it may have.
/// - Returns: its bytes and the offset after it in `source`; nil if it is damaged, not complete, or longer.
package func inflated(_ source: [UInt8], from start: Int, windowBits: Int, limit: Int) -> (bytes: [UInt8], end: Int)? {
  // On the heap, because zlib keeps its address.
  let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
  unsafe stream.initialize(to: z_stream())
  defer { unsafe stream.deallocate() }
  guard start < source.count, limit > 0, unsafe inflate_init(stream, Int32(windowBits)) == Z_OK else { return nil }
  defer { unsafe inflateEnd(stream) }
  var source = source
  let total = source.count
  var result = Z_OK
  let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { output, count in
    unsafe source.withUnsafeMutableBufferPointer { input in
      // The pointers are only used during this call, and zlib stays within the given sizes.
      unsafe stream.pointee.next_in = unsafe input.baseAddress?.advanced(by: start)
      unsafe stream.pointee.avail_in = UInt32(clamping: total - start)
      unsafe stream.pointee.next_out = output.baseAddress
      unsafe stream.pointee.avail_out = UInt32(clamping: limit)
      result = unsafe CZlib.inflate(stream, Z_FINISH)
    }
    count = unsafe limit - Int(stream.pointee.avail_out)
  }
  return result == Z_STREAM_END ? (bytes, unsafe total - Int(stream.pointee.avail_in)) : nil
}
