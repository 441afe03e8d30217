import APNSWire

/// All field names with their types and descriptions, grouped as `explain --fields` prints them.
public struct FieldTable: Sendable {
  /// First the members of every record, then a group for each frame type.
  public let groups: [Group]

  /// Fields that belong to the same records.
  public struct Group: Sendable {
    /// `every record`, or the name of a frame type.
    public let title: String
    /// The fields in wire order.
    public let rows: [Row]
  }

  /// One field, in words.
  public struct Row: Sendable {
    /// The name as users type it.
    public let name: String
    /// The type of its values.
    public let valueType: String
    /// The item that contains it; empty for record members and for fields of the frame itself.
    public let location: String
    /// A description of the field.
    public let title: String
  }

  /// Describes all names of a registry.
  public init(_ names: FieldNames) {
    let members = names.all.compactMap { field -> Row? in
      guard case .record = field.source else { return nil }
      return Row(name: field.name, valueType: field.kind.words, location: "", title: field.meaning)
    }
    groups =
      [Group(title: "every record", rows: members)]
      + names.catalog.schemas.map { Group(title: $0.name, rows: Self.rows(of: $0, names)) }
  }

  private static func rows(of schema: FrameSchema, _ names: FieldNames) -> [Row] {
    var rows: [Row] = []
    let parts = schema.namedParts
    for part in parts {
      let named = FieldName.names(of: part, among: [parts], in: names.catalog)
      for field in named where !rows.contains(where: { $0.name == field.name && $0.location == part.words }) {
        rows.append(Row(name: field.name, valueType: field.kind.words, location: part.words, title: field.meaning))
      }
    }
    return rows
  }
}

extension FieldName {
  /// The title, and the valid words.
  fileprivate var meaning: String {
    switch kind {
    // The words of a code are listed with its numbers. Rules are too many; they have a separate list.
    case .word(let words, _) where isMember && words.count <= 16:
      "\(title): \(Self.list(words.sorted { $0.key < $1.key }.map(\.value)))"
    case .number(_, .code(let words, _)):
      "\(title): \(Self.list(words.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }))"
    case .json: "\(title); \(name).KEY, \(name).KEY.0 and so on select a value in it"
    default: title
    }
  }

  private var isMember: Bool { if case .record = source { true } else { false } }

  private static func list(_ words: [String]) -> String { words.joined(separator: ", ") }
}

extension FieldName.Kind {
  fileprivate var words: String {
    switch self {
    case .number(_, .unixSeconds): "time"
    case .number(_, .code): "number or name"
    case .number: "number"
    case .word: "word"
    case .text: "text"
    case .octets: "hex"
    case .json: "JSON"
    case .endpoint: "address"
    case .time: "time"
    }
  }
}

extension FrameSchema.NamedPart {
  fileprivate var words: String {
    guard let item else { return "" }
    return item.isEmpty ? "each item" : "item " + item.map { String($0.rawValue) }.joined(separator: ".")
  }
}
