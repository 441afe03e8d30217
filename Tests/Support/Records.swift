import APNSDiagnosis
import APNSInput
import APNSViews
import APNSWire

/// Dissects bytes, split into chunks, and shows the records in a view.
public struct Shown: RecordSink {
  private var show: (Record, Span<UInt8>, inout Output) -> Void
  public private(set) var records: [Record] = []
  public private(set) var out = Output()
  public var wantsMore: Bool { true }

  public mutating func take(_ record: Record, _ bytes: Span<UInt8>) {
    records.append(record)
    show(record, bytes, &out)
  }

  public var text: String { String(decoding: out.bytes, as: UTF8.self) }

  /// - Parameters:
  ///   - cuts: The offsets at which the stream is split into chunks.
  ///   - offset: The offset of the first byte in the stream.
  public init<V: View>(
    _ bytes: [UInt8], as view: V, by definitions: Definitions = .standard, role: StreamRole? = nil,
    rules: RulePolicy = RulePolicy(), recovers: Bool = true, cuts: [Int] = [], offset: Int = 0
  ) {
    var view = view
    self.init { view.show($0, $1, to: &$2) }
    var dissector = Dissector(
      definitions, policy: RolePolicy(role: role), rules: rules, recovers: recovers, into: self)
    dissector.open(ByteStream(number: 0), at: offset)
    var start = 0
    for cut in cuts + [bytes.count] where cut > start {
      dissector.append(bytes.span.extracting(start..<cut), from: .input(offset: start), to: 0)
      start = cut
    }
    dissector.finish()
    self = dissector.records
  }

  private init(show: @escaping (Record, Span<UInt8>, inout Output) -> Void) {
    self.show = show
  }

  public static func ndjson(
    _ bytes: [UInt8], by definitions: Definitions = .standard, role: StreamRole? = nil, recovers: Bool = true,
    cuts: [Int] = []
  ) -> String {
    Shown(bytes, as: NDJSONView(definitions.catalog), by: definitions, role: role, recovers: recovers, cuts: cuts).text
  }
}

/// The bytes that lines of NDJSON represent.
public func encodedBytes(ndjson text: String, catalog: Catalog = .standard) throws -> [UInt8] {
  var reader = NDJSONReader(catalog)
  var drafting = NDJSONReader(catalog, makesDrafts: true)
  var bytes: [UInt8] = []
  for (index, line) in text.utf8.split(separator: UInt8(ascii: "\n")).enumerated() {
    let line = Array(line)
    let read = try reader.read(line.span, number: index + 1)?.content.bytes()
    let drafted = try drafting.read(line.span, number: index + 1)?.content.bytes()
    if read != drafted { throw TwoReadings(line: index + 1) }
    bytes += read ?? []
  }
  return bytes
}

/// A frame has different bytes when it is read as a draft.
public struct TwoReadings: Error {
  let line: Int
}

extension NDJSONReader.Entry.Content {
  public func bytes() throws -> [UInt8] {
    switch self {
    case .frame(let draft): try draft.bytes()
    case .written(let bytes), .bytes(let bytes): bytes
    case .gap, .overlap: []
    }
  }
}
