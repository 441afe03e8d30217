import APNSDiagnosis
import APNSPayload
import APNSQuery
import APNSWire
import Octets

/// A value that two records can differ in.
struct RecordPart: Sendable {
  /// The name of the member in records, or a path such as `payload.aps.badge`.
  let name: String
  /// The id of an item that the catalog does not define.
  let item: UInt8?
  /// Nil for a JSON value without members. For a list, the bytes are the ids of its items, in wire order.
  let content: Field.Content?
  let bytes: [UInt8]

  /// Identifies the part in its record: `token`, or `item 7 data`.
  var label: String { item.map { "item \($0) \(name)" } ?? name }

  init(_ name: String, item: UInt8? = nil, _ content: Field.Content?, _ bytes: [UInt8]) {
    (self.name, self.item, self.content, self.bytes) = (name, item, content, bytes)
  }

  init(_ name: String, item: UInt8? = nil, number: UInt64) {
    self.init(name, item: item, .integer(bytes: 8, .number), [UInt8](bigEndian: number, width: 8))
  }

  /// Longer paths are not compared, so that a hostile payload cannot make the output larger than the input squared.
  private static let longestPath = 200

  /// The values without members in a payload, by key path: `payload.aps.badge` or `payload.x.0`. Nil if this is no
  /// payload, or one that is not JSON or has a very long path.
  fileprivate var values: [RecordPart]? {
    guard case .json? = content, let root = try? JSONValue(bytes.span, range: bytes.indices) else { return nil }
    var values: [RecordPart] = []
    func add(_ value: JSONValue, _ path: String) -> Bool {
      guard path.utf8.count <= Self.longestPath else { return false }
      let children: [(step: String, value: JSONValue)] =
        switch value.content {
        case .object(let members): members.map { (Self.step(of: $0.keyRange, in: bytes.span), $0.value) }
        case .array(let elements): elements.enumerated().map { (String($0), $1) }
        case .string, .number, .bool, .null: []
        }
      if children.isEmpty { values.append(RecordPart(path, nil, Array(bytes[value.range]))) }
      return children.allSatisfy { add($0.value, path + "." + $0.step) }
    }
    return add(root, name) ? values : nil
  }

  /// The step to the value of a key: the source text, in its quotes if it is empty, a number, or contains a dot or an
  /// escape. So different values have different paths.
  private static func step(of key: Range<Int>, in text: Span<UInt8>) -> String {
    let source = String(copying: text.extracting(key))
    let name = source.utf8.dropFirst().dropLast()
    let isQuoted = name.contains { $0 == 0x2e || $0 == 0x5c } || name.allSatisfy { 0x30...0x39 ~= $0 }
    return isQuoted ? source : String(Substring(name))
  }
}

/// A part in which two records differ. One that a record does not have is nil.
typealias PartDifference = (a: RecordPart?, b: RecordPart?)

// Splits records into parts, and compares two records part by part.
extension Comparison {
  private func isIgnored(_ leaf: FieldRef) -> Bool {
    guard !ignored.isEmpty, let field = catalog.field(of: leaf) ?? catalog.item(of: leaf)?.field else { return false }
    return ignored.contains(field.name.member)
  }

  /// All parts of a record, those of a frame in wire order.
  ///
  /// - Parameter hasLengths: whether lengths are parts. They follow from the values unless the structure is defective.
  private func parts(of held: RecordLog.HeldRecord, hasLengths: Bool) -> [RecordPart] {
    switch held.record.content {
    case .frame(let frame, let condition):
      let parts = condition.map { [RecordPart("condition", .text, Array($0.rawValue.utf8))] } ?? []
      return parts + self.parts(of: frame, held.bytes.span, hasLengths: hasLengths)
    case .unparsed(let reason):
      return [RecordPart("hex", .octets, held.bytes), RecordPart("reason", .text, Array(reason.utf8))]
    case .gap: return [RecordPart("missing", number: UInt64(held.record.count))]
    case .overlap: return [RecordPart("hex", .octets, held.bytes)]
    }
  }

