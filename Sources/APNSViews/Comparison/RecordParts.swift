import APNSDiagnosis
import APNSPayload
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
  private let catalog: Catalog
  /// By index in ``Catalog/fields``: whether differences in the field are ignored.
  private let isIgnored: [Bool]
  /// By index in ``Catalog/items``: whether its field is ignored.
  private let isIgnoredItem: [Bool]
  /// Whether records must be equal in all bytes.
  let ignoresNothing: Bool

  init(_ catalog: Catalog, ignoring names: [String]) {
    self.catalog = catalog
    isIgnored = catalog.fields.map { names.contains($0.name.member) }
    isIgnoredItem = catalog.items.map { names.contains($0.field.name.member) }
    ignoresNothing = !isIgnored.contains(true)
  }

  /// The field with this role that is not ignored.
  func leaf(_ role: Field.Role, of frame: FrameRef, in bytes: Span<UInt8>) -> FieldRef? {
    guard let leaf = catalog.leaf(role, of: frame, in: bytes), !isIgnored[Int(leaf.field)] else { return nil }
    return leaf
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
    var id: UInt8 = 0
    var rest: Int?
    if let condition { parts.append(RecordPart(name: "condition", value: .word(condition.rawValue))) }
    catalog.walkFields(of: frame, in: bytes) { leaf in
      if leaf.field != FieldRef.none, isIgnored[Int(leaf.field)] { return true }
      if leaf.item != FieldRef.none, isIgnoredItem[Int(leaf.item)] { return true }
      switch (leaf.kind, leaf.state) {
      case (.command, _): break
      case (.itemID, _):
        id = bytes[leaf.start]
        items.append(id)
      case (.length, .whole):
        guard hasLengths, let name = catalog.lengthName(of: leaf)?.member else { break }
        parts.append(RecordPart(name: name, value: .number(bytes.extracting(leaf.range).number)))
      case (.itemLength, _):
        guard hasLengths else { break }
        let length = bytes.extracting(leaf.range).number
        parts.append(RecordPart(name: "data_length", item: id, value: .number(length)))
      case (.value, .whole) where leaf.field != FieldRef.none:
        let field = catalog.fields[Int(leaf.field)]
        guard !field.isList else { break }
        parts.append(RecordPart(name: field.name.member, value: .field(Int(leaf.field), leaf.range)))
      case (.value, .wrongSize):
        parts.append(RecordPart(name: catalog.field(of: leaf)?.name.member ?? "data", value: .octets(leaf.range)))
      case (.value, .unknown):
        parts.append(RecordPart(name: "data", item: id, value: .octets(leaf.range)))
      case (.length, _), (.value, _), (.gap, _):
        if leaf.depth > 1 {
          parts.append(RecordPart(name: "rest", item: id, value: .octets(leaf.range)))
        } else {
          rest = leaf.start
        }
      }
      return rest == nil
    }
    if let rest, rest < frame.end { parts.append(RecordPart(name: "rest", value: .octets(rest..<frame.end))) }
    if !items.isEmpty { parts.append(RecordPart(name: "item", value: .items(items))) }
    return parts
  }

  /// Appends bytes that are equal for records that do not differ, and different for all others.
  func appendContent(of record: RecordLog.Entry, _ bytes: Span<UInt8>, to content: inout Output) {
    content.bigEndian(UInt64(record.kind), width: 2)
    content.bigEndian(UInt64(truncatingIfNeeded: record.distance), width: 8)
    guard !ignoresNothing, record.frame != nil else { return content.write(bytes) }
    for part in parts(of: record, bytes, hasLengths: record.isDefective) {
      content.write(part.name)
      content.bigEndian(UInt64(part.item ?? 0), width: 2)
      switch part.value {
      case .field(_, let range), .octets(let range), .json(let range):
        content.bigEndian(UInt64(range.count), width: 8)
        content.write(bytes.extracting(range))
      case .number(let number): content.bigEndian(number, width: 8)
      case .word(let word): content.write(word + "\0")
      case .items(let items):
        content.bigEndian(UInt64(items.count), width: 8)
        content.write(items)
      }
    }
  }

  /// The parts in which two records differ; all parts if one of the records is nil.
  func differences(_ a: Comparison.HeldRecord?, _ b: Comparison.HeldRecord?) -> [PartDifference] {
    switch (a, b) {
    case (let a?, let b?):
      return a.read { bytes in b.read { differences(a.record, bytes, b.record, $0) } }
    case (let a?, nil):
      return a.read { parts(of: a.record, $0, hasLengths: a.record.isDefective) }.filter { !$0.value.isItems }.map {
        PartDifference(name: $0.name, item: $0.item, a: $0.value, b: nil)
      }
    case (nil, let b?):
      return b.read { parts(of: b.record, $0, hasLengths: b.record.isDefective) }.filter { !$0.value.isItems }.map {
        PartDifference(name: $0.name, item: $0.item, a: nil, b: $0.value)
      }
    case (nil, nil): return []
    }
  }

  /// The parts in which two records differ, in the order of `a`; then those that only `b` has.
  private func differences(
    _ a: RecordLog.Entry, _ aBytes: Span<UInt8>, _ b: RecordLog.Entry, _ bBytes: Span<UInt8>
  ) -> [PartDifference] {
    var found: [PartDifference] = []
    if a.kind != b.kind {
      found.append(PartDifference(name: "type", a: .word(catalog.type(of: a)), b: .word(catalog.type(of: b))))
    }
    let hasLengths = a.isDefective || b.isDefective
    let ones = parts(of: a, aBytes, hasLengths: hasLengths)
    let others = parts(of: b, bBytes, hasLengths: hasLengths)
    var rest = RemainingParts(others)
    for one in ones {
      guard let other = rest.take(one.key).map({ others[$0].value }) else {
        // Items that only one record has are parts themselves.
        if !one.value.isItems { found.append(PartDifference(name: one.name, item: one.item, a: one.value, b: nil)) }
        continue
      }
      switch (one.value, other) {
      case (.items(let ids), .items(let otherIDs)) where ids == otherIDs || ids.sorted() != otherIDs.sorted(): continue
      case (.field(let field, let range), .field(_, let otherRange)) where catalog.fields[field].isJSON:
        if aBytes.isEqual(range, to: bBytes, otherRange) { continue }
        found += PayloadPaths.differences(of: one.name, field, aBytes, range, bBytes, otherRange)
      default:
        if one.value.isEqual(to: other, aBytes, bBytes) { continue }
        found.append(PartDifference(name: one.name, item: one.item, a: one.value, b: other))
      }
    }
    for index in rest.indices where !others[index].value.isItems {
      found.append(PartDifference(name: others[index].name, item: others[index].item, a: nil, b: others[index].value))
    }
    guard found.isEmpty else { return found }
    if aBytes.isEqual(aBytes.indices, to: bBytes, bBytes.indices) {
      let (at, otherAt) = (a.offset - a.distance, b.offset - b.distance)
      return [PartDifference(name: "at", a: .number(UInt64(clamping: at)), b: .number(UInt64(clamping: otherAt)))]
    }
    return [PartDifference(name: "hex", a: .octets(aBytes.indices), b: .octets(bBytes.indices))]
  }
}

