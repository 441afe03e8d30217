import APNSCapture
import APNSInput
import Foundation

/// Any bytes as a capture file, packed or not: read to its end or refused in one printable sentence, and what can be read
/// of it opens and closes streams in order.
enum CaptureFile {
  static func violation(_ bytes: [UInt8]) -> String? {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return "no pipe" }
    defer { close(ends[0]) }
    // As much as a pipe takes while nobody reads.
    let written = bytes.prefix(1 << 16).withUnsafeBytes { write(ends[1], $0.baseAddress, $0.count) }
    close(ends[1])
    guard written == min(bytes.count, 1 << 16) else { return "the pipe takes only \(written) bytes" }
    var counter = Counter()
    var reassembler = Reassembler()
    do throws(ReadError) {
      var reader = try CaptureReader(ByteSource(descriptor: ends[0]))
      try reader.read(into: &reassembler, &counter)
      _ = reader.remark
    } catch {
      guard "\(error)".utf8.allSatisfy({ (0x20...0x7e).contains($0) }) else { return "refused with \(error)" }
    }
    reassembler.finish(into: &counter)
    return counter.open.isEmpty ? counter.misuse : "left open: \(counter.open)"
  }

  private struct Counter: StreamSink {
    var open: Set<Int> = []
    var misuse: String?
    var wantsMore: Bool { true }
    mutating func open(_ stream: ByteStream) { open.insert(stream.number) }
    mutating func append(_ bytes: Span<UInt8>, from origin: Origin, to stream: Int) {
      if !open.contains(stream) { misuse = "bytes for \(stream), which is not open" }
    }
    mutating func gap(of count: Int, in stream: Int) {}
    mutating func close(_ stream: Int, _ ending: StreamEnding) { open.remove(stream) }
  }
}
