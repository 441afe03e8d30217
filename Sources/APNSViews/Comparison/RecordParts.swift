import APNSDiagnosis
import APNSPayload
import APNSQuery
import APNSWire

/// A value that two records can differ in.
struct RecordPart: Sendable {
  /// The name of the member in records, or a path such as `payload.aps.badge`.
  let name: String
  /// The id of an item that the catalog does not define.
  var item: UInt8?
  let value: Value

  enum Value: Sendable {
    /// A complete value of the field with this index, in this range of the record's bytes.
    case field(Int, Range<Int>)
    /// Bytes without an interpretation.
    case octets(Range<Int>)
    /// A JSON value without members.
    case json(Range<Int>)
    case number(UInt64)
    case word(String)
    /// The ids of items, in wire order.
    case items([UInt8])
  }
}

/// A part in which two records differ. A part that a record does not have is nil.
struct PartDifference: Sendable {
  let name: String
  var item: UInt8?
  let a: RecordPart.Value?
  let b: RecordPart.Value?
}

/// Splits records into parts, and compares two records part by part.
struct RecordParts: Sendable {
  private let members: Members
  private var catalog: Catalog { members.catalog }
  /// By index in ``Catalog/fields``: whether differences in the field are ignored.
  private let isIgnored: [Bool]
  /// By index in ``Catalog/items``: whether its field is ignored.
  private let isIgnoredItem: [Bool]
  /// Whether records must be equal in all bytes.
  private let ignoresNothing: Bool

  init(_ catalog: Catalog, ignoring names: [String]) {
    members = Members(catalog)
    isIgnored = catalog.fields.map { names.contains($0.name.member) }
    isIgnoredItem = catalog.items.map { names.contains($0.field.name.member) }
    ignoresNothing = !isIgnored.contains(true)
  }

  /// All parts of a record.
  ///
  /// - Parameter hasLengths: whether lengths are parts. They follow from the values unless the structure is defective.
  private func parts(of record: RecordLog.Entry, _ bytes: Span<UInt8>, hasLengths: Bool) -> [RecordPart] {
    switch record.content {
    case .frame(let frame, let condition): return parts(of: frame, condition, bytes, hasLengths: hasLengths)
    case .unparsed(let reason):
      return [
        RecordPart(name: "hex", value: .octets(0..<bytes.count)), RecordPart(name: "reason", value: .word(reason)),
      ]
    case .gap: return [RecordPart(name: "missing", value: .number(UInt64(record.count)))]
    case .overlap: return [RecordPart(name: "hex", value: .octets(0..<bytes.count))]
    }
  }

  /// The parts of a frame in wire order.
  private func parts(
    of frame: FrameRef, _ condition: Record.Condition?, _ bytes: Span<UInt8>, hasLengths: Bool
  ) -> [RecordPart] {
    var parts: [RecordPart] = []
    var items: [UInt8] = []
    var rest: Int?
    if let condition { parts.append(RecordPart(name: "condition", value: .word(condition.rawValue))) }
    members.forEach(of: frame, in: bytes) { member in
      let leaf = member.leaf
      if rest != nil { return }
      if leaf.field != FieldRef.none, isIgnored[Int(leaf.field)] { return }
      if leaf.item != FieldRef.none, isIgnoredItem[Int(leaf.item)] { return }
      if hasLengths, let length = member.length(in: bytes) {
        let name = member.kind == .item ? "data_length" : catalog.lengthName(of: leaf)?.member ?? "length"
        parts.append(RecordPart(name: name, item: member.kind == .item ? member.id : nil, value: .number(length)))
      }
      switch member.kind {
      case .command, .length, .list: break
      case .item: items.append(member.id)
      case .value:
        let name = catalog.fields[Int(leaf.field)].name.member
        parts.append(RecordPart(name: name, value: .field(Int(leaf.field), leaf.range)))
      case .data:
        let name = members.field(of: member)?.name.member
        parts.append(RecordPart(name: name ?? "data", item: name == nil ? member.id : nil, value: .octets(leaf.range)))
      case .cut, .cutLength, .spare:
        if leaf.depth > 1 {
          parts.append(RecordPart(name: "rest", item: member.id, value: .octets(leaf.range)))
        } else {
          rest = leaf.start
        }
      }
    }
    if let rest, rest < frame.end { parts.append(RecordPart(name: "rest", value: .octets(rest..<frame.end))) }
    if !items.isEmpty { parts.append(RecordPart(name: "item", value: .items(items))) }
    return parts
  }

  /// A hash of the identifier or the token of a record; nil if it has none, or if the field is ignored.
  func key(_ role: Field.Role, of held: RecordLog.HeldRecord) -> Int? {
    guard let frame = held.record.frame else { return nil }
    return held.read { bytes in
      guard let leaf = catalog.leaf(role, of: frame, in: bytes), !isIgnored[Int(leaf.field)] else { return nil }
      // An identifier may have any size.
      if role == .identifier { return leaf.integer(in: bytes)?.hashValue }
      guard leaf.state != .cut, leaf.count > 0 else { return nil }
      var hasher = Hasher()
      hasher.combine(bytes.extracting(leaf.range))
      return hasher.finalize()
    }
  }

