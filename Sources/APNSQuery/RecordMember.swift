import APNSDiagnosis
import APNSInput
import APNSWire

/// The properties of a record apart from the fields of its frame. The names are those of NDJSON, in the singular.
enum RecordMember: String, CaseIterable, Sendable {
  case type, command, offset, length, condition, needed
  case number, stream, from, to, direction, packet, time, role
  case item, rest, hex, reason, missing, at
  case rule = "finding.rule"
  case severity = "finding.severity"
  case message = "finding.message"
  case answer = "finding.answer"

  var title: String {
    switch self {
    case .type: "the frame type; or unparsed bytes, a gap, or an overlap"
    case .command: "the first byte of the frame"
    case .offset: "offset of its first byte in the stream"
    case .length: "number of bytes in the record"
    case .condition: "what is wrong with the structure; absent if the frame is complete"
    case .needed: "bytes known to be missing from a truncated frame"
    case .number: "number of the record, counted from 1 in each stream"
    case .stream: "the number of the stream"
    case .from: "sender: address and port, or one of them"
    case .to: "receiver: address and port, or one of them"
    case .direction: "towards the service, or from it"
    case .packet: "numbers of the packets that carried it, counted from 1"
    case .time: "capture time of its first packet"
    case .role: "role of the stream's sender"
    case .item: "ids of the items in it"
    case .rest: "bytes after the last complete field of a frame"
    case .hex: "unparsed bytes, or the bytes of an overlap"
    case .reason: "why bytes are unparsed"
    case .missing: "bytes missing from the capture"
    case .at: "offset in the stream of the bytes that an overlap contradicts"
    case .rule: "rules of its findings; apnscope explain describes each"
    case .severity: "severities of its findings, lowest first"
    case .message: "messages of its findings"
    case .answer: "what the gateway replies to it: a status, error-response, or close"
    }
  }

  func kind(in definitions: Definitions) -> FieldName.Kind {
    let catalog = definitions.catalog
    switch self {
    case .type:
      let frames = catalog.schemas.enumerated().map { (UInt64($0.offset), $0.element.name) }
      let others = Record.TypeCode.allCases.map { ($0.rawValue, $0.word) }
      return .word(Dictionary(uniqueKeysWithValues: frames + others), isOrdered: false)
    case .command, .item: return .number(bytes: 1, .number)
    case .offset, .length, .needed, .number, .stream, .packet, .missing, .at: return .number(bytes: 8, .number)
    case .condition: return Self.words(Record.Condition.all.map(\.rawValue))
    case .direction: return Self.words(Record.Direction.allCases.map(\.rawValue))
    case .role:
      let words = catalog.roles.map { (UInt64($0.rawValue), $0.description) }
      return .word(Dictionary(uniqueKeysWithValues: words), isOrdered: false)
    case .severity: return Self.words(Finding.Severity.allCases.map(\.rawValue), isOrdered: true)
    case .from, .to: return .endpoint
    case .time: return .time
    case .rest, .hex: return .octets
    case .rule: return Self.words(definitions.rules.map(\.id))
    case .reason, .message, .answer: return .text
    }
  }

  private static func words(_ words: [String], isOrdered: Bool = false) -> FieldName.Kind {
    .word(Dictionary(uniqueKeysWithValues: zip(UInt64(0)..., words)), isOrdered: isOrdered)
  }

