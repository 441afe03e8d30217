import APNSDiagnosis
import APNSInput
import APNSPayload
import APNSQuery
import APNSWire
import Octets

/// Reads the lines that ``NDJSONView`` writes, and lines written by hand, back into frames.
public struct NDJSONReader: Sendable {
  private let catalog: Catalog
  private let written: WrittenLine
  /// The frame that is read now.
  private var frame = Output()

  public init(_ catalog: Catalog) {
    self.catalog = catalog
    written = WrittenLine(catalog)
  }

  /// What one line asks to be written.
  public struct Entry: Sendable {
    public var content: Content
    /// The stream the record came from, absent outside captures.
    public var stream: Int?
    public var route: ByteStream.Route?
    /// Numbers of the packets that carried it; the first came at `time`.
    public var packets: [Int] = []
    public var time: CaptureTime?
    /// Who wrote it, as far as its type, its direction and its ports tell.
    public var role: StreamRole?
    /// Where the record begins, for errors that show only when it is written.
    public let position: Origin.TextPosition

    public enum Content: Sendable {
      case frame(FrameDraft)
      /// All of a frame that needs no change.
      case written([UInt8])
      case bytes([UInt8])
      /// Bytes that a capture lacks: only a capture can lack them again.
      case gap(missing: Int)
      /// Other bytes for a place of the stream: they are in no frame, so there is nothing to encode.
      case overlap
    }
  }

  /// The same as `read`, several times faster for a line that is just as ``NDJSONView`` writes it: its frame comes as
  /// bytes.
  public mutating func readBytes(_ line: Span<UInt8>, number: Int) throws(ReadError) -> Entry? {
    frame.cut(to: 0)
    guard var entry = written.read(line, number: number, into: &frame) else {
      var copy: [UInt8] = []
      copy.append(contentsOf: line)
      return try read(copy, number: number)
    }
    entry.content = .written(frame.bytes)
    return entry
  }

  /// The same for a line that is just as ``NDJSONView`` writes it: its frame is appended to `out`, and what is returned
  /// says where it came from. Nil, and nothing is appended, for any other line.
  @inline(__always)
  public func append(_ line: Span<UInt8>, number: Int, to out: inout Output) -> Entry? {
    let start = out.count
    let entry = written.read(line, number: number, into: &out)
    if entry == nil { out.cut(to: start) }
    return entry
  }

  /// The record in one line; nil for a blank one. `number` counts lines from 1 for errors.
  public func read(_ line: [UInt8], number: Int) throws(ReadError) -> Entry? {
    if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0d }) { return nil }
    let line = try NDJSONLine(line, number: number)
    var scanner = JSONScanner(0..<line.text.count)
    guard let value = line.value(&scanner), value.kind == .beginObject else {
      let start = line.text.firstIndex { $0 != 0x20 && $0 != 0x09 } ?? 0
      throw line.error("each line is one JSON object, as `dissect -T ndjson` writes it", at: start..<start)
    }
    var object = RecordObject(value, in: line)
    let position = line.position(value.range.lowerBound)
    if try object.string("type") == "overlap" { return Entry(content: .overlap, position: position) }
    return try entry(from: &object, at: position)
  }

  private func entry(from object: inout RecordObject, at position: Origin.TextPosition) throws(ReadError) -> Entry {
    if let schema = try object.integer("schema"), schema != UInt64(NDJSONView.schema) {
      throw object.error("schema", "is \(schema); this version reads schema \(NDJSONView.schema)")
    }
    guard let type = try object.string("type") else {
      throw object.error("type", "is missing; it names the frame type, such as \"notification\"")
    }
    var entry = Entry(content: .gap(missing: 0), position: position)
    try readOrigin(of: &entry, from: &object)
    switch type {
    case "unparsed":
      guard let bytes = try object.hex("hex") else { throw object.error("hex", "is missing") }
      entry.content = .bytes(bytes)
      object.ignore(["reason"])
    case "gap":
      guard let missing = try object.count("missing") else { throw object.error("missing", "is missing") }
      entry.content = .gap(missing: missing)
    default:
      guard let schema = catalog[type] else {
        throw object.error(
          "type",
          "is \"\(printable(type))\", which is no frame type"
            + suggestion(type, catalog.schemas.map(\.name) + Record.TypeCode.allCases.map(\.word)))
      }
      entry.role = schema.role
      entry.content = .frame(try object.draft(of: schema))
    }
    object.ignore(["offset", "length", "findings", "file"])
    try object.finish()
    return entry
  }

  private func readOrigin(of entry: inout Entry, from object: inout RecordObject) throws(ReadError) {
    entry.stream = try object.count("stream")
    let source = try object.endpoint("from")
    let destination = try object.endpoint("to")
    if let source, let destination { entry.route = ByteStream.Route(source: source, destination: destination) }
    if (source == nil) != (destination == nil) {
      throw object.error(source == nil ? "to" : "from", "is given without \"\(source == nil ? "from" : "to")\"")
    }
    entry.packets = try object.numbers("packets") ?? []
    if let text = try object.string("time") {
      guard let time = CaptureTime(text) else {
        throw object.error("time", "must be a time in UTC, such as \"2013-11-19T00:00:00.000000Z\"")
      }
      entry.time = time
    }
    switch try object.word("direction", oneOf: ["provider-to-apns", "apns-to-provider"]) {
    case "provider-to-apns": entry.role = .provider
    case "apns-to-provider": entry.role = entry.route?.source.port == Endpoint.feedbackPort ? .feedback : .gateway
    default: break
    }
  }
}

extension RecordObject {
  fileprivate mutating func endpoint(_ name: String) throws(ReadError) -> Endpoint? {
    guard let text = try string(name) else { return nil }
    guard let endpoint = Endpoint(text) else {
      throw error(name, "must be an address and a port, such as \"10.0.0.1:2195\"")
    }
    return endpoint
  }
}

extension ReadError.Code {
  public static let notRecord = ReadError.Code(rawValue: "not-a-record")
}
