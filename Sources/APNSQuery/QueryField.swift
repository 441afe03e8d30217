import APNSDiagnosis
import APNSPayload
import APNSWire

/// A field of records. Its name is resolved once; for each record, a closure reads the values.
public struct QueryField: Sendable {
  /// The name as users type it: `token_length`, or with a path into JSON, `payload.aps.badge`.
  public let name: String
  /// The type of its values, which decides how a filter compares them.
  package let kind: Kind
  /// A description of the field, with the words or codes that it may have.
  package let title: String
  /// Calls `visit` with each value in wire order until it returns false. A field that is cut or does not have its
  /// documented size has no value.
  package let walk: Walk

  /// Calls a closure with each value in a record until it returns false.
  package typealias Walk = @Sendable (Record, Span<UInt8>, _ visit: (FieldValue) -> Bool) -> Void

  /// The type of a field's values.
  package enum Kind: Sendable {
    /// An unsigned number of this many bytes. `codes` are the numbers of words in all frame types with the field.
    case number(bytes: Int, Field.Meaning = .number, codes: [(key: UInt64, value: String)] = [])
    /// One of a closed set of words, perhaps in ascending order.
    case word([String], isOrdered: Bool = false)
    /// UTF-8 text.
    case text
    /// Bytes, written as hexadecimal digits.
    case octets
    /// JSON text, which a path such as `payload.aps.badge` leads into.
    case json
    /// A value inside JSON.
    case jsonValue
    /// An address and a port.
    case endpoint
    /// The time at which a packet was captured, UTC.
    case time
  }

  init(_ name: String, _ kind: Kind, _ title: String, walk: @escaping Walk) {
    (self.name, self.kind, self.title, self.walk) = (name, kind, title, walk)
  }

  /// The values that `path` leads to in this field, which must be JSON. `name` includes the path.
  func values(at path: JSONPath, name: String) -> QueryField {
    QueryField(name, .jsonValue, title) { [walk] record, bytes, visit in
      walk(record, bytes) { value in
        guard case .octets(let range) = value else { return true }
        return path.walk(bytes, range) { visit(.json($0, $1)) }
      }
    }
  }
}

// MARK: - Fields of frames
extension QueryField {
  /// The fields that a part of a frame gives names to. A code may have two: its number and its word.
  ///
  /// - Parameter parts: The parts of each frame type. Those with the same name belong to the field as well.
  static func fields(
    of part: FrameSchema.NamedPart, among parts: [[FrameSchema.NamedPart]], in catalog: Catalog
  ) -> [QueryField] {
    let member = part.name.member
    // Leaves are selected by index, not by name.
    let values = catalog.fields.map { $0.name.member == member && !$0.isList }
    let lengths = catalog.fields.indices.map { catalog.lengthNames[UInt16($0)]?.member == member }
    // `token_length` is also the length of an item that contains a token.
    let counted = Set(zip(catalog.fields, lengths).filter(\.1).map(\.0.name.member))
    let isAnyItem = member == FrameSchema.Name.itemLength.member
    let items = catalog.items.map { isAnyItem || counted.contains($0.field.name.member) }
    let schemas = parts.map {
      $0.contains { $0.name.member == member || $0.item != nil && counted.contains($0.name.member) }
    }
    func field(
      _ kind: Kind, suffix: String = "", _ details: String = "",
      value: @escaping @Sendable (FieldRef, Span<UInt8>) -> FieldValue?
    ) -> QueryField {
      QueryField(member + suffix, kind, part.name.title + details) { record, bytes, visit in
        guard case .frame(let frame, _) = record.content, let type = catalog.index(of: frame), schemas[type]
        else { return }
        catalog.walkFields(of: frame, in: bytes) { leaf in
          let isNamed =
            switch leaf.kind {
            case .value: leaf.state == .whole && leaf.field != FieldRef.none && values[Int(leaf.field)]
            case .length: leaf.state == .whole && leaf.field != FieldRef.none && lengths[Int(leaf.field)]
            case .itemLength: leaf.item == FieldRef.none ? isAnyItem : items[Int(leaf.item)]
            case .command, .itemID, .gap: false
            }
          guard isNamed, let value = value(leaf, bytes) else { return true }
          return visit(value)
        }
      }
    }
    let namesakes = parts.joined().filter { $0.name.member == member }
    let codes = namesakes.flatMap { ($0.field?.words ?? [:]).sorted { $0.key < $1.key } }
    func number(_ meaning: Field.Meaning, _ details: String = "") -> QueryField {
      // Frame types may have numbers of different sizes.
      let bytes = namesakes.map(\.numberSize).max() ?? 0
      // `leaf.integer` would be nil if the item is cut, but its length field may be complete.
      return field(.number(bytes: bytes, meaning, codes: codes), details) { leaf, bytes in
        leaf.count > 8 ? nil : .number(bytes.bigEndian(leaf.start, width: leaf.count))
      }
    }
    switch part.field?.content {
    case nil: return [number(.number)]
    case .items: return []
    case .octets: return [field(.octets) { leaf, _ in .octets(leaf.range) }]
    case .text: return [field(.text) { leaf, _ in .octets(leaf.range) }]
    case .json:
      let details = "; \(member).KEY, \(member).KEY.0 and so on select a value in it"
      return [field(.json, details) { leaf, _ in .octets(leaf.range) }]
    case .integer(_, let meaning):
      guard case .code(let own, let isNamed) = meaning else { return [number(meaning)] }
      let list = own.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
      let words = codes.map(\.value).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
      let word = field(.word(words), suffix: "_name", " in words") { leaf, bytes in
        leaf.integer(in: bytes).flatMap { catalog.field(of: leaf)?.words[$0] }.map { .text($0) }
      }
      return [number(meaning, ": " + list)] + (isNamed ? [word] : [])
    }
  }
}

extension Field {
  /// The words of a code; empty for other fields.
  fileprivate var words: [UInt64: String] {
    if case .integer(_, .code(let words, _)) = content { words } else { [:] }
  }
}
