import APNSWire

/// The text around the values of records, made once for a catalog and then copied into each line.
struct RecordText: Sendable {
  /// All pieces of text; the other properties are ranges in it.
  private(set) var text: [UInt8] = []
  /// By schema index: `{"schema":1,"type":"notification","command":2,"offset":`.
  private(set) var heads: [Range<Int>] = []
  /// By ``FieldRef/field``.
  private(set) var fields: [Member] = []
  /// By ``FieldRef/item``.
  private(set) var items: [ItemHead] = []

  /// The member of a field.
  struct Member: Sendable {
    let kind: Kind
    /// `,"priority":`, with the opening quote or bracket if the value is always a string of digits or a list.
    var key: Range<Int>
    /// For text that is not UTF-8, `,"payload_hex":"`; for a number with a name, `,"status_name":`.
    var otherKey = 0..<0
  }

  enum Kind: Sendable {
    case number
    /// A number whose name is written after it.
    case named
    case octets
    case text
    case list
  }

  /// The beginning of an item.
  struct ItemHead: Sendable {
    /// `{"id":1,"name":"device-token"`
    let head: Range<Int>
    /// For a nested list, `,"inner":[`; else empty.
    let list: Range<Int>
  }

  init(_ catalog: Catalog) {
    for schema in catalog.schemas { heads.append(add(Self.head(of: schema))) }
    for field in catalog.fields { fields.append(add(field)) }
    for item in catalog.items {
      items.append(ItemHead(head: add(item), list: item.field.isList ? add(item.field).key : 0..<0))
    }
  }

  /// The text up to the value of the member `type`.
  static let opening = "{\"schema\":\(NDJSONView.schema),\"type\":\""

  private static func head(of schema: FrameSchema) -> String {
    let command = schema.command.map { ",\"command\":\($0.rawValue)" } ?? ""
    return "\(opening)\(schema.name)\"\(command),\"offset\":"
  }

  mutating func add(_ item: Item) -> Range<Int> { add("{\"id\":\(item.id.rawValue),\"name\":\"\(item.name)\"") }

  mutating func add(_ field: Field) -> Member {
    let name = ",\"" + field.name.member
    switch field.content {
    case .integer(_, .code(_, named: true)):
      return Member(kind: .named, key: add(name + "\":"), otherKey: add(name + "_name\":"))
    case .integer: return Member(kind: .number, key: add(name + "\":"))
    case .octets: return Member(kind: .octets, key: add(name + "\":\""))
    case .text, .json: return Member(kind: .text, key: add(name + "\":"), otherKey: add(name + "_hex\":\""))
    case .items: return Member(kind: .list, key: add(name + "\":["))
    }
  }

  private mutating func add(_ piece: String) -> Range<Int> {
    let start = text.count
    text += piece.utf8
    return start..<text.count
  }
}