  private func parts(of frame: FrameRef, _ bytes: Span<UInt8>, hasLengths: Bool) -> [RecordPart] {
    var parts: [RecordPart] = []
    var items: [UInt8] = []
    var isLastIgnored = false
    let rest = catalog.forEachMemberBeforeRest(of: frame, in: bytes) { member in
      let leaf = member.leaf
      isLastIgnored = isIgnored(leaf)
      if isLastIgnored { return }
      let data = [UInt8](copying: bytes.extracting(leaf.range))
      switch member.kind {
      case .command: break
      case .length:
        guard hasLengths else { break }
        parts.append(RecordPart(catalog.lengthName(of: leaf)?.member ?? "length", number: data.bigEndianNumber))
      case .item:
        items.append(member.id)
        if hasLengths { parts.append(RecordPart("data_length", item: member.id, number: data.bigEndianNumber)) }
      case .value:
        let field = catalog.fields[Int(leaf.field)]
        parts.append(RecordPart(field.name.member, field.isList ? .octets : field.content, data))
      case .data:
        let name = catalog.field(of: leaf)?.name.member
        parts.append(RecordPart(name ?? "data", item: name == nil ? member.id : nil, .octets, data))
      case .cut, .cutLength, .spare:
        // The rest of the frame itself is the last part.
        if leaf.depth > 1 { parts.append(RecordPart("rest", item: member.id, .octets, data)) }
      }
    }
    if let rest, !rest.isEmpty, !isLastIgnored {
      parts.append(RecordPart("rest", .octets, [UInt8](copying: bytes.extracting(rest))))
    }
    if !items.isEmpty { parts.append(RecordPart("item", .items([]), items)) }
    return parts
  }

  /// A hash of the identifier or the token of a record; nil if it has none, or if the field is ignored.
  func key(_ role: Field.Role, of held: RecordLog.HeldRecord) -> Int? {
    guard let frame = held.record.content.frame else { return nil }
    let bytes = held.bytes.span
    guard let leaf = catalog.leaf(role, of: frame, in: bytes), !isIgnored(leaf) else { return nil }
    // An identifier may have any size.
    if role == .identifier { return leaf.integer(in: bytes)?.hashValue }
    guard leaf.state != .cut, leaf.count > 0 else { return nil }
    return held.bytes[leaf.range].hashValue
  }

  /// A hash of all that is compared of some records.
  func hash(_ stream: RecordLog.Stream, _ range: Range<Int>) -> Int {
    var hasher = Hasher()
    for index in range {
      let held = stream[index]
      let record = held.record
      hasher.combine(record.content.typeName(catalog))
      hasher.combine(record.distance)
      guard !ignored.isEmpty, record.content.frame != nil else {
        hasher.combine(held.bytes)
        continue
      }
      for part in parts(of: held, hasLengths: record.isDefective) {
        hasher.combine(part.label)
        hasher.combine(part.bytes)
      }
    }
    return hasher.finalize()
  }

  /// The parts in which two records differ; all parts if one of the records is nil.
  func differences(_ a: RecordLog.HeldRecord?, _ b: RecordLog.HeldRecord?) -> [PartDifference] {
    let hasLengths = a?.record.isDefective ?? false || b?.record.isDefective ?? false
    var found = differences(
      a.map { parts(of: $0, hasLengths: hasLengths) } ?? [], b.map { parts(of: $0, hasLengths: hasLengths) } ?? [])
    guard let a, let b else { return found }
    let types = [a, b].map { $0.record.content.typeName(catalog) }
    if types[0] != types[1] {
      let parts = types.map { RecordPart("type", .text, Array($0.utf8)) }
      found.insert((parts[0], parts[1]), at: 0)
    }
    guard found.isEmpty else { return found }
    if a.bytes == b.bytes {
      let places = [a.record, b.record].map { RecordPart("at", number: UInt64(clamping: $0.offset - $0.distance)) }
      return [(places[0], places[1])]
    }
    return [(RecordPart("hex", .octets, a.bytes), RecordPart("hex", .octets, b.bytes))]
  }

  /// The parts that differ, in the order of the first list; then those that only the second has.
  private func differences(_ ones: [RecordPart], _ others: [RecordPart]) -> [PartDifference] {
    // Of several parts with one key, the first is compared with the first.
    var rest = Dictionary(grouping: others.indices.reversed()) { others[$0].label }
    let found = ones.flatMap { one in differences(one, rest[one.label]?.popLast().map { others[$0] }) }
    return found + rest.values.joined().sorted().flatMap { differences(nil, others[$0]) }
  }

  private func differences(_ a: RecordPart?, _ b: RecordPart?) -> [PartDifference] {
    if case .items? = (a ?? b)?.content {
      // Items that only one record has are parts themselves.
      guard let a, let b, a.bytes.sorted() == b.bytes.sorted() else { return [] }
    }
    if let a, let b {
      if a.bytes == b.bytes { return [] }
      if let values = a.values, let others = b.values {
        let found = differences(values, others)
        // They differ only between their values, or in their order.
        if !found.isEmpty { return found }
      }
    }
    return [(a, b)]
  }
}
