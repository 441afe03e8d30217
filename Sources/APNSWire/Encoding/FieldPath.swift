/// The path to a value in frames of one type: a field of the frame, or the data of an item, which may itself be a list.
public struct FieldPath: Sendable {
  /// The frame type.
  public let schema: FrameSchema
  /// The part of the frame that contains the value.
  let part: FrameSchema.Part
  /// The ids of the items around the value, outermost first; empty for a field of the frame.
  package private(set) var items: [ItemID] = []
  /// The item whose data the value is; nil for a field of the frame, and for an undocumented id.
  public private(set) var item: Item?

  /// The field at the path; nil for the data of an item with an undocumented id.
  public var field: Field? { isItem ? item?.field : part.field }
  /// Whether the path leads to the data of an item.
  package var isItem: Bool { !items.isEmpty }
  /// Whether the value is a list of items.
  package var isList: Bool { field?.isList ?? false }
  /// The documented items of a list; empty for other values.
  package var rows: [Item] { field?.rows ?? [] }

  /// The path to the list that contains the item; nil for a field of the frame.
  public var list: FieldPath? {
    isItem ? items.dropLast().reduce(FieldPath(schema: schema, part: part)) { $0.item($1) } : nil
  }

  /// The path from this list to the data of its items with this id.
  public func item(_ id: ItemID) -> FieldPath {
    var path = self
    path.items.append(id)
    path.item = rows.first { $0.id == id }
    return path
  }

  /// The size in bytes of the length before the value; 0 if it has none.
  package var lengthWidth: Int { isItem ? Item.headerSize - 1 : part.lengthWidth }

  /// The name of the length before a field of the frame; nil for items and for fields without a length.
  package var lengthName: FrameSchema.Name? { isItem ? nil : part.lengthName }

  /// The member name of the field of the frame.
  var member: String { part.field?.name.member ?? "" }
  fileprivate var withItems: [FieldPath] { [self] + rows.flatMap { item($0.id).withItems } }
}

extension FieldPath: Equatable {
  public static func == (a: Self, b: Self) -> Bool {
    (a.schema.name, a.member) == (b.schema.name, b.member) && a.items == b.items
  }
}

extension FrameSchema {
  /// The paths to all values that frames of this type can have, in wire order. A list precedes its items.
  package var paths: [FieldPath] { topLevelPaths.flatMap(\.withItems) }

  /// The paths to the fields of the frame, without the items in them.
  package var topLevelPaths: [FieldPath] {
    parts.filter { $0.field != nil }.map { FieldPath(schema: self, part: $0) }
  }

  /// The paths to the lists of the frame, without nested lists.
  package var lists: [FieldPath] { topLevelPaths.filter(\.isList) }
}