  /// Calls `visit` with each value in a record until it returns false.
  ///
  /// - Parameter codes: the numbers of the rules that the filter knows.
  func walk(
    _ record: Record, _ bytes: Span<UInt8>, _ catalog: Catalog, _ codes: [String: UInt64],
    while visit: (FieldValue) -> Bool
  ) {
    switch self {
    case .type: _ = visit(.number(record.typeCode))
    case .command: if let command = record.command(bytes, catalog) { _ = visit(.number(command)) }
    case .offset: _ = visit(.number(UInt64(clamping: record.offset)))
    case .length: if record.holdsStream { _ = visit(.number(UInt64(clamping: record.count))) }
    case .missing: if case .gap = record.content { _ = visit(.number(UInt64(clamping: record.count))) }
    case .at: if case .overlap(let offset) = record.content { _ = visit(.number(UInt64(clamping: offset))) }
    case .condition: if let condition = record.condition { _ = visit(.number(condition.code)) }
    case .needed:
      if case .frame(let frame, .truncated?) = record.content { _ = visit(.number(UInt64(clamping: frame.needed))) }
    case .number: _ = visit(.number(UInt64(clamping: record.number)))
    case .stream: _ = visit(.number(UInt64(clamping: record.stream.number)))
    case .from: if let route = record.stream.route { _ = visit(.endpoint(route.source)) }
    case .to: if let route = record.stream.route { _ = visit(.endpoint(route.destination)) }
    case .direction: if let direction = record.direction { _ = visit(.number(direction.code)) }
    case .packet: for packet in record.packets where !visit(.number(UInt64(clamping: packet.number))) { return }
    case .time: if let time = record.packets.first?.time { _ = visit(.time(time)) }
    case .role: if let role = record.role { _ = visit(.number(UInt64(role.rawValue))) }
    case .item:
      guard case .frame(let frame, _) = record.content else { return }
      catalog.walkFields(of: frame, in: bytes) { $0.kind != .itemID || visit(.number(UInt64(bytes[$0.start]))) }
    case .rest:
      guard case .frame(let frame, _) = record.content, let rest = catalog.rest(of: frame, in: bytes) else { return }
      _ = visit(.octets(rest))
    case .hex: if !record.isFrame, !bytes.isEmpty { _ = visit(.octets(0..<bytes.count)) }
    case .reason: if case .unparsed(let reason) = record.content { _ = visit(.text(reason)) }
    case .rule:
      for finding in record.findings {
        if !visit(codes[finding.rule].map { .number($0) } ?? .text(finding.rule)) { return }
      }
    case .severity: for finding in record.findings where !visit(.number(finding.severity.code)) { return }
    case .message: for finding in record.findings where !visit(.text(finding.message)) { return }
    case .answer:
      for case let answer? in record.findings.map(\.answer) where !visit(.text(answer.text)) { return }
    }
  }
}

extension Record {
  /// The codes of records that are not frames. Frames use the index of their type.
  package enum TypeCode: UInt64, CaseIterable {
    case unparsed = 256
    case gap
    case overlap

    package var word: String {
      switch self {
      case .unparsed: "unparsed"
      case .gap: "gap"
      case .overlap: "overlap"
      }
    }
  }

  fileprivate var typeCode: UInt64 {
    switch content {
    case .frame(let frame, _): UInt64(frame.schema)
    case .unparsed: TypeCode.unparsed.rawValue
    case .gap: TypeCode.gap.rawValue
    case .overlap: TypeCode.overlap.rawValue
    }
  }

  fileprivate var isFrame: Bool { if case .frame = content { true } else { false } }

  /// Whether the record's bytes are part of the stream.
  fileprivate var holdsStream: Bool {
    switch content {
    case .frame, .unparsed: true
    case .gap, .overlap: false
    }
  }

  fileprivate var condition: Condition? { if case .frame(_, let condition) = content { condition } else { nil } }

  fileprivate func command(_ bytes: Span<UInt8>, _ catalog: Catalog) -> UInt64? {
    guard case .frame(let frame, _) = content, frame.count > 0,
      catalog.schema(of: frame)?.command != nil
    else { return nil }
    return UInt64(bytes[frame.start])
  }

  package enum Direction: String, CaseIterable {
    case toService = "provider-to-apns"
    case fromService = "apns-to-provider"

    fileprivate var code: UInt64 { self == .toService ? 0 : 1 }
  }

  /// Nil if the route or the role is unknown.
  package var direction: Direction? {
    guard stream.isDirected, let role else { return nil }
    return role == .provider ? .toService : .fromService
  }
}

extension Record.Condition {
  static let all: [Self] = [.truncated, .malformed]

  fileprivate var code: UInt64 { self == .truncated ? 0 : 1 }
}

extension Finding.Severity {
  fileprivate var code: UInt64 { UInt64(Self.allCases.firstIndex(of: self) ?? 0) }
}

extension Catalog {
  /// The bytes from the first incomplete field to the end; nil if all fields are complete.
  fileprivate func rest(of frame: FrameRef, in bytes: Span<UInt8>) -> Range<Int>? {
    var start = frame.end
    walkFields(of: frame, in: bytes) { leaf in
      let isRest =
        switch (leaf.kind, leaf.state) {
        case (.gap, _): leaf.depth <= 1
        case (.value, .cut), (.value, .overrun): leaf.depth <= 1
        case (.length, .cut): true
        default: false
        }
      if isRest { start = leaf.start }
      return !isRest
    }
    return start < frame.end ? start..<frame.end : nil
  }
}
