import APNSDiagnosis
import APNSInput
import APNSWire

/// Writes a record's data for the page: the object that `dissect -T ndjson` writes, the bytes, and what each range of
/// bytes is. The size of an entry is limited, so that a few large records do not fill the page.
struct RecordEntry {
  private let catalog: Catalog
  private let text: LeafText
  private var object: NDJSONView
  private var values = ValueText()

  /// The bytes of a record that are embedded.
  private static let byteLimit = 1 << 16
  /// The size of an object that is embedded with its values.
  private static let objectLimit = 2 * byteLimit
  /// The fields of a record, and the lines of its JSON, that are embedded.
  private static let fieldLimit = 4000

  init(_ catalog: Catalog, inputs: [String]) {
    self.catalog = catalog
    text = LeafText(catalog)
    object = NDJSONView(catalog, inputs: inputs)
  }

  /// Writes the object and a line end.
  mutating func write(
    _ record: Record, _ bytes: Span<UInt8>, fate: Conversation.Fate?, role: String?, to out: inout Output
  ) {
    out.line { out in
      writeObject(of: record, bytes, to: &out)
      out.member("number", record.number)
      if record.stream.route != nil { out.member("connection", record.stream.connection) }
      out.member("stream", record.stream.number)
      out.member("role", role)
      out.member("lane", record.isFromService.map { $0 ? "in" : "out" })
      out.member("fate", fate?.rawValue)
      if record.findings.contains(where: { $0.answer != nil }) {
        out.member("answers", record.findings.map { $0.answer?.sentence ?? "" })
      }
      out.member("at", record.packets.first?.time?.clamped.milliseconds)
      out.member("base", record.firstByte)
      out.member("hex", hex: bytes.extracting(0..<min(bytes.count, Self.byteLimit)))
      if bytes.count > Self.byteLimit { out.member("bytes", bytes.count) }
      guard case .frame(let frame, _) = record.content else { return }
      writeFields(of: frame, bytes, record.role, to: &out)
    }
  }

  private mutating func writeObject(of record: Record, _ bytes: Span<UInt8>, to out: inout Output) {
    out.key("record")
    let start = out.count
    object.writeObject(record, bytes, to: &out)
    guard out.count - start > Self.objectLimit else { return }
    out.cut(to: start)
    object.writeObject(record, nil, to: &out)
    out.member("left_out", "values")
  }

  private mutating func writeFields(
    of frame: FrameRef, _ bytes: Span<UInt8>, _ role: StreamRole?, to out: inout Output
  ) {
    let (catalog, text) = (catalog, text)
    var values = values
    var count = 0
    out.array("fields") { out in
      catalog.forEachField(of: frame, in: bytes) { leaf in
        guard let range = text.range(of: leaf) else { return }
        count += 1
        guard count <= Self.fieldLimit else { return }
        values.removeAll()
        if !text.isJSON(leaf), !catalog.isOctets(leaf) { text.addValues(of: leaf, bytes, role, to: &values) }
        values.shorten()
        out.row { out in
          out.element(range.lowerBound)
          out.element(range.count)
          out.element(text.depth(of: leaf))
          out.comma()
          out.jsonString(text.isJSON(leaf) ? "json" : text.style(of: leaf).name)
          out.comma()
          out.jsonString(text.label(of: leaf) ?? "")
          out.comma()
          out.jsonString(values.strings.joined(separator: "  "))
        }
        guard text.isJSON(leaf) else { return }
        bytes.forEachJSONLine(range) { line in
          count += 1
          guard count <= Self.fieldLimit else { return }
          out.row { out in
            out.element(line.range.lowerBound)
            out.element(line.range.count)
            out.element(text.depth(of: leaf) + line.depth)
            out.element(line.isInvalid ? -1 : line.keyEnd.map { $0 - line.range.lowerBound } ?? 0)
          }
        }
      }
    }
    if count > Self.fieldLimit { out.member("more_fields", count - Self.fieldLimit) }
    self.values = values
  }
}

extension Record {
  /// Whether the service sent it, not the provider; nil if the sender is not known.
  var isFromService: Bool? { role.map { $0 != .provider } }
}

extension Catalog {
  /// Whether the leaf is a complete run of bytes, whose value the page shows as digits.
  fileprivate func isOctets(_ leaf: FieldRef) -> Bool {
    guard leaf.kind == .value, leaf.state == .whole, let field = field(of: leaf) else { return false }
    if case .octets = field.content { return leaf.count > 0 }
    return false
  }
}

extension Palette.Style {
  /// The name of the style's class in the page.
  fileprivate var name: String {
    switch self {
    case .command: "command"
    case .header: "header"
    case .payload: "json"
    case .error: "error"
    case .plain, .dim, .title, .warning, .note: "plain"
    }
  }
}

extension Output {
  fileprivate mutating func row(_ elements: (inout Output) -> Void) {
    comma()
    write("[")
    elements(&self)
    write("]")
  }

  fileprivate mutating func element(_ number: Int) {
    comma()
    decimal(number)
  }
}
