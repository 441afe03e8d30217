import APNSDiagnosis
import APNSInput
import APNSViews
import APNSWire

/// What was encoded, read back: the records say what a reader of these streams will see.
struct EncodedRecords {
  private let definitions: Definitions
  private var readers: [StreamRole?: Reader] = [:]
  private var streams: [Int: Open] = [:]

  init(_ definitions: Definitions) { self.definitions = definitions }

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

  mutating func add(_ piece: EncodedPiece, to out: inout Output) {
    let number = Self.number(piece.stream)
    let open = streams[number]
    let offset = open?.offset ?? 0
    let reader = reader(of: piece.role)
    if open.map({ $0.role != piece.role || $0.route != piece.route }) ?? true {
      if let open { readers[open.role]?.close(number, to: &out) }
      reader.dissector.open(ByteStream(number: number, route: piece.route), at: offset)
    }
    reader.append(piece, to: number, &out)
    streams[number] = Open(
      role: piece.role, route: piece.route, offset: offset + piece.bytes.count + piece.missing)
  }

  mutating func finish(to out: inout Output) {
    for (number, open) in streams.sorted(by: { $0.key < $1.key }) { readers[open.role]?.close(number, to: &out) }
    streams = [:]
  }

  private mutating func reader(of role: StreamRole?) -> Reader {
    if let reader = readers[role] { return reader }
    let reader = Reader(role, definitions)
    readers[role] = reader
    return reader
  }

  /// The side that wrote these bytes, judged by their content.
  func role(of bytes: [UInt8]) -> StreamRole {
    var dissector = Dissector(definitions, into: StreamBytes())
    dissector.open(ByteStream(number: 0))
    dissector.append(bytes.span, from: .input(offset: 0), to: 0)
    dissector.finish()
    return dissector.records.all.first?.role ?? .provider
  }
}

/// Reads the streams of one role. A class, since a dictionary holds no value that cannot be copied.
private final class Reader {
  var dissector: Dissector<Gathered>

  init(_ role: StreamRole?, _ definitions: Definitions) {
    dissector = Dissector(
      definitions, policy: RolePolicy(role: role), into: Gathered(view: NDJSONView(definitions.catalog)))
  }

  func append(_ piece: EncodedPiece, to stream: Int, _ out: inout Output) {
    if piece.missing > 0 { dissector.gap(of: piece.missing, in: stream) }
    // A byte for each packet but the first: where in the record one ended is not known, and not asked for.
    var start = 0
    let later = piece.time == nil ? 0 : max(min(piece.packets.count, piece.bytes.count) - 1, 0)
    for index in 0...later {
      let end = piece.bytes.count - later + index
      var origin = Origin.input(offset: start)
      if let time = piece.time, index < piece.packets.count {
        origin = .packet(Origin.Packet(number: piece.packets[index], time: time))
      }
      if start < end { dissector.append(piece.bytes.span.extracting(start..<end), from: origin, to: stream) }
      start = end
    }
    pass(to: &out)
  }

  func close(_ stream: Int, to out: inout Output) {
    dissector.close(stream, .open)
    pass(to: &out)
  }

  private func pass(to out: inout Output) {
    dissector.records.out.read { out.write($0) }
    dissector.records.out.cut(to: 0)
  }

  struct Gathered: RecordSink {
    var view: NDJSONView
    var out = Output()
    var wantsMore: Bool { true }

    mutating func take(_ record: Record, _ bytes: Span<UInt8>) { view.show(record, bytes, to: &out) }
  }
}
