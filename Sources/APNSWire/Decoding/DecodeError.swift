/// A structural defect of one frame: its code and its range in bytes.
///
/// Decoding reports these as data and never throws. Only ``Catalog/check(_:in:)`` throws: it throws the first defect.
public struct DecodeError: Error, Sendable, Hashable {
  /// The kind of error.
  public let code: Code
  /// The range of the incorrect bytes, as offsets in the bytes that hold the frame.
  public let range: Range<Int>
  /// The number of bytes that a length or the format requires.
  public let needed: Int
  /// The number of bytes that exist.
  package let available: Int
  /// Whether the bytes end with an item around the one at fault, in a nested list.
  package var isNested = false
  /// The field at fault; nil if it is not known.
  public internal(set) var field: FrameSchema.Name?
  /// The id of the item at fault; nil outside items.
  public internal(set) var item: ItemID?

  /// The kinds of defect. Each has a rule of the same name, and the rules switch over all cases.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The bytes end before the frame does.
    case truncated
    /// The frame declares more than ``Catalog/longestFrame`` bytes.
    case oversizedFrame = "oversized-frame"
    /// Recovery took a length to be wrong, because plausible frames begin inside the bytes that it claims.
    case overruledLength = "overruled-length"
    /// The first byte is not a command of the stream's role.
    case unknownCommand = "unknown-command"
    /// The catalog has no item with this id.
    case unknownItem = "unknown-item"
    /// The length of an item claims more bytes than its list has left.
    case itemOverrun = "item-overrun"
    /// The data of an item does not have the size that is documented for its id.
    case wrongItemSize = "wrong-item-size"
    /// Bytes remain after the last item of a list. They are too few for another item header.
    case spareBytes = "spare-bytes"
  }
}
