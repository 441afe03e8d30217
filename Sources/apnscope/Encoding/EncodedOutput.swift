import APNSDiagnosis
import APNSInput
import APNSViews
import APNSWire
import ArgumentParser
import Octets

enum EncodeFormat: String, CaseIterable, ExpressibleByArgument {
  case hex, raw, base64, c, ndjson, pcap

  /// The format of one run of bytes; nil for records and a capture, which keep streams apart.
  fileprivate var bytes: ByteFormat? {
    switch self {
    case .hex: .hex
    case .raw: .raw
    case .base64: .base64(pending: [])
    case .c: .cArray(isFirst: true)
    case .ndjson, .pcap: nil
    }
  }
}

/// Writes encoded frames in one format; a frame is written whole or not at all.
struct EncodedOutput: ~Copyable {
  private let format: EncodeFormat
  private let definitions: Definitions
  private let writer: RecordWriter
  private var bytesFormat: ByteFormat?
  private var capture = CaptureWriter()
  private var packets: [UInt8] = []
  /// Reads back what was encoded: the records say what a reader of these streams will see.
  private var dissector: Dissector<RecordWriter>
  /// The streams so far, by number; those of records are open. `end` is the offset of the next byte.
  private var streams: [Int: (role: StreamRole?, route: ByteStream.Route?, end: Int)] = [:]
  private var overlaps = 0

  init(_ format: EncodeFormat, _ definitions: Definitions, to output: OutputPath?) throws(Failure) {
    (self.format, self.definitions, bytesFormat) = (format, definitions, format.bytes)
    writer = RecordWriter(NDJSONView(definitions.catalog), to: try OutputFile(output, content: .init(format)))
    dissector = Dissector(definitions, into: writer)
  }

  var isClosed: Bool { writer.isClosed }

  /// What the output cannot hold; nil if it holds everything.
  var losses: String? {
    let counts = [
      (overlaps, "overlap record", "left out: each byte of a stream is written once"),
      (capture.clampedTimes, "time", "before 1970 or after 2106 changed, because pcap cannot store them"),
      (capture.cutTimes, "time", "cut to microseconds, because the first record has no nanoseconds"),
    ]
    let losses = counts.filter { $0.0 > 0 }.map { count, noun, loss in "\(plural(count, noun)) \(loss)" }
    return losses.isEmpty ? nil : losses.joined(separator: "; ")
  }

  /// Encodes an entry and writes it.
  /// - Throws: `ReadError` if the format cannot hold it.
  mutating func add(_ entry: NDJSONReader.Entry) throws(ReadError) {
    func refusal(_ reason: String) -> ReadError { ReadError(.notRecord, reason, position: entry.position) }
    if bytesFormat != nil, let number = entry.stream, let other = streams.keys.first(where: { $0 >= 0 && $0 != number })
    {
      throw refusal(
        "this record is from stream \(number), the preceding ones from stream \(other); choose one with "
          + "`dissect --stream`, or keep both with -T pcap or -T ndjson")
    }
    // Records without a stream make one of their own, whose number is not shown.
    let number = entry.stream ?? -1
    let open = streams[number]
    let offset = open?.end ?? 0
    var (bytes, missing, isFrame): ([UInt8], Int, Bool) = ([], 0, true)
    switch entry.content {
    case .overlap:
      if bytesFormat == nil { overlaps += 1 }
      return
    case .gap(let count):
      guard bytesFormat != nil || count <= Self.longestGap else {
        throw refusal("member \"missing\" is \(count), but a gap has at most \(Self.longestGap) bytes")
      }
      (missing, isFrame) = (count, false)
    case .bytes(let given): (bytes, isFrame) = (given, false)
    case .written(let given): bytes = given
    case .frame(let draft):
      do throws(EncodeError) { bytes = try draft.bytes() } catch {
        throw refusal("member \"\(error.field)\" \(error.reason)")
      }
    }
    guard bytesFormat == nil else {
      if !bytes.isEmpty { writer.append { bytesFormat?.write(bytes.span, to: &$0) } }
      streams[number] = (nil, nil, 0)
      return
    }
    // What is known of the stream decides between the two services that write to a provider: a direction or a port says
    // less than the type of a frame.
    var role = entry.role ?? open?.role
    if !isFrame, let known = open?.role, known != .provider, role != .provider { role = known }
    var route = entry.route
    // A capture cannot keep sides with the same address and port apart.
    if format == .pcap, let ends = route, ends == ends.reversed { route = nil }
    if route == nil, format == .pcap || entry.stream != nil {
      route = .documented(for: role ?? self.role(of: bytes), connection: (entry.stream ?? 0) / 2)
    }
    if format == .pcap, let route {
      if missing > 0 { capture.gap(of: missing, on: route, into: &packets) }
      capture.segment(bytes.span, on: route, at: entry.time, into: &packets)
      writePackets()
    } else {
      if let open, open.role != role || open.route != route { close(number) }
      dissector.role = role
      if streams[number] == nil { dissector.open(ByteStream(number: number, route: route), at: offset) }
      if missing > 0 { dissector.gap(of: missing, in: number) }
      append(bytes, of: entry, to: number)
    }
    streams[number] = (role, route, offset + bytes.count + missing)
  }

  /// TCP takes a segment that is further away for one of the past.
  private static let longestGap = 1 << 30

  /// Ends the format, and publishes the output if it is complete. Otherwise, what was written until then can be read,
  /// and no temporary file is left.
  mutating func close(complete: Bool = true) throws(Failure) {
    if complete || !streams.isEmpty {
      writer.append { bytesFormat?.finish(to: &$0) }
      if format == .ndjson { for number in streams.keys.sorted() { close(number) } }
      if format == .pcap { capture.finish(into: &packets) }
      writePackets()
    }
    try writer.close(complete: complete)
  }

  private mutating func writePackets() {
    writer.append { $0.write(packets) }
    packets.removeAll(keepingCapacity: true)
  }

  // MARK: - Records

  /// Passes on the bytes of an entry, each of its packets with at least one byte.
  private mutating func append(_ bytes: [UInt8], of entry: NDJSONReader.Entry, to number: Int) {
    let origins = entry.time.map { time in entry.packets.map { Origin.packet(.init(number: $0, time: time)) } } ?? []
    // A byte for each packet but the first: where in the record one ended is not known, and not asked for.
    var start = 0
    let later = max(min(origins.count, bytes.count) - 1, 0)
    for index in 0...later {
      let end = bytes.count - later + index
      let origin = index < origins.count ? origins[index] : .input(offset: start)
      if start < end { dissector.append(bytes.span.extracting(start..<end), from: origin, to: number) }
      start = end
    }
  }

  private mutating func close(_ number: Int) {
    guard let open = streams.removeValue(forKey: number) else { return }
    dissector.role = open.role
    dissector.close(number, .open)
  }

  /// The side that wrote these bytes, judged by their content.
  private func role(of bytes: [UInt8]) -> StreamRole {
    var role: StreamRole?
    var dissector = Dissector(
      definitions,
      into: RecordVisitor { record, _ in
        role = record.role
        return role == nil
      })
    dissector.open(ByteStream(number: 0))
    dissector.append(bytes.span, from: .input(offset: 0), to: 0)
    dissector.finish()
    return role ?? .provider
  }
}
