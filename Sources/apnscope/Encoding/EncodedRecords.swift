import APNSDiagnosis
import APNSInput
import APNSViews
import APNSWire

/// What was encoded, read back: the records say what a reader of these streams will see.
struct EncodedRecords: ~Copyable {
  private let definitions: Definitions
  private var dissector: Dissector<Gathered>
  private var streams: [Int: Open] = [:]

  init(_ definitions: Definitions) {
    self.definitions = definitions
    dissector = Dissector(definitions, into: Gathered(view: NDJSONView(definitions.catalog)))
  }

  /// Readers of JSON take larger offsets for numbers that they are not.
  static let longestStream = 1 << 53

  /// Bytes of a stream so far, missing ones included.
  func end(of stream: Int?) -> Int { streams[Self.number(stream)]?.offset ?? 0 }

  /// Records without a stream make one of their own, whose number is not shown.
  private static func number(_ stream: Int?) -> Int { stream ?? -1 }

  private struct Open {
    let role: StreamRole?
    let route: ByteStream.Route?
    /// Of the next byte.
    var offset: Int
  }

  /// Writes the records of bytes, or of missing ones.
  /// - Parameter origins: The packets that the bytes are from; none if they are not from a capture.
  mutating func add(
    _ bytes: [UInt8], missing: Int, to stream: Int?, _ role: StreamRole?, _ route: ByteStream.Route?,
    _ origins: [Origin], _ out: inout Output
  ) {
    let number = Self.number(stream)
    let offset = end(of: stream)
    if let open = streams[number], open.role != role || open.route != route { close(number, to: &out) }
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
    streams[number] = Open(role: role, route: route, offset: offset + bytes.count + missing)
    pass(to: &out)
  }

  mutating func finish(to out: inout Output) {
    for number in streams.keys.sorted() { close(number, to: &out) }
  }

  private mutating func close(_ number: Int, to out: inout Output) {
    guard let open = streams.removeValue(forKey: number) else { return }
    dissector.role = open.role
    dissector.close(number, .open)
    pass(to: &out)
  }

  private mutating func pass(to out: inout Output) {
    dissector.records.out.read { out.write($0) }
    dissector.records.out.cut(to: 0)
  }

  /// The side that wrote these bytes, judged by their content.
  func role(of bytes: [UInt8]) -> StreamRole {
    var dissector = Dissector(definitions, into: StreamBytes())
    dissector.open(ByteStream(number: 0))
    dissector.append(bytes.span, from: .input(offset: 0), to: 0)
    dissector.finish()
    return dissector.records.all.first?.role ?? .provider
  }

  private struct Gathered: RecordSink {
    var view: NDJSONView
    var out = Output()
    var wantsMore: Bool { true }

    mutating func take(_ record: Record, _ bytes: Span<UInt8>) { view.show(record, bytes, to: &out) }
  }
}
