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
  let kind: Kind
  let bytes: [UInt8]

  /// Identifies the part in its record: `token`, or `item 7 data`.
  var label: String { item.map { "item \($0) \(name)" } ?? name }

  enum Kind: Sendable {
    case field(Field)
    /// A JSON value without members.
    case json
    /// The ids of items, in wire order.
    case items
  }

  init(_ name: String, item: UInt8? = nil, _ kind: Kind, _ bytes: [UInt8]) {
    (self.name, self.item, self.kind, self.bytes) = (name, item, kind, bytes)
  }

  /// Bytes without an interpretation.
  init(_ name: String, item: UInt8? = nil, octets: [UInt8]) {
    self.init(name, item: item, .field(Self.octets), octets)
  }

  init(_ name: String, item: UInt8? = nil, number: UInt64) {
    self.init(name, item: item, .field(Self.number), [UInt8](bigEndian: number, width: 8))
  }

  init(_ name: String, word: String) { self.init(name, .field(Self.word), Array(word.utf8)) }

  private static let octets = Field("data", "data", .octets)
  private static let word = Field("word", "word", .text)
  private static let number = Field("number", "number", .integer(bytes: 8, .number))

  /// Longer paths are not compared, so that a hostile payload cannot make the output larger than the input squared.
  private static let longestPath = 200

  /// The values without members in a payload, by key path: `payload.aps.badge` or `payload.x.0`. Nil if this is no
  /// payload, or one that is not JSON or has a very long path.
  fileprivate var values: [RecordPart]? {
    guard case .field(let field) = kind, field.isJSON,
      let root = try? JSONValue(bytes.span, range: bytes.indices)
    else { return nil }
    var values: [RecordPart] = []
    func add(_ value: JSONValue, _ path: String) -> Bool {
      guard path.utf8.count <= Self.longestPath else { return false }
      let children: [(step: String, value: JSONValue)] =
        switch value.content {
        case .object(let members): members.map { (Self.step(of: $0.keyRange, in: bytes.span), $0.value) }
        case .array(let elements): elements.enumerated().map { (String($0), $1) }
        case .string, .number, .bool, .null: []
        }
      if children.isEmpty { values.append(RecordPart(path, .json, Array(bytes[value.range]))) }
      return children.allSatisfy { add($0.value, path + "." + $0.step) }
    }
    return add(root, name) ? values : nil
  }

  /// The step to the value of a key. Different values have different paths: a key that is empty, a number, or contains
  /// a dot or quote is quoted.
  private static func step(of key: Range<Int>, in text: Span<UInt8>) -> String {
    guard let bytes = JSONValue.unescape(key, in: text) else {
      // Half of a surrogate pair: the source text.
      return String(decoding: key.map { text[$0] }, as: UTF8.self)
    }
    let name = String(decoding: bytes, as: UTF8.self)
    let isSimple = !bytes.contains { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "\"") }
    if isSimple, !bytes.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) { return name }
    return "\"" + name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}

/// A part in which two records differ. One that a record does not have is nil.
typealias PartDifference = (a: RecordPart?, b: RecordPart?)

/// Splits records into parts, and compares two records part by part.
struct RecordParts: Sendable {
  private let members: Members
  private var catalog: Catalog { members.catalog }
  /// The names of the fields that are not compared. If there are none, records must be equal in all bytes.
  private let ignored: Set<String>

  init(_ catalog: Catalog, ignoring names: [String]) {
    (members, ignored) = (Members(catalog), Set(names))
  }

  private func isIgnored(_ leaf: FieldRef) -> Bool {
    guard !ignored.isEmpty, let field = catalog.field(of: leaf) ?? catalog.item(of: leaf)?.field else { return false }
    return ignored.contains(field.name.member)
  }

  func typeName(of record: RecordLog.Entry) -> String { record.content.typeName(catalog) }

  /// All parts of a record, those of a frame in wire order.
  ///
  /// - Parameter hasLengths: whether lengths are parts. They follow from the values unless the structure is defective.
  private func parts(of record: RecordLog.Entry, _ bytes: Span<UInt8>, hasLengths: Bool) -> [RecordPart] {
    switch record.content {
    case .frame(let frame, let condition):
      let parts = condition.map { [RecordPart("condition", word: $0.rawValue)] } ?? []
      return parts + self.parts(of: frame, bytes, hasLengths: hasLengths)
    case .unparsed(let reason):
      return [RecordPart("hex", octets: [UInt8](copying: bytes)), RecordPart("reason", word: reason)]
    case .gap: return [RecordPart("missing", number: UInt64(record.count))]
    case .overlap: return [RecordPart("hex", octets: [UInt8](copying: bytes))]
    }
  }

