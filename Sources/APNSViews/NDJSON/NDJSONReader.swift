import APNSDiagnosis
import APNSInput
import APNSQuery
import APNSWire

/// Reads the lines that ``NDJSONView`` writes, and lines written by hand, back into frames.
public struct NDJSONReader: Sendable {
  private let catalog: Catalog
  let names: RecordNames
  private let makesDrafts: Bool
  var line: NDJSONLine
  /// The bytes of the line's frame.
  var frame = Output()
  /// Whether `frame` represents the line completely.
  var isExact = true
  /// The line's frame, if a draft is needed.
  var draft: FrameDraft?

  /// - Parameters:
  ///   - catalog: the frame types to read.
  ///   - makesDrafts: read every frame as a draft, so that it can be changed.
  public init(_ catalog: Catalog, makesDrafts: Bool = false) {
    self.catalog = catalog
    self.makesDrafts = makesDrafts
    names = RecordNames(catalog)
    line = NDJSONLine(names.words, lists: Set(names.fields.filter { $0.kind == .list }.map(\.word)))
  }

  /// A record as read from a line.
  public struct Entry: Sendable {
    /// What to write for the record.
    public var content: Content
    /// The number of the stream in a capture; else nil.
    public var stream: Int?
    /// The endpoints of the stream, if the line has both.
    package var route: ByteStream.Route?
    /// The numbers of the packets that carried the record.
    public var packets: [Int] = []
    /// The time of the first packet.
    public var time: CaptureTime?
    /// The role of the sender, as far as the type, the direction and the ports tell.
    public var role: StreamRole?
    /// The position of the record in the text, for errors that occur when it is written; nil if it is from no text.
    package let position: Origin.TextPosition?

    package init(_ content: Content, role: StreamRole? = nil, at position: Origin.TextPosition? = nil) {
      (self.content, self.role, self.position) = (content, role, position)
    }

    /// What a record consists of.
    public enum Content: Sendable {
      /// A frame to be encoded.
      case frame(FrameDraft)
      /// The bytes of a complete frame.
      case written([UInt8])
      /// Bytes that are not a frame.
      case bytes([UInt8])
      /// Missing bytes of a capture, by their number; only a capture can be written with them.
      case gap(missing: Int)
      /// Bytes that differ from the stream's; they are not encoded.
      case overlap
    }
  }

  /// Reads the record in one line; nil for a blank line.
  ///
  /// - Parameters:
  ///   - text: the line, without its end.
  ///   - number: the line's number, from 1, for errors.
  /// - Throws: `ReadError` if the line is not a record of this schema.
  public mutating func read(_ text: Span<UInt8>, number: Int) throws(ReadError) -> Entry? {
    if text.isBlank { return nil }
    try line.read(text, number: number)
    let type = try line.word(.type) ?? .unknown
    var entry = Entry(.overlap, at: line.position)
    if type == .overlap { return entry }
    try line.checkSchema()
    guard line.has(.type) else {
      throw line.error(.type, "is missing; it names the frame type, such as \"notification\"")
    }
    try readOrigin(of: &entry)
    try readContent(of: &entry, type)
    for member in RecordNames.derived { line.ignore(member) }
    try line.finish()
    return entry
  }

  private mutating func readContent(of entry: inout Entry, _ type: RecordWord) throws(ReadError) {
    switch type {
    case .unparsed:
      frame.clear()
      guard try line.hex(.hex, to: &frame) else { throw line.error(.hex, "is missing") }
      entry.content = .bytes(frame.bytes)
      line.ignore(.reason)
    case .gap:
      guard let missing = try line.count(.missing) else { throw line.error(.missing, "is missing") }
      entry.content = .gap(missing: missing)
    default:
      guard let index = names.types.firstIndex(where: { $0.word == type }) else {
        let name = try line.string(.type) ?? ""
        let names = catalog.schemas.map(\.name) + Record.otherTypes
        throw line.error(.type, "is \"\(printable(name))\", which is no frame type\(suggestion(name, names))")
      }
      let type = names.types[index]
      entry.role = type.role
      line.ignore(.needed)
      if !makesDrafts, try readFrame(type) {
        entry.content = .written(frame.bytes)
        return
      }
      draft = FrameDraft(catalog.schemas[index])
      defer { draft = nil }
      _ = try readFrame(type)
      if let draft { entry.content = .frame(draft) }
    }
  }

  private mutating func readOrigin(of entry: inout Entry) throws(ReadError) {
    entry.stream = try line.count(.stream)
    let (source, destination) = (try endpoint(.from), try endpoint(.to))
    if let source, let destination { entry.route = ByteStream.Route(source: source, destination: destination) }
    if (source == nil) != (destination == nil) {
      throw line.error(
        source == nil ? .to : .from, "is given without \"\(source == nil ? "from" : "to")\"")
    }
    entry.packets = try line.numbers(.packets) ?? []
    if let time = try line.string(.time, { CaptureTime($0) }) {
      guard let time else {
        throw line.error(.time, "must be a time in UTC, such as \"2013-11-19T00:00:00.000000Z\"")
      }
      entry.time = time
    }
    switch try line.string(.direction, Record.toService, or: Record.fromService) {
    case Record.toService: entry.role = .provider
    case Record.fromService: entry.role = entry.route?.source.port == Endpoint.feedbackPort ? .feedback : .gateway
    default: break
    }
  }

  private mutating func endpoint(_ name: RecordWord) throws(ReadError) -> Endpoint? {
    guard let text = try line.string(name) else { return nil }
    guard let endpoint = Endpoint(text) else {
      throw line.error(name, "must be an address and a port, such as \"10.0.0.1:2195\"")
    }
    return endpoint
  }
}

extension NDJSONLine {
  mutating func checkSchema() throws(ReadError) {
    if let schema = try integer(.schema), schema != UInt64(NDJSONView.schema) {
      throw error(.schema, "is \(schema); this version reads schema \(NDJSONView.schema)")
    }
  }
}

extension Span<UInt8> {
  var isBlank: Bool { indices.allSatisfy { self[$0] == 0x20 || self[$0] == 0x09 || self[$0] == 0x0d } }
}

extension ReadError.Code {
  /// A line is not a record or a finding.
  package static let notRecord = ReadError.Code(rawValue: "not-a-record")
}
