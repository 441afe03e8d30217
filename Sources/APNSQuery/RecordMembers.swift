import APNSDiagnosis
import APNSWire

/// The properties of a record apart from the fields of its frame. The names are those of NDJSON, in the singular.
struct RecordMembers {
  private(set) var fields: [QueryField] = []

  init(_ definitions: Definitions) {
    let catalog = definitions.catalog
    let types = catalog.schemas.map(\.name) + Record.otherTypes
    text("type", "the frame type; or unparsed bytes, a gap, or an overlap", types) { $0.content.typeName(catalog) }
    add(Self.command, .number(bytes: 1), "the first byte of the frame") { record, bytes, visit in
      guard let frame = record.frame, frame.count > 0, catalog.schema(of: frame)?.command != nil else { return }
      _ = visit(.number(UInt64(bytes[frame.start])))
    }
    number("offset", "offset of its first byte in the stream") { $0.offset }
    number("length", "number of bytes in the record") { $0.frame != nil || $0.reason != nil ? $0.count : nil }
    let conditions = Record.Condition.allCases.map(\.rawValue)
    text("condition", "what is wrong with the structure; absent if the frame is complete", conditions) {
      if case .frame(_, let condition) = $0.content { condition?.rawValue } else { nil }
    }
    number("needed", "bytes known to be missing from a truncated frame") {
      if case .frame(let frame, .truncated?) = $0.content { frame.needed } else { nil }
    }
    number("number", "number of the record, counted from 1 in each stream") { $0.number }
    number("stream", "the number of the stream") { $0.stream.number }
    one("from", .endpoint, "sender: address and port, or one of them") { $0.stream.route.map { .endpoint($0.source) } }
    one("to", .endpoint, "receiver: address and port, or one of them") {
      $0.stream.route.map { .endpoint($0.destination) }
    }
    text("direction", "towards the service, or from it", [Record.toService, Record.fromService]) { $0.direction }
    add("packet", .number(bytes: 8), "numbers of the packets that carried it, counted from 1") { record, _, visit in
      for packet in record.packets where !visit(.count(packet.number)) { return }
    }
    one("time", .time, "capture time of its first packet") { $0.packets.first?.time.map { .time($0) } }
    text("role", "role of the stream's sender", catalog.roles.map(\.description)) { $0.role?.description }
    add("item", .number(bytes: 1), "ids of the items in it") { record, bytes, visit in
      guard let frame = record.frame else { return }
      catalog.walkFields(of: frame, in: bytes) { $0.kind != .itemID || visit(.number(UInt64(bytes[$0.start]))) }
    }
    add(Self.rest, .octets, "bytes after the last complete field of a frame") { record, bytes, visit in
      if let frame = record.frame, let rest = catalog.rest(of: frame, in: bytes) { _ = visit(.octets(rest)) }
    }
    add("hex", .octets, "unparsed bytes, or the bytes of an overlap") { record, bytes, visit in
      if record.frame == nil, !bytes.isEmpty { _ = visit(.octets(0..<bytes.count)) }
    }
    text("reason", "why bytes are unparsed") { $0.reason }
    number("missing", "bytes missing from the capture") { if case .gap = $0.content { $0.count } else { nil } }
    number("at", "offset in the stream of the bytes that an overlap contradicts") {
      if case .overlap(let offset) = $0.content { offset } else { nil }
    }
    let rules = definitions.rules.map(\.id)
    findings("rule", .word(rules), "rules of its findings; apnscope explain describes each") { $0.rule }
    let severities = Finding.Severity.allCases.map(\.rawValue)
    findings("severity", .word(severities, isOrdered: true), "severities of its findings, lowest first") {
      $0.severity.rawValue
    }
    findings("message", .text, "messages of its findings") { $0.message }
    findings("answer", .text, "what the gateway replies to it: a status, error-response, or close") { $0.answer?.text }
  }

  /// The names of the members that an assignment can change.
  static let (command, rest) = ("command", "rest")

  /// Adds a member. A short list of words becomes part of the title.
  private mutating func add(
    _ name: String, _ kind: QueryField.Kind, _ title: String, _ walk: @escaping QueryField.Walk
  ) {
    var title = title
    if case .word(let words, _) = kind, words.count <= Comparison.longestList {
      title += ": " + words.joined(separator: ", ")
    }
    fields.append(QueryField(name, kind, title, walk: walk))
  }

  private mutating func one(
    _ name: String, _ kind: QueryField.Kind, _ title: String, _ value: @escaping @Sendable (Record) -> FieldValue?
  ) {
    add(name, kind, title) { record, _, visit in if let value = value(record) { _ = visit(value) } }
  }

  private mutating func number(_ name: String, _ title: String, _ value: @escaping @Sendable (Record) -> Int?) {
    one(name, .number(bytes: 8), title) { value($0).map { .count($0) } }
  }

  private mutating func text(
    _ name: String, _ title: String, _ words: [String]? = nil, _ value: @escaping @Sendable (Record) -> String?
  ) {
    one(name, words.map { .word($0) } ?? .text, title) { value($0).map { .text($0) } }
  }

  private mutating func findings(
    _ name: String, _ kind: QueryField.Kind, _ title: String, _ text: @escaping @Sendable (Finding) -> String?
  ) {
    add("finding." + name, kind, title) { record, _, visit in
      for finding in record.findings { if let text = text(finding), !visit(.text(text)) { return } }
    }
  }
}

extension Record {
  /// The types of records that are not frames.
  package static let otherTypes = ["unparsed", "gap", "overlap"]
  package static let (toService, fromService) = ("provider-to-apns", "apns-to-provider")

  fileprivate var frame: FrameRef? { content.frame }
  fileprivate var reason: String? { if case .unparsed(let reason) = content { reason } else { nil } }

  /// The member `direction` of the record in NDJSON; nil if the route or the role is unknown.
  package var direction: String? {
    guard stream.isDirected, let role else { return nil }
    return role == .provider ? Self.toService : Self.fromService
  }
}

extension Record.Content {
  /// The frame; nil for other records.
  package var frame: FrameRef? { if case .frame(let frame, _) = self { frame } else { nil } }

  /// The member `type` of the record in NDJSON.
  package func typeName(_ catalog: Catalog) -> String {
    switch self {
    case .frame(let frame, _): catalog.index(of: frame).map { catalog.schemas[$0].name } ?? "frame"
    case .unparsed: "unparsed"
    case .gap: "gap"
    case .overlap: "overlap"
    }
  }
}

extension Catalog {
  /// The bytes from the first incomplete field to the end; nil if all fields are complete.
  fileprivate func rest(of frame: FrameRef, in bytes: Span<UInt8>) -> Range<Int>? {
    var start = frame.end
    walkFields(of: frame, in: bytes) { leaf in
      let isIncomplete = leaf.kind == .gap || leaf.state == .cut || leaf.state == .overrun
      if isIncomplete, leaf.kind != .itemLength, leaf.depth <= 1 { start = leaf.start }
      return start == frame.end
    }
    return start < frame.end ? start..<frame.end : nil
  }
}