  private func parts(of frame: FrameRef, _ bytes: Span<UInt8>, hasLengths: Bool) -> [RecordPart] {
    var parts: [RecordPart] = []
    var items: [UInt8] = []
    var rest: Int?
    members.forEach(of: frame, in: bytes) { member in
      let leaf = member.leaf
      if rest != nil || isIgnored(leaf) { return }
      if hasLengths, let length = member.length(in: bytes) {
        let isItem = member.kind == .item
        let name = isItem ? "data_length" : catalog.lengthName(of: leaf)?.member ?? "length"
        parts.append(RecordPart(name, item: isItem ? member.id : nil, number: length))
      }
      let data = [UInt8](copying: bytes.extracting(leaf.range))
      switch member.kind {
      case .command, .length, .list: break
      case .item: items.append(member.id)
      case .value:
        let field = catalog.fields[Int(leaf.field)]
        parts.append(RecordPart(field.name.member, .field(field), data))
      case .data:
        let name = members.field(of: member)?.name.member
        parts.append(RecordPart(name ?? "data", item: name == nil ? member.id : nil, octets: data))
      case .cut, .cutLength, .spare:
        if leaf.depth <= 1 {
          rest = leaf.start
        } else {
          parts.append(RecordPart("rest", item: member.id, octets: data))
        }
      }
    }
    if let rest, rest < frame.end {
      parts.append(RecordPart("rest", octets: [UInt8](copying: bytes.extracting(rest..<frame.end))))
    }
    if !items.isEmpty { parts.append(RecordPart("item", .items, items)) }
    return parts
  }

  /// A hash of the identifier or the token of a record; nil if it has none, or if the field is ignored.
  func key(_ role: Field.Role, of held: RecordLog.HeldRecord) -> Int? {
    guard let frame = held.record.content.frame else { return nil }
    let held = held.bytes
    let bytes = held.span
    guard let leaf = catalog.leaf(role, of: frame, in: bytes), !isIgnored(leaf) else { return nil }
    // An identifier may have any size.
    if role == .identifier { return leaf.integer(in: bytes)?.hashValue }
    guard leaf.state != .cut, leaf.count > 0 else { return nil }
    return held[leaf.range].hashValue
  }

  /// A hash of all that is compared of some records.
  func hash(_ stream: RecordLog.Stream, _ range: Range<Int>) -> Int {
    var hasher = Hasher()
    for record in stream.records[range] {
      hasher.combine(typeName(of: record))
      hasher.combine(record.distance)
      guard !ignored.isEmpty, record.content.frame != nil else {
        hasher.combine(stream.bytes[record.range])
        continue
      }
      let bytes = stream.bytes.span.extracting(record.range)
      for part in parts(of: record, bytes, hasLengths: record.isDefective) {
        hasher.combine(part.label)
        hasher.combine(part.bytes)
      }
    }
    return hasher.finalize()
  }

  /// The parts in which two records differ; all parts if one of the records is nil.
  func differences(_ a: RecordLog.HeldRecord?, _ b: RecordLog.HeldRecord?) -> [PartDifference] {
    let hasLengths = a?.record.isDefective ?? false || b?.record.isDefective ?? false
    let (bytes, otherBytes) = (a?.bytes ?? [], b?.bytes ?? [])
    let ones = a.map { parts(of: $0.record, bytes.span, hasLengths: hasLengths) } ?? []
    let others = b.map { parts(of: $0.record, otherBytes.span, hasLengths: hasLengths) } ?? []
    var found = differences(ones, others)
    guard let a = a?.record, let b = b?.record else { return found }
    let types = [a, b].map { typeName(of: $0) }
    if types[0] != types[1] {
      found.insert((RecordPart("type", word: types[0]), RecordPart("type", word: types[1])), at: 0)
    }
    guard found.isEmpty else { return found }
    if bytes == otherBytes {
      let places = [a, b].map { RecordPart("at", number: UInt64(clamping: $0.offset - $0.distance)) }
      return [(places[0], places[1])]
    }
    return [(RecordPart("hex", octets: bytes), RecordPart("hex", octets: otherBytes))]
  }

  /// The parts that differ, in the order of the first list; then those that only the second has.
  private func differences(_ ones: [RecordPart], _ others: [RecordPart]) -> [PartDifference] {
    // Of several parts with one key, the first is compared with the first.
    var rest = Dictionary(grouping: others.indices.reversed()) { others[$0].label }
    let found = ones.flatMap { one in differences(one, rest[one.label]?.popLast().map { others[$0] }) }
    return found + rest.values.joined().sorted().flatMap { differences(nil, others[$0]) }
  }

  private func differences(_ a: RecordPart?, _ b: RecordPart?) -> [PartDifference] {
    if case .items? = (a ?? b)?.kind {
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
