import APNSDiagnosis
import APNSInput
import APNSViews
import APNSWire
import ArgumentParser
import Octets

/// The formats of encoded frames.
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
  private var file: OutputFile
  private var bytesFormat: ByteFormat?
  private var capture = CaptureWriter()
  private var packets: [UInt8] = []
  private var records: EncodedRecords
  /// The one stream of a format that holds one.
  private var stream: Int?
  private var roles: [Int?: StreamRole] = [:]
  private var hasBegun = false
  private var overlaps = 0

  init(_ format: EncodeFormat, _ definitions: Definitions, to output: OutputPath?) throws(Failure) {
    (self.format, bytesFormat) = (format, format.bytes)
    records = EncodedRecords(definitions)
    file = try OutputFile(output, content: .init(format))
  }

  var isClosed: Bool { file.isClosed }

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
    if bytesFormat != nil, let number = entry.stream {
      guard number == stream ?? number else {
        throw refusal(
          "this record is from stream \(number), the preceding ones from stream \(stream ?? 0); choose one with "
            + "`dissect --stream`, or keep both with -T pcap or -T ndjson")
      }
      stream = number
    }
    // Records without a stream make one of their own, whose number is not shown.
    let number = entry.stream ?? -1
    var (bytes, missing, isFrame): ([UInt8], Int, Bool) = ([], 0, true)
    switch entry.content {
    case .overlap:
      if bytesFormat == nil { overlaps += 1 }
      return
    case .gap(let count):
      let gap = "member \"missing\" is \(count), but"
      guard format != .pcap || count <= Self.longestGap else {
        throw refusal("\(gap) a gap in a capture has at most \(Self.longestGap) bytes")
      }
      guard format != .ndjson || count <= EncodedRecords.longestStream - records.end(of: number) else {
        throw refusal("\(gap) a stream has at most \(EncodedRecords.longestStream) bytes")
      }
      (missing, isFrame) = (count, false)
    case .bytes(let given): (bytes, isFrame) = (given, false)
    case .written(let given): bytes = given
    case .frame(let draft):
      do throws(EncodeError) { bytes = try draft.bytes() } catch {
        throw refusal("member \"\(error.field)\" \(error.reason)")
      }
    }
    hasBegun = true
    guard bytesFormat == nil else {
      if !bytes.isEmpty { file.append { bytesFormat?.write(bytes.span, to: &$0) } }
      return
    }
    let role = resolvedRole(of: entry, isFrame: isFrame)
    var route = entry.route
    // A capture cannot keep sides with the same address and port apart.
    if format == .pcap, let ends = route, ends == ends.reversed { route = nil }
    if route == nil, format == .pcap || entry.stream != nil {
      route = .documented(for: role ?? records.role(of: bytes), connection: (entry.stream ?? 0) / 2)
    }
    guard format == .pcap, let route else {
      let origins = zip(entry.packets, repeatElement(entry.time, count: .max))
        .compactMap { number, time in time.map { Origin.packet(Origin.Packet(number: number, time: $0)) } }
      file.append { records.add(bytes, missing: missing, to: number, role, route, origins, &$0) }
      return
    }
    packets.removeAll(keepingCapacity: true)
    if missing > 0 { capture.gap(of: missing, on: route, into: &packets) }
    capture.segment(bytes.span, on: route, at: entry.time, into: &packets)
    file.append { $0.write(packets) }
  }

  /// TCP takes a segment that is further away for one of the past.
  private static let longestGap = 1 << 30

  /// What is known of the stream decides between the two services that write to a provider: a direction or a port says
  /// less than the type of a frame.
  private mutating func resolvedRole(of entry: NDJSONReader.Entry, isFrame: Bool) -> StreamRole? {
    let known = roles[entry.stream]
    guard let role = entry.role else { return known }
    if !isFrame, let known, known != .provider, role != .provider { return known }
    roles[entry.stream] = role
    return role
  }

  /// Ends the format, and publishes the output if it is complete. Otherwise, what was written until then can be read,
  /// and no temporary file is left.
  mutating func close(complete: Bool = true) throws(Failure) {
    if complete || hasBegun {
      file.append { out in
        bytesFormat?.finish(to: &out)
        records.finish(to: &out)
        guard format == .pcap else { return }
        packets.removeAll(keepingCapacity: true)
        capture.finish(into: &packets)
        out.write(packets)
      }
    }
    try file.close(complete: complete)
  }
}

/// What was encoded, read back: the records say what a reader of these streams will see.
struct EncodedRecords: ~Copyable {
  private let definitions: Definitions
  private var dissector: Dissector<Gathered>
  /// The open streams, each with the offset of its next byte.
  private var streams: [Int: (role: StreamRole?, route: ByteStream.Route?, end: Int)] = [:]

  init(_ definitions: Definitions) {
    self.definitions = definitions
    dissector = Dissector(definitions, into: Gathered(view: NDJSONView(definitions.catalog)))
  }

  /// Readers of JSON take larger offsets for numbers that they are not.
  static let longestStream = 1 << 53

  /// Bytes of a stream so far, missing ones included.
  func end(of stream: Int) -> Int { streams[stream]?.end ?? 0 }

  /// Writes the records of bytes, or of missing ones.
  /// - Parameter origins: The packets that the bytes are from; none if they are not from a capture.
  mutating func add(
    _ bytes: [UInt8], missing: Int, to number: Int, _ role: StreamRole?, _ route: ByteStream.Route?,
    _ origins: [Origin], _ out: inout Output
  ) {
    let offset = end(of: number)
    if let open = streams[number], open.role != role || open.route != route { close(number) }
    dissector.role = role
    if streams[number] == nil { dissector.open(ByteStream(number: number, route: route), at: offset) }
    if missing > 0 { dissector.gap(of: missing, in: number) }
    // A byte for each packet but the first: where in the record one ended is not known, and not asked for.
    var start = 0
    let later = max(min(origins.count, bytes.count) - 1, 0)
    for index in 0...later {
      let end = bytes.count - later + index
      let origin = index < origins.count ? origins[index] : .input(offset: start)
      if start < end { dissector.append(bytes.span.extracting(start..<end), from: origin, to: number) }
      start = end
    }
    streams[number] = (role, route, offset + bytes.count + missing)
    pass(to: &out)
  }

  mutating func finish(to out: inout Output) {
    for number in streams.keys.sorted() { close(number) }
    pass(to: &out)
  }

  private mutating func close(_ number: Int) {
    guard let open = streams.removeValue(forKey: number) else { return }
    dissector.role = open.role
    dissector.close(number, .open)
  }

  private mutating func pass(to out: inout Output) {
    dissector.records.out.read { out.write($0) }
    dissector.records.out.cut(to: 0)
  }

  /// The side that wrote these bytes, judged by their content.
  func role(of bytes: [UInt8]) -> StreamRole {
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

  private struct Gathered: RecordSink {
    var view: NDJSONView
    var out = Output()
    var wantsMore: Bool { true }

    mutating func take(_ record: Record, _ bytes: Span<UInt8>) { view.show(record, bytes, to: &out) }
  }
}
