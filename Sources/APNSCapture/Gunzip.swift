import APNSInput
import CZlib

/// Decompresses gzip data incrementally, including several members in sequence. Memory is bounded by the window.
final class Gunzip {
  /// The third byte is the compression method; only deflate exists.
  static let magic: [UInt8] = [0x1f, 0x8b, 8]

  private let inflater: Inflater
  /// Compressed bytes; those from `start` to `end` have not been consumed.
  private var compressed: [UInt8]
  private var start = 0
  private var end: Int
  private var compressedIsOver = false
  /// Number of compressed bytes before those in `compressed`.
  private var offset = 0
  /// A gzip member has begun and not ended.
  private var isInMember = true
  /// The last call filled the output, so zlib may hold more.
  private var filledBuffer = false

  /// - Parameter first: The compressed bytes that have already been read.
  init(_ first: [UInt8]) throws(ReadError) {
    end = first.count
    compressed = first + [UInt8](repeating: 0, count: max(0, 1 << 16 - first.count))
    guard let inflater = Inflater(windowBits: 31) else {
      throw ReadError(.unreadable, "there is not enough memory to unpack the gzip data")
    }
    self.inflater = inflater
  }

  /// Whether more output may be available without reading more input.
  var mayHoldMore: Bool { start < end || filledBuffer }

  /// Decompresses the next bytes of the source into `buffer`. Returns their number, or 0 at the end.
  func read(from source: ByteSource, into buffer: inout [UInt8]) throws(ReadError) -> Int {
    guard !buffer.isEmpty else { return 0 }
    while true {
      if start == end, !filledBuffer, !compressedIsOver {
        offset += end
        start = 0
        end = try source.readDescriptor(into: &compressed)
        compressedIsOver = end == 0
      }
      if isInMember {
        let count = try inflate(into: &buffer)
        if count > 0 { return count }
        // Data cut by a signal is not damaged.
        if source.wasInterrupted { return 0 }
        if start == end, compressedIsOver, isInMember { throw cut() }
      } else if start == end {
        if compressedIsOver { return 0 }
      } else if compressed[start] == 0 {
        start += 1  // tapes and block devices pad with zeros
      } else if compressed[start] == Self.magic[0] {
        inflater.reset()
        isInMember = true
      } else {
        throw damaged("other data follows")
      }
    }
  }

  private func inflate(into buffer: inout [UInt8]) throws(ReadError) -> Int {
    let (code, read, written) = unsafe buffer.withUnsafeMutableBytes { space in
      unsafe inflater.inflate(&compressed, in: start..<end, into: space)  // within the array's own storage
    }
    start += read
    filledBuffer = written == buffer.count && code != Z_STREAM_END
    switch code {
    case Z_OK, Z_BUF_ERROR: break
    case Z_STREAM_END: isInMember = false
    // Output before the damage is returned first; zlib repeats the error on the next call.
    default: if written == 0 { throw damaged(inflater.message) }
    }
    return written
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
  /// The gzip data is cut or damaged.
  package static let damagedGzip = Self(rawValue: "damaged-gzip")
}
