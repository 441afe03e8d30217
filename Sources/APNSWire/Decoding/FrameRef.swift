/// Where one frame lies in the bytes it was found in. Offsets, not a view: it can be stored, sent and compared.
@frozen
public struct FrameRef: BitwiseCopyable, Sendable, Hashable {
  public let start: Int
  public let end: Int
  /// Index in ``Catalog/schemas``, or ``noSchema``.
  public let schema: UInt8
  public let condition: Condition
  /// The least number of bytes known to be missing behind `end`; 0 unless truncated or oversized.
  public let needed: Int
  /// `needed` is exact: no length stands among the missing bytes.
  public let endIsKnown: Bool

  public static let noSchema: UInt8 = .max

  @inlinable
  public init(start: Int, end: Int, schema: UInt8, condition: Condition, needed: Int = 0, endIsKnown: Bool = true) {
    self.start = start
    self.end = end
    self.schema = schema
    self.condition = condition
    self.needed = needed
    self.endIsKnown = endIsKnown
  }

  public var range: Range<Int> { start..<end }
  @inlinable public var count: Int { end - start }

  /// A frame type stands behind it; the other conditions are bytes that belong to no frame.
  public var isFrame: Bool { schema != Self.noSchema }

  @frozen
  public enum Condition: UInt8, BitwiseCopyable, Sendable, Hashable {
    /// All its bytes are there. They may still be wrong inside.
    case complete
    /// The bytes end before the frame does.
    case truncated
    /// Declared longer than ``Catalog/longestFrame``; only its beginning is held.
    case oversized
    /// Read only up to the next frames, which begin inside of what its lengths claim: these are not believed.
    case overruled
    /// The first byte is no command of this role, so nothing says where the next frame begins.
    case unknownCommand
    /// More of what went before it: of an oversized frame, of one that missing bytes cut, of an unknown one.
    case tail
    /// Behind missing bytes, before the next frame that could be found.
    case unaligned
    /// Given up: the stream speaks another protocol.
    case foreign
  }
}

/// Where one leaf of a frame lies and what it is. The leaves of a frame tile it.
@frozen
public struct FieldRef: BitwiseCopyable, Sendable, Hashable {
  public let start: Int
  public let end: Int
  /// Bytes that a length before it claims for this value; its size where no length stands before it.
  public let declared: Int
  /// Index in ``Catalog/fields``, or ``none``: of the value, or of the value that a length belongs to.
  public let field: UInt16
  /// Index in ``Catalog/items``, or ``none``.
  public let item: UInt16
  public let kind: Kind
  public let state: State
  /// 0 for parts of the frame, 1 for the leaves of its items, and so on.
  public let depth: UInt8

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

  public var range: Range<Int> { start..<end }
  @inlinable public var count: Int { end - start }

  @frozen
  public enum Kind: UInt8, BitwiseCopyable, Sendable, Hashable {
    case command
    case value
    /// The length of the value behind it.
    case length
    case itemID
    case itemLength
    /// Bytes that no field claims.
    case gap
  }

  @frozen
  public enum State: UInt8, BitwiseCopyable, Sendable, Hashable {
    case whole
    /// The frame's bytes end inside it.
    case cut
    /// It claims more than the list around it has left.
    case overrun
    /// All there, but not of its documented size.
    case wrongSize
    /// Data of an item that the catalog does not know.
    case unknown
  }
}
