import APNSWire

extension FrameSchema {
  /// Everything that has a name in frames of this type, in wire order: each length, then the value behind it. Lists
  /// are left out; their items' values stand in their place.
  public var places: [Place] {
    parts.flatMap { part -> [Place] in
      switch part {
      case .command: []
      case .fixed(let field): [Place(name: field.name, content: .value(field), item: nil)]
      case .counted(let field, let width, let length):
        [Place(name: length, content: .length(bytes: width), item: nil)] + Self.values(of: field, in: nil)
      }
    }
  }

  /// One of them.
  public struct Place: Sendable {
    public let name: Name
    public let content: Content
    /// Ids of the items around it, outermost first; nil in the frame itself.
    public let item: [ItemID]?

    public enum Content: Sendable {
      case value(Field)
      /// A length of so many bytes.
      case length(bytes: Int)
    }

    /// The value's field; nil for a length.
    public var field: Field? { if case .value(let field) = content { field } else { nil } }
  }

  private static func values(of field: Field, in item: [ItemID]?) -> [Place] {
    guard case .items(let rows) = field.content else {
      return [Place(name: field.name, content: .value(field), item: item)]
    }
    let length = Place(name: .itemLength, content: .length(bytes: 2), item: item ?? [])
    return [length] + rows.flatMap { values(of: $0.field, in: (item ?? []) + [$0.id]) }
  }

  /// The field of that member name, in the frame itself or else in its items.
  public func field(named member: String) -> Field? {
    let fields = settable.filter { $0.name.member == member && $0.field != nil }
    return (fields.first { $0.item == nil } ?? fields.first)?.field
  }

  /// Every name that an assignment may begin with.
  public var assignableNames: [String] {
    settable.map(\.name.member) + (command == nil ? [] : [RecordMember.command.rawValue])
      + [RecordMember.rest.rawValue]
  }

  /// Lengths before items are set with the items, and lists in lists as a whole.
  private var settable: [Place] {
    places.filter { $0.field == nil ? $0.item == nil : ($0.item ?? []).count <= 1 }
  }

  /// Whether an assignment to `member` is for frames of this type.
  public func has(_ member: String) -> Bool {
    assignableNames.contains(member) || (hasList && FieldText.number(member) != nil)
      || (member.hasSuffix("_hex") && field(named: String(member.dropLast(4))) != nil)
  }

  /// Bytes of the length of that name in the frame itself.
  func lengthWidth(named member: String) -> Int? {
    for place in places where place.item == nil && place.name.member == member {
      if case .length(let width) = place.content { return width }
    }
    return nil
  }
}

extension FrameSchema.Name {
  /// The length before an item's data.
  static let itemLength = FrameSchema.Name("data_length", "length of an item's data")
}
