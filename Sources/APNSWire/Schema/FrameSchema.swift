/// A frame type as data: the table in Apple's guide, row by row.
///
/// Framing, the field walk, every view, NDJSON, the encoder and the structural checks all read this value. To add a
/// frame type, write one file that creates a schema and add one line to ``Catalog/standard``.
public struct FrameSchema: Sendable {
  /// The stable name in records, such as `enhanced-notification`.
  public let name: String
  /// The name for people, from the guide.
  package let title: String
  /// The sender.
  public let role: StreamRole
  /// The name of the role, such as `gateway`.
  package let roleName: String
  /// The first byte; nil if the format has none, as in the feedback service.
  public let command: Command?
  /// All parts of the frame in wire order.
  package private(set) var parts: [Part]
  /// The section of the guide that documents it.
  package let reference: String
  /// The first edition that defines it.
  public let since: Edition

  /// Creates a frame type. `parts` does not include the command byte. A role without a name is called as it describes
  /// itself.
  public init(
    _ name: String, title: String, role: StreamRole, roleName: String? = nil, command: Command?, parts: [Part],
    reference: String, since: Edition = .year2009
  ) {
    self.name = name
    self.title = title
    self.role = role
    self.roleName = roleName ?? role.description
    self.command = command
    self.parts = command == nil ? parts : [.command] + parts
    self.reference = reference
    self.since = since
  }

  /// One row of the table.
  public enum Part: Sendable {
    /// The command byte.
    case command
    /// A field whose content fixes its size.
    case fixed(Field)
    /// A field after its length in bytes, which is a big-endian number of `width` bytes.
    case counted(Field, width: Int, length: Name)
  }

  /// A name in records and a title for people.
  public struct Name: Sendable, Hashable {
    /// The member name in records, such as `frame_length`.
    public let member: String
    /// The title for people, such as `frame length`.
    package let title: String

    /// Creates a name from a member name and a title.
    package init(_ member: String, _ title: String) {
      self.member = member
      self.title = title
    }
  }
}

extension FrameSchema.Part {
  /// The field; nil for the command byte.
  public var field: Field? {
    switch self {
    case .command: nil
    case .fixed(let field), .counted(let field, _, _): field
    }
  }

  /// Whether the part is a list of items.
  package var isList: Bool { field?.isList ?? false }

  /// The name of the length before the field; nil if it has none.
  package var lengthName: FrameSchema.Name? { if case .counted(_, _, let length) = self { length } else { nil } }

  /// The size in bytes of the length before the field; 0 if it has none.
  package var lengthWidth: Int { if case .counted(_, let width, _) = self { width } else { 0 } }

  fileprivate var layout: String {
    switch self {
    case .command: "command (1 byte)"
    case .fixed(let field): "\(field.name.title) (\(field.sizeInWords))"
    case .counted(let field, let width, let length): "\(length.title) (\(width) bytes), \(field.name.title)"
    }
  }

  /// A field of any size after its own length. The length is called `length`, by default `<field>_length`.
  public static func counted(_ field: Field, by count: Count, length: FrameSchema.Name? = nil) -> Self {
    let own = FrameSchema.Name(field.name.member + "_length", field.name.member + " length")
    return .counted(field, width: count.rawValue, length: length ?? own)
  }

  /// The width of a length in bytes.
  public enum Count: Int, Sendable {
    /// One byte.
    case uint8 = 1
    /// Two bytes, big-endian.
    case uint16 = 2
    /// Four bytes, big-endian.
    case uint32 = 4
  }
}

extension FrameSchema {
  /// The parts in order with their sizes in bytes: `command (1 byte), token length (2 bytes), device token, ...`.
  package var layout: String { parts.map(\.layout).joined(separator: ", ") }

  /// Whether the frame has a list of items.
  package var hasList: Bool { parts.contains { $0.isList } }

  /// The items of the frame's lists, without those of nested lists.
  package var items: [Item] {
    parts.flatMap { $0.field?.rows ?? [] }
  }

  /// Returns a copy with the item in its first list. It takes the place of the item with its name, if there is one.
  ///
  /// - Precondition: the frame type has a list of items.
  public func adding(_ item: Item) -> FrameSchema {
    guard let index = parts.firstIndex(where: \.isList), case .counted(let field, let width, let length) = parts[index]
    else { preconditionFailure("\(name) has no list of items") }
    var (schema, list) = (self, field.rows)
    let place = list.firstIndex { $0.name == item.name } ?? list.endIndex
    list.replaceSubrange(place..<min(place + 1, list.endIndex), with: [item])
    let wider = Field(field.name.member, field.name.title, .items(list), plausible: field.plausible, usual: field.usual)
    schema.parts[index] = .counted(wider, width: width, length: length)
    return schema
  }
}
