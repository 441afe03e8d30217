import APNSCapture
import APNSInput
import Foundation
import Testing

/// What a reader handed on.
struct CaptureContent {
  var bytes: [Int: [UInt8]] = [:]
  /// The offset of each gap in the stream, and its length.
  var gaps: [Int: [Range<Int>]] = [:]
  var routes: [Int: String] = [:]
  var closed: [Int] = []
  /// Of each append.
  var packets: [Origin.Packet] = []
  var packetCount = 0
  var remark = ""
  var error: ReadError?
  var breaks = 0
}

struct CaptureCollector: StreamSink {
  var content = CaptureContent()
  var limit = Int.max
  var wantsMore: Bool { content.packets.count < limit }

  mutating func open(_ stream: ByteStream) {
    content.bytes[stream.number] = []
    content.routes[stream.number] = stream.route.map { "\($0.source) > \($0.destination)" }
  }

  mutating func append(_ bytes: Span<UInt8>, from origin: Origin, to stream: Int) {
    for index in 0..<bytes.count { content.bytes[stream]?.append(bytes[index]) }
    if case .packet(let packet) = origin { content.packets.append(packet) }
  }

  mutating func gap(of count: Int, in stream: Int) {
    let offset = (content.bytes[stream]?.count ?? 0) + (content.gaps[stream] ?? []).reduce(0) { $0 + $1.count }
    content.gaps[stream, default: []].append(offset..<(offset + count))
  }

  mutating func close(_ stream: Int, _ ending: StreamEnding) { content.closed.append(stream) }
  mutating func breakOff() { content.breaks += 1 }
}

extension CaptureContent {
  /// Reads from an open file, of which `peeked` bytes are looked at first.
  /// - Parameter piece: bytes of a piece that is recorded before it is taken; nil records nothing.
  init(
    reading file: FileHandle, peeked: Int = 0, filter: String? = nil, limit: Int = .max,
    piece: Int? = nil
  ) {
    var collector = CaptureCollector()
    collector.limit = limit
    do throws(ReadError) {
      let source = ByteSource(descriptor: file.fileDescriptor)
      while source.head.count < peeked, try source.peekMore() {}
      var reader = try CaptureReader(source, filter: filter)
      var reassembler = Reassembler()
      do throws(ReadError) {
        if let piece {
          var streams = RecordedStreams()
          defer { streams.replay(into: &collector) }
          while try !reader.readPiece(piece, into: &reassembler, &streams) { streams.replay(into: &collector) }
        } else {
          try reader.read(into: &reassembler, &collector)
        }
      } catch {
        collector.content.error = error
      }
      reassembler.finish(into: &collector)
      collector.content.packetCount = reader.packetCount
      collector.content.remark = reader.remark
    } catch {
      collector.content.error = error
    }
    withExtendedLifetime(file) {}
    self = collector.content
  }

  /// Reads a capture from a pipe.
  init(of bytes: [UInt8], peeked: Int = 0, filter: String? = nil, limit: Int = .max) {
    let pipe = Pipe()
    // A small capture fits into a pipe, so nobody has to write while it is read.
    pipe.fileHandleForWriting.write(Data(bytes))
    pipe.fileHandleForWriting.closeFile()
    self.init(reading: pipe.fileHandleForReading, peeked: peeked, filter: filter, limit: limit)
  }

  init(sample name: String) throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../samples/captures")
    self.init(reading: try FileHandle(forReadingFrom: folder.appending(path: name).standardized))
  }
}
