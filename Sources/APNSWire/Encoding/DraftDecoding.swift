import Octets

extension FrameDraft {
  /// Creates the draft that encodes to these bytes. Returns nil unless they are one complete frame of the type whose
  /// items tile their lists.
  public init?(_ bytes: [UInt8], as schema: FrameSchema) {
    self.init(schema)
    var left = bytes[...]
    for part in schema.parts {
      guard let field = part.field else {
        guard left.popFirst() == schema.command?.rawValue else { return nil }
        continue
      }
      let content =
        if let size = field.size { left.removeFirst(bytes: size) } else { left.removeCounted(width: part.lengthWidth) }
      guard let value = content.flatMap({ FieldDraft($0, as: field) }) else { return nil }
      values[field.name.member] = value
    }
    guard left.isEmpty else { return nil }
  }
}

extension FieldDraft {
  /// A number that does not have the field's size stays as octets. Returns nil for a list that its items do not tile.
  fileprivate init?(_ bytes: ArraySlice<UInt8>, as field: Field?) {
    guard let field, field.isList else {
      self = bytes.count == field?.size ? .integer(bytes.bigEndianNumber) : .octets(Array(bytes))
      return
    }
    var items: [ItemDraft] = []
    var left = bytes
    while let id = left.popFirst().map(ItemID.init(rawValue:)) {
      guard let content = left.removeCounted(width: Item.headerSize - 1),
        let data = FieldDraft(content, as: field.rows.first { $0.id == id }?.field)
      else { return nil }
      items.append(ItemDraft(id, data: data))
    }
    self = .items(items)
  }
}

extension ArraySlice<UInt8> {
  fileprivate mutating func removeFirst(bytes count: Int) -> ArraySlice? {
    guard count <= self.count else { return nil }
    defer { removeFirst(count) }
    return prefix(count)
  }

  fileprivate mutating func removeCounted(width: Int) -> ArraySlice? {
    guard let length = removeFirst(bytes: width), let count = Int(exactly: length.bigEndianNumber) else { return nil }
    return removeFirst(bytes: count)
  }
}
