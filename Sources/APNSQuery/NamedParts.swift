import APNSWire

extension FrameSchema {
  /// All named parts of frames of this type, in wire order: each length, then its value. A list is represented by the
  /// parts of its items.
  package var namedParts: [NamedPart] {
    paths.flatMap { path -> [NamedPart] in
      guard let field = path.field else { return [] }
      let length = path.lengthName.map { [NamedPart(name: $0, field: nil, numberSize: path.lengthWidth, item: nil)] }
      let value =
        path.isList
        ? NamedPart(name: .itemLength, field: nil, numberSize: Item.headerSize - 1, item: path.items)
        : NamedPart(name: field.name, field: field, numberSize: field.size ?? 0, item: path.isItem ? path.items : nil)
      return (length ?? []) + [value]
    }
  }

  /// A named field or length.
  package struct NamedPart: Sendable {
    package let name: Name
    /// The field; nil for a length.
    package let field: Field?
    /// The size of the number in bytes; 0 for a value that is no number.
    let numberSize: Int
    /// Ids of the enclosing items, outermost first; nil for a part of the frame itself.
    package let item: [ItemID]?

    /// Where the part is, in words.
    var location: String {
      guard let item else { return "" }
      return item.isEmpty ? "each item" : "item " + item.map { String($0.rawValue) }.joined(separator: ".")
    }
  }

  /// The paths of the fields with this member name: in the frame itself, otherwise the first one in each of its lists.
  func paths(named member: String) -> [FieldPath] {
    let named = paths.filter { $0.field?.name.member == member && !$0.isList && $0.items.count <= 1 }
    if let field = named.first(where: { !$0.isItem }) { return [field] }
    return lists.compactMap { list in named.first { $0.list?.lengthName == list.lengthName } }
  }

  /// All names that an assignment may begin with. Data lengths are set through the item, and nested lists only as a
  /// whole.
  package var assignableNames: [String] {
    let parts = namedParts.filter { $0.field == nil ? $0.item == nil : ($0.item ?? []).count <= 1 }
    return parts.map(\.name.member) + (command == nil ? [] : [RecordMembers.command]) + [RecordMembers.rest]
  }

  /// Whether `member` can be assigned in frames of this type.
  package func has(_ member: String) -> Bool {
    assignableNames.contains(member) || (hasList && FieldText.number(member) != nil)
      || (member.hasSuffix("_hex") && !paths(named: String(member.dropLast(4))).isEmpty)
  }
}

extension FrameSchema.Name {
  /// The length field of an item.
  static let itemLength = FrameSchema.Name("data_length", "length of an item's data")
}
