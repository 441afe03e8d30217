/// An editable frame: values by field name. Lengths that are left out are computed; given ones are written, whether or
/// not they are true.
///
/// Fill it in by hand or decode it from bytes. A ``FieldPath`` addresses each value in it.
public struct FrameDraft: Sendable {
  /// The frame type.
  public let schema: FrameSchema
  /// The command byte to write in place of the schema's own.
  public var command: Command?
  /// The values of the frame's own fields, by member name.
  public var values: [String: FieldDraft] = [:]
  /// Lengths to write unchanged, by member name.
  public var lengths: [String: UInt64] = [:]
  /// Bytes to write after everything else. A computed length around items counts them.
  package var rest: [UInt8] = []
  /// Whether fields may be missing. Encoding then stops at the first missing field, and `rest` follows.
  package var isPartial = false

  /// Creates a draft of this type without any values.
  public init(_ schema: FrameSchema) { self.schema = schema }
}

/// The value of one field.
public enum FieldDraft: Sendable, Hashable {
  /// A number, written in as many bytes as its field has.
  case integer(UInt64)
  /// Bytes, written unchanged.
  case octets([UInt8])
  /// The items of a list, in wire order.
  case items([ItemDraft])
}

/// A draft of an item: its data, an explicit length, and spare bytes after nested items.
public struct ItemDraft: Sendable, Hashable {
  /// The id byte.
  public var id: ItemID
  /// The data; nil to write only the header, which then needs a ``length``.
  public var data: FieldDraft?
  /// The length to write, in bytes; nil to compute it from the data.
  public var length: UInt64?
  /// Bytes to write after the data. A computed length counts them.
  public var rest: [UInt8]

  /// Creates a draft of an item. Its length is computed unless one is given.
  public init(_ id: ItemID, data: FieldDraft?, length: UInt64? = nil, rest: [UInt8] = []) {
    self.id = id
    self.data = data
    self.length = length
    self.rest = rest
  }
}
