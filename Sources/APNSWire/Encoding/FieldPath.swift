/// Where a value is in frames of one type: a field of the frame, or the data of an item, which may be a list in turn.
public struct FieldPath: Sendable {
  public let schema: FrameSchema
  /// The part of the frame that holds the value.
  let part: FrameSchema.Part
  /// Ids of the items around the value, outermost first; empty for a field of the frame.
  public private(set) var items: [ItemID] = []
  /// The item that the value is the data of; nil for a field of the frame, and for an undocumented id.
  public private(set) var item: Item?

  fileprivate init(schema: FrameSchema, part: FrameSchema.Part) {
    self.schema = schema
    self.part = part
  }

  /// nil for an item of an undocumented id.
  public var field: Field? { isItem ? item?.field : part.field }
  public var isItem: Bool { !items.isEmpty }
  public var isList: Bool { field?.isList ?? false }
  /// The documented items of a list.
  public var rows: [Item] { field?.rows ?? [] }

  /// The list that an item is in; nil for a field of the frame.
  public var list: FieldPath? {
    isItem ? items.dropLast().reduce(FieldPath(schema: schema, part: part)) { $0.item($1) } : nil
  }

  /// From a list to the data of its items of this id.
  public func item(_ id: ItemID) -> FieldPath {
    var path = self
    path.items.append(id)
    path.item = rows.first { $0.id == id }
    return path
  }

  /// Bytes of the length before the value; 0 if it has none.
  public var lengthWidth: Int {
    if isItem { return Item.headerSize - 1 }
    if case .counted(_, let width, _) = part { return width }
    return 0
  }

  /// What the length before a field of the frame is called.
  public var lengthName: FrameSchema.Name? {
    if case .counted(_, _, let length) = part, !isItem { length } else { nil }
  }

  /// Of the field of the frame.
  var member: String { part.field?.name.member ?? "" }
  fileprivate var withItems: [FieldPath] { [self] + rows.flatMap { item($0.id).withItems } }
}

extension FieldPath: Equatable {
  public static func == (a: Self, b: Self) -> Bool {
    (a.schema.name, a.member) == (b.schema.name, b.member) && a.items == b.items
  }
}

extension FrameSchema {
  /// Every value that frames of this type can hold, in wire order; a list precedes its items.
  public var paths: [FieldPath] { topLevelPaths.flatMap(\.withItems) }

  /// The fields of the frame, without the items in them.
  public var topLevelPaths: [FieldPath] {
    parts.filter { $0.field != nil }.map { FieldPath(schema: self, part: $0) }
  }

  /// The lists of the frame, without those in items.
  public var lists: [FieldPath] { topLevelPaths.filter(\.isList) }
}