  /// A hash of all that is compared of some records.
  func hash(_ stream: RecordLog.Stream, _ range: Range<Int>) -> Int {
    var hasher = Hasher()
    for index in range {
      let record = stream.records[index]
      hasher.combine(record.kind)
      hasher.combine(record.distance)
      let bytes = stream.bytes.span.extracting(record.range)
      guard !ignoresNothing, record.frame != nil else {
        hasher.combine(bytes)
        continue
      }
      for part in parts(of: record, bytes, hasLengths: record.isDefective) {
        hasher.combine(part.key)
        switch part.value {
        case .field(_, let range), .octets(let range), .json(let range): hasher.combine(bytes.extracting(range))
        case .number(let number): hasher.combine(number)
        case .word(let word): hasher.combine(word)
        case .items(let items): hasher.combine(items)
        }
      }
    }
    return hasher.finalize()
  }

  /// The parts in which two records differ; all parts if one of the records is nil.
  func differences(_ a: RecordLog.HeldRecord?, _ b: RecordLog.HeldRecord?) -> [PartDifference] {
    read(a) { bytes in read(b) { differences(a?.record, bytes, b?.record, $0) } }
  }

  private func read<Result>(_ held: RecordLog.HeldRecord?, _ body: (Span<UInt8>) -> Result) -> Result {
    if let held { held.read(body) } else { body(Span()) }
  }

  private func differences(
    _ a: RecordLog.Entry?, _ bytes: Span<UInt8>, _ b: RecordLog.Entry?, _ otherBytes: Span<UInt8>
  ) -> [PartDifference] {
    let hasLengths = a?.isDefective ?? false || b?.isDefective ?? false
    let ones = a.map { parts(of: $0, bytes, hasLengths: hasLengths) } ?? []
    let others = b.map { parts(of: $0, otherBytes, hasLengths: hasLengths) } ?? []
    var found = differences(ones, bytes, others, otherBytes)
    guard let a, let b else { return found }
    if a.kind != b.kind {
      let types = [a, b].map { RecordPart.Value.word($0.content.typeName(catalog)) }
      found.insert(PartDifference(name: "type", a: types[0], b: types[1]), at: 0)
    }
    guard found.isEmpty else { return found }
    if bytes.isEqual(bytes.indices, to: otherBytes, otherBytes.indices) {
      let (at, otherAt) = (a.offset - a.distance, b.offset - b.distance)
      return [PartDifference(name: "at", a: .number(UInt64(clamping: at)), b: .number(UInt64(clamping: otherAt)))]
    }
    return [PartDifference(name: "hex", a: .octets(bytes.indices), b: .octets(otherBytes.indices))]
  }

  /// The parts that differ, in the order of the first list; then those that only the second has.
  private func differences(
    _ ones: [RecordPart], _ bytes: Span<UInt8>, _ others: [RecordPart], _ otherBytes: Span<UInt8>
  ) -> [PartDifference] {
    // Of several parts with one key, the first is compared with the first.
    var rest = Dictionary(grouping: others.indices.reversed()) { others[$0].key }
    var found: [PartDifference] = []
    for one in ones {
      let other = rest[one.key]?.popLast().map { others[$0].value }
      found += differences(one.name, one.item, one.value, bytes, other, otherBytes)
    }
    for index in rest.values.joined().sorted() {
      found += differences(others[index].name, others[index].item, nil, bytes, others[index].value, otherBytes)
    }
    return found
  }

  private func differences(
    _ name: String, _ item: UInt8?, _ one: RecordPart.Value?, _ bytes: Span<UInt8>, _ other: RecordPart.Value?,
    _ otherBytes: Span<UInt8>
  ) -> [PartDifference] {
    switch (one, other) {
    // Items that only one record has are parts themselves.
    case (.items, nil), (nil, .items): return []
    case (.items(let ids), .items(let others)) where ids == others || ids.sorted() != others.sorted(): return []
    case (.number(let number), .number(let other)) where number == other: return []
    case (.word(let word), .word(let other)) where word == other: return []
    case (let one?, let other?):
      guard let range = one.range, let otherRange = other.range else { break }
      if bytes.isEqual(range, to: otherBytes, otherRange) { return [] }
      guard case .field(let field, _) = one, case .field = other, catalog.fields[field].isJSON,
        let values = PayloadPaths.values(of: name, bytes, range),
        let others = PayloadPaths.values(of: name, otherBytes, otherRange)
      else { break }
      let found = differences(values, bytes, others, otherBytes)
      // They differ only between their values, or in their order.
      if !found.isEmpty { return found }
    default: break
    }
    return [PartDifference(name: name, item: item, a: one, b: other)]
  }
}

extension Hasher {
  fileprivate mutating func combine(_ bytes: Span<UInt8>) {
    combine(bytes.count)
    // The pointer lives as long as the call.
    unsafe bytes.withUnsafeBytes { unsafe combine(bytes: $0) }
  }
}

extension RecordPart {
  fileprivate struct Key: Hashable {
    let name: String
    let item: UInt8?
  }

  fileprivate var key: Key { Key(name: name, item: item) }
}

extension RecordPart.Value {
  /// Nil for values that have no bytes of their own.
  var range: Range<Int>? {
    switch self {
    case .field(_, let range), .octets(let range), .json(let range): range
    case .number, .word, .items: nil
    }
  }
}

extension Span<UInt8> {
  func isEqual(_ range: Range<Int>, to other: Span<UInt8>, _ otherRange: Range<Int>) -> Bool {
    range.count == otherRange.count && isEqual(range, to: other, from: otherRange.lowerBound)
  }
}
