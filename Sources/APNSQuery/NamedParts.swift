import APNSWire

extension FrameSchema {
  /// Everything that has a name in frames of this type, in wire order: each length, then the value behind it. Lists
  /// are left out; their items' values stand in their place.
  public var namedParts: [NamedPart] {
    paths.flatMap { path -> [NamedPart] in
      guard let field = path.field else { return [] }
      let length = path.lengthName.map { NamedPart(name: $0, content: .length(bytes: path.lengthWidth), item: nil) }
      let value =
        path.isList
        ? NamedPart(name: .itemLength, content: .length(bytes: Item.headerSize - 1), item: path.items)
        : NamedPart(name: field.name, content: .value(field), item: path.isItem ? path.items : nil)
      return [length, value].compactMap { $0 }
    }
  }

  /// One of them.
  public struct NamedPart: Sendable {
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

  /// The values of that member name: in the frame itself, or else the first in each of its lists.
  func paths(named member: String) -> [FieldPath] {
    let named = paths.filter { $0.field?.name.member == member && !$0.isList && $0.items.count <= 1 }
    if let own = named.first(where: { !$0.isItem }) { return [own] }
    return lists.compactMap { list in named.first { $0.list?.lengthName == list.lengthName } }
  }

  /// Every name that an assignment may begin with.
  public var assignableNames: [String] {
    settable.map(\.name.member) + (command == nil ? [] : [RecordMember.command.rawValue])
      + [RecordMember.rest.rawValue]
  }

  /// Lengths before items are set with the items, and lists in lists as a whole.
  private var settable: [NamedPart] {
    namedParts.filter { $0.field == nil ? $0.item == nil : ($0.item ?? []).count <= 1 }
  }

  /// Whether an assignment to `member` is for frames of this type.
  public func has(_ member: String) -> Bool {
    assignableNames.contains(member) || (hasList && FieldText.number(member) != nil)
      || (member.hasSuffix("_hex") && !paths(named: String(member.dropLast(4))).isEmpty)
  }

  /// Bytes of the length of that name in the frame itself.
  func lengthWidth(named member: String) -> Int? {
    paths.first { $0.lengthName?.member == member }?.lengthWidth
  }
}

extension FrameSchema.Name {
  /// The length before an item's data.
  static let itemLength = FrameSchema.Name("data_length", "length of an item's data")
}
