import APNSDiagnosis
import APNSInput
import APNSPayload
import APNSViews
import APNSWire
import Foundation
import Octets

/// The parts of the work, one by one, through the public API: what each costs a frame. The best of all passes counts,
/// which is what the code costs when nothing disturbs it.
struct Micro {
  private let bytes: [UInt8]
  private let packets: [[UInt8]]
  private let payloads: [Range<Int>]
  private let frames: Int
  private let passes: Int
  private static let catalog = Catalog.standard

  init(frames: Int, passes: Int) {
    var traffic = Traffic(.clean)
    let bytes = (0..<frames).flatMap { _ in traffic.frame() }
    self.bytes = bytes
    self.frames = frames
    self.passes = passes
    payloads = Self.payloads(in: bytes.span)
    packets = stride(from: 0, to: bytes.count, by: CaptureWriter.segmentSize).map { start in
      Self.packet(bytes[start..<min(start + CaptureWriter.segmentSize, bytes.count)], sequence: UInt32(start))
    }
  }

  func run() {
    print("\(frames) clean frames, \(bytes.count) bytes, the best of \(passes) passes")
    measure("framing") { bytes in Self.walk(bytes) { frame in frame.count } }
    measure("framing and field walk") { bytes in
      Self.walk(bytes) { frame in
        var sum = 0
        Self.catalog.forEachField(of: frame, in: bytes) { sum &+= $0.end ^ Int($0.field) }
        return sum
      }
    }
    // No parser of JSON can do without this one, so it stands for the least that payloads cost.
    measure("UTF-8 check by the standard library") { bytes in
      payloads.reduce(0) { $0 &+ ((try? UTF8Span(validating: bytes.extracting($1))) == nil ? 0 : 1) }
    }
    measure("UTF-8 check by the scanner") { bytes in payloads.reduce(0) { $0 &+ (bytes.isUTF8($1) ? 1 : 0) } }
    measure("JSON scan") { bytes in
      payloads.reduce(0) { sum, range in
        var scanner = JSONScanner(range)
        var sum = sum
        while let token = try? scanner.next(in: bytes) { sum &+= token.end }
        return sum
      }
    }
    var outline = PayloadOutline()
    measure("payload outline") { bytes in
      payloads.reduce(0) { sum, range in
        outline.read(bytes, range)
        return sum &+ outline.members.count
      }
    }
    measure("reassembly") { _ in
      var reassembler = Reassembler()
      var sink = Counted()
      for (number, packet) in packets.enumerated() {
        let origin = Origin.Packet(number: number + 1, time: CaptureTime(seconds: 0, nanoseconds: 0, digits: 6))
        reassembler.packet(packet.span, link: .raw, origin: origin, into: &sink)
      }
      reassembler.finish(into: &sink)
      return sink.bytes
    }
    measure("dissection with every rule") { bytes in dissect(bytes, into: Counted()).records.records }
    measure("and NDJSON") { bytes in dissect(bytes, into: Written(NDJSONView(Self.catalog))).records.bytes }
    measure("and the tree") { bytes in
      dissect(bytes, into: Written(TreeView(Self.catalog))).records.bytes
    }
  }

  private func dissect<Records: RecordSink>(_ bytes: Span<UInt8>, into records: Records) -> Dissector<Records> {
    var dissector = Dissector(Definitions(Self.catalog), policy: RolePolicy(role: .provider), into: records)
    dissector.open(ByteStream(number: 0))
    var start = 0
    while start < bytes.count {
      let end = min(start + 1 << 16, bytes.count)
      dissector.append(bytes.extracting(start..<end), from: .input(offset: start), to: 0)
      start = end
    }
    dissector.finish()
    return dissector
  }

  private func measure(_ name: String, _ work: (Span<UInt8>) -> Int) {
    let clock = ContinuousClock()
    var best = Duration.seconds(1_000_000)
    var sum = 0
    for _ in 0..<passes { best = min(best, clock.measure { sum &+= work(bytes.span) }) }
    let nanoseconds = (Double(best.components.attoseconds) / 1e18 + Double(best.components.seconds)) * 1e9
    let padded = name.padding(toLength: 36, withPad: " ", startingAt: 0)
    print(
      padded
        + String(
          format: "%9.1f ns a frame  %7.3f GB/s", nanoseconds / Double(frames), Double(bytes.count) / nanoseconds)
        + "  (checksum \(sum & 0xffff))")
  }

  private static func walk(_ bytes: Span<UInt8>, _ work: (FrameRef) -> Int) -> Int {
    var position = 0
    var sum = 0
    while position < bytes.count {
      let frame = catalog.frame(at: position, in: bytes, of: .provider)
      sum &+= work(frame)
      position = frame.end
    }
    return sum
  }

  private static func payloads(in bytes: Span<UInt8>) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    _ = walk(bytes) { frame in
      if let leaf = catalog.leaf(.payload, of: frame, in: bytes) { ranges.append(leaf.range) }
      return 0
    }
    return ranges
  }

  /// A TCP segment in a raw IPv4 packet.
  private static func packet(_ payload: ArraySlice<UInt8>, sequence: UInt32) -> [UInt8] {
    func big(_ value: Int, _ size: Int) -> [UInt8] { (0..<size).reversed().map { UInt8(value >> ($0 * 8) & 255) } }
    let ip: [UInt8] = [0x45, 0] + big(40 + payload.count, 2) + [0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]
    return ip + big(40_000, 2) + big(2195, 2) + big(Int(sequence), 4) + big(0, 4) + [0x50, 0x18] + big(0, 6) + payload
  }
}

/// Takes everything and keeps how much it was.
private struct Counted: StreamSink, RecordSink {
  var bytes = 0
  var records = 0
  var wantsMore: Bool { true }

  mutating func open(_ stream: ByteStream) {}
  mutating func close(_ stream: Int, _ ending: StreamEnding) {}
  mutating func gap(of count: Int, in stream: Int) {}
  mutating func append(_ bytes: Span<UInt8>, from origin: Origin, to stream: Int) { self.bytes += bytes.count }
  mutating func take(_ record: Record, _ bytes: Span<UInt8>) { records += 1 }
  mutating func pause() {}
}

/// Shows everything and keeps how many bytes that took.
private struct Written<V: View>: RecordSink {
  var view: V
  var bytes = 0
  private var out = Output()
  var wantsMore: Bool { true }

  init(_ view: V) { self.view = view }

  mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
    view.show(record, bytes, to: &out)
    self.bytes += out.count
    out.cut(to: 0)
  }
}
