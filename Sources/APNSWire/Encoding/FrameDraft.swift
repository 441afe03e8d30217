/// THE editable frame: values by field name, with lengths left out to be computed or given to be written, true or not.
///
/// It is filled by hand or decoded from bytes; a ``FieldPath`` leads to each value in it.
public struct FrameDraft: Sendable {
  public let schema: FrameSchema
  /// Written in place of the schema's command byte.
  public var command: Command?
  /// By member name: values of the frame's own fields.
  public var values: [String: FieldDraft] = [:]
  /// By member name: lengths to write as they are.
  public var lengths: [String: UInt64] = [:]
  /// Written behind everything else; a computed length of items counts it.
  public var rest: [UInt8] = []
  /// Fields may be missing: writing stops at the first one, and `rest` follows.
  public var isPartial = false

  public init(_ schema: FrameSchema) {
    self.schema = schema
  }
}

/// The value of one field.
public enum FieldDraft: Sendable, Hashable {
  case integer(UInt64)
  case octets([UInt8])
  case items([ItemDraft])
}

/// An item to be: its data, a length to write in place of the data's own, and spare bytes behind nested items.
public struct ItemDraft: Sendable, Hashable {
  public var id: ItemID
  /// nil: only the header is written.
  public var data: FieldDraft?
  public var length: UInt64?
  /// Behind the items that the data holds.
  public var rest: [UInt8]

  public init(_ id: ItemID, data: FieldDraft?, length: UInt64? = nil, rest: [UInt8] = []) {
    self.id = id
    self.data = data
    self.length = length
    self.rest = rest
  }
}
