import APNSWire

extension FrameSchema {
  /// All named parts of frames of this type, in wire order: each length, then its value. A list is represented by the
  /// parts of its items.
  package var namedParts: [NamedPart] {
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

  /// A named field or length.
  package struct NamedPart: Sendable {
    package let name: Name
    package let content: Content
    /// Ids of the enclosing items, outermost first; nil for a part of the frame itself.
    package let item: [ItemID]?

    package enum Content: Sendable {
      case value(Field)
      /// A length field with this many bytes.
      case length(bytes: Int)
    }

    /// The value's field; nil for a length.
    package var field: Field? { if case .value(let field) = content { field } else { nil } }
  }

  /// The paths of the fields with this member name: in the frame itself, otherwise the first one in each of its lists.
  func paths(named member: String) -> [FieldPath] {
    let named = paths.filter { $0.field?.name.member == member && !$0.isList && $0.items.count <= 1 }
    if let field = named.first(where: { !$0.isItem }) { return [field] }
    return lists.compactMap { list in named.first { $0.list?.lengthName == list.lengthName } }
  }

  /// All names that an assignment may begin with.
  package var assignableNames: [String] {
    settable.map(\.name.member) + (command == nil ? [] : [RecordMember.command.rawValue])
      + [RecordMember.rest.rawValue]
  }

  /// The parts that can be set separately. Data lengths are set through the item, and nested lists only as a whole.
  private var settable: [NamedPart] {
    namedParts.filter { $0.field == nil ? $0.item == nil : ($0.item ?? []).count <= 1 }
  }

  /// Whether `member` can be assigned in frames of this type.
  package func has(_ member: String) -> Bool {
    assignableNames.contains(member) || (hasList && FieldText.number(member) != nil)
      || (member.hasSuffix("_hex") && !paths(named: String(member.dropLast(4))).isEmpty)
  }

  /// The size in bytes of the frame's own length field with this name.
  func lengthWidth(named member: String) -> Int? {
    paths.first { $0.lengthName?.member == member }?.lengthWidth
  }
}

extension FrameSchema.Name {
  /// The length field of an item.
  static let itemLength = FrameSchema.Name("data_length", "length of an item's data")
}