extension RecordPart {
  struct Key: Hashable {
    let name: String
    let item: UInt8?
  }

  var key: Key { Key(name: name, item: item) }
}

extension RecordPart.Value {
  fileprivate var isItems: Bool { if case .items = self { true } else { false } }

  fileprivate func isEqual(to other: Self, _ bytes: Span<UInt8>, _ otherBytes: Span<UInt8>) -> Bool {
    switch (self, other) {
    case (.field(_, let range), .field(_, let otherRange)), (.octets(let range), .octets(let otherRange)),
      (.json(let range), .json(let otherRange)):
      bytes.isEqual(range, to: otherBytes, otherRange)
    case (.number(let number), .number(let otherNumber)): number == otherNumber
    case (.word(let word), .word(let otherWord)): word == otherWord
    case (.items(let items), .items(let otherItems)): items == otherItems
    default: false
    }
  }
}

/// Parts that have no counterpart yet. Of several with one key, the first is taken first.
private struct RemainingParts {
  private let parts: [RecordPart]
  private var isTaken: [Bool]
  private var next = 0
  /// The indices of each key in falling order; nil until the order of the parts differs.
  private var table: [RecordPart.Key: [Int]]?

  init(_ parts: [RecordPart]) {
    self.parts = parts
    isTaken = [Bool](repeating: false, count: parts.count)
  }

  var indices: [Int] { parts.indices.filter { !isTaken[$0] } }

  mutating func take(_ key: RecordPart.Key) -> Int? {
    while next < parts.count, isTaken[next] { next += 1 }
    var found = next < parts.count && parts[next].key == key ? next : nil
    if found == nil {
      if table == nil {
        table = Dictionary(grouping: parts.indices.reversed()) { parts[$0].key }
      }
      while let last = table?[key]?.popLast() {
        if !isTaken[last] {
          found = last
          break
        }
      }
    }
    if let found { isTaken[found] = true }
    return found
  }
}

extension Catalog {
  /// The type of a record, as in NDJSON.
  func type(of record: RecordLog.Entry) -> String {
    switch record.content {
    case .frame(let frame, _): schema(of: frame)?.name ?? "frame"
    case .unparsed: "unparsed"
    case .gap: "gap"
    case .overlap: "overlap"
    }
  }
}

extension Span<UInt8> {
  func isEqual(_ range: Range<Int>, to other: Span<UInt8>, _ otherRange: Range<Int>) -> Bool {
    range.count == otherRange.count && isEqual(range, to: other, from: otherRange.lowerBound)
  }
}
