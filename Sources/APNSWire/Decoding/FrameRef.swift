/// The position of one frame in the bytes that hold it. It contains offsets instead of a view, so it can be stored,
/// sent and compared.
@frozen
public struct FrameRef: BitwiseCopyable, Sendable, Hashable {
  /// The offset of the frame's first byte.
  public let start: Int
  /// The offset after the frame's last byte.
  public let end: Int
  /// The index in ``Catalog/schemas``, or ``noSchema``.
  public let schema: UInt8
  /// Whether the frame is complete, and if not, why.
  public let condition: Condition
  /// The least number of bytes known to be missing after `end`; 0 unless the frame is truncated or oversized.
  public let needed: Int
  /// Whether `needed` is exact, because no length is among the missing bytes.
  public let endIsKnown: Bool

  /// The value of ``schema`` for bytes that belong to no frame type.
  public static let noSchema: UInt8 = .max

  /// Creates a reference to the bytes from `start` up to `end`.
  @inlinable
  package init(start: Int, end: Int, schema: UInt8, condition: Condition, needed: Int = 0, endIsKnown: Bool = true) {
    self.start = start
    self.end = end
    self.schema = schema
    self.condition = condition
    self.needed = needed
    self.endIsKnown = endIsKnown
  }

  /// The offsets of the frame's bytes.
  public var range: Range<Int> { start..<end }
  /// The number of bytes from ``start`` to ``end``.
  @inlinable public var count: Int { end - start }

  /// Whether the bytes have a frame type. Bytes of the other conditions belong to no frame.
  package var isFrame: Bool { schema != Self.noSchema }

  /// How a frame ends, or why bytes belong to no frame.
  @frozen
  public enum Condition: UInt8, BitwiseCopyable, Sendable, Hashable {
    /// All bytes of the frame exist. Their contents may still be invalid.
    case complete
    /// The bytes end before the frame does.
    case truncated
    /// The frame declares more than ``Catalog/longestFrame`` bytes. The reference covers only its beginning.
    case oversized
    /// Recovery ended the frame early, because it takes the lengths for wrong.
    case overruled
    /// The first byte is not a command of this role, so the start of the next frame is unknown.
    case unknownCommand
    /// A continuation of the preceding bytes: of an oversized or unknown frame, or of one that missing bytes cut.
    case tail
    /// Bytes between a gap and the next frame that could be found.
    case unaligned
    /// Bytes of a stream that speaks another protocol.
    case foreign
  }
}

/// The position and kind of one leaf of a frame. The leaves of a frame tile it.
@frozen
public struct FieldRef: BitwiseCopyable, Sendable, Hashable {
  /// The offset of the leaf's first byte.
  public let start: Int
  /// The offset after the leaf's last byte.
  public let end: Int
  /// The number of bytes that the preceding length claims for this value; if there is no such length, the value's own
  /// size.
  public let declared: Int
  /// The index in ``Catalog/fields``, or ``none``. For a length, this is the field whose value it counts.
  public let field: UInt16
  /// The index in ``Catalog/items``, or ``none``.
  public let item: UInt16
  /// Which part of the frame the leaf is.
  public let kind: Kind
  /// Whether the leaf is complete and as documented.
  public let state: State
  /// The nesting level: 0 for parts of the frame, 1 for the leaves of its items, and so on.
  public let depth: UInt8

  /// The value of ``field`` or ``item`` for a leaf that has none.
  public static let none: UInt16 = .max

  @inlinable
  init(
    _ kind: Kind, _ start: Int, _ end: Int, declared: Int, field: UInt16 = FieldRef.none,
    item: UInt16 = FieldRef.none, state: State = .whole, depth: UInt8 = 0
  ) {
    self.start = start
    self.end = end
    self.declared = declared
    self.field = field
    self.item = item
    self.kind = kind
    self.state = state
    self.depth = depth
  }

  /// The offsets of the leaf's bytes.
  public var range: Range<Int> { start..<end }
  /// The number of bytes from ``start`` to ``end``.
  @inlinable public var count: Int { end - start }

  /// The parts that a leaf can be.
  @frozen
  public enum Kind: UInt8, BitwiseCopyable, Sendable, Hashable {
    /// The command byte.
    case command
    /// The value of a field, or the data of an item.
    case value
    /// The length of the value that follows.
    case length
    /// The id byte of an item.
    case itemID
    /// The two-byte length of an item's data.
    case itemLength
    /// Bytes that no field claims.
    case gap
  }

  /// Whether a leaf is complete and as documented.
  @frozen
  public enum State: UInt8, BitwiseCopyable, Sendable, Hashable {
    /// All its bytes exist, and it has its documented size.
    case whole
    /// The frame's bytes end inside it.
    case cut
    /// It claims more bytes than the surrounding list has left.
    case overrun
    /// It is complete, but does not have its documented size.
    case wrongSize
    /// It is the data of an item that the catalog does not define.
    case unknown
  }
}
