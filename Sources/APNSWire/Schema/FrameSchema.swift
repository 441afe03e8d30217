/// A frame type as data: what the guide's table says, in the guide's order.
///
/// Framing, the field walk, every view, NDJSON, the encoder and the structural checks all read this value, so a
/// frame type is one file that makes one and one line in ``Catalog/standard``.
public struct FrameSchema: Sendable {
  /// Stable name in records: `enhanced-notification`.
  public let name: String
  /// The guide's words.
  public let title: String
  /// Who sends it.
  public let role: StreamRole
  /// The first byte; nil where the format has none, as in the feedback service.
  public let command: Command?
  /// All bytes of the frame, first to last.
  public private(set) var parts: [Part]
  /// Where it is documented.
  public let reference: String
  /// The first edition that has it.
  public let since: Edition

  public init(
    _ name: String, title: String, role: StreamRole, command: Command?, parts: [Part], reference: String,
    since: Edition = .year2009
  ) {
    self.name = name
    self.title = title
    self.role = role
    self.command = command
    self.parts = command == nil ? parts : [.command] + parts
    self.reference = reference
    self.since = since
  }

  /// One row of the table.
  public enum Part: Sendable {
    /// The command byte.
    case command
    /// A field whose content says its own size.
    case fixed(Field)
    /// A field behind its length in bytes, a big-endian number of `width` bytes.
    case counted(Field, width: Int, length: Name)
  }

  /// A member name in records beside the words for people.
  public struct Name: Sendable, Hashable {
    public let member: String
    public let title: String

    public init(_ member: String, _ title: String) {
      self.member = member
      self.title = title
    }
  }
}

extension FrameSchema.Part {
  /// The field it is; nil for the command byte.
  public var field: Field? {
    switch self {
    case .command: nil
    case .fixed(let field), .counted(let field, _, _): field
    }
  }

  /// Whether it is a list of items.
  public var isList: Bool { field?.isList ?? false }

  /// What its first bytes are called.
  var leadName: FrameSchema.Name? {
    if case .counted(_, _, let length) = self { length } else { field?.name }
  }

  /// A field of any size behind its own length; the length is called `length`, by default `<field>_length`.
  public static func counted(_ field: Field, by count: Count, length: FrameSchema.Name? = nil) -> Self {
    let own = FrameSchema.Name(field.name.member + "_length", field.name.member + " length")
    return .counted(field, width: count.rawValue, length: length ?? own)
  }

  /// Width of a length, in bytes.
  public enum Count: Int, Sendable {
    case uint8 = 1
    case uint16 = 2
    case uint32 = 4
  }
}

extension FrameSchema {
  /// Whether it holds a list of items.
  public var hasList: Bool { parts.contains { $0.isList } }

  /// Whether it has a length; if not, all its frames have the same size.
  package var hasLengths: Bool {
    parts.contains { if case .counted = $0 { true } else { false } }
  }

  /// The items of its lists, without those of lists within items.
  public var items: [Item] {
    parts.flatMap { $0.field?.rows ?? [] }
  }

  /// The same frame type with one more item in its (first) list of items.
  public func adding(_ item: Item) -> FrameSchema {
    var schema = self
    for (index, part) in parts.enumerated() {
      guard case .counted(let field, let width, let length) = part, case .items(let items) = field.content
      else { continue }
      let wider = Field(
        field.name.member, field.name.title, .items(items + [item]), plausible: field.plausible, usual: field.usual)
      schema.parts[index] = .counted(wider, width: width, length: length)
      return schema
    }
    preconditionFailure("\(name) has no list of items")
  }
}
