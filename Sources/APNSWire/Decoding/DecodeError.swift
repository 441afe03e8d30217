/// One structural fault of a frame: a fact with its place, in bytes.
///
/// Decoding never throws; these are data. ``Catalog/check(_:in:)`` throws the first one for those who want strict.
public struct DecodeError: Error, Sendable, Hashable {
  public let code: Code
  /// Of the bytes that are wrong, in the bytes the frame was found in.
  public let range: Range<Int>
  /// Bytes that a length or the format asks for.
  public let needed: Int
  /// Bytes that there are.
  public let available: Int
  /// What ended them.
  public let limitedBy: Limit
  /// The field at fault, where it is known.
  public let field: FrameSchema.Name?
  /// The item at fault: its id byte.
  public let item: ItemID?

  /// Each has a rule of the same name. The rules switch over all of them.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    case truncated
    case oversizedFrame = "oversized-frame"
    /// A guess of recovery: the next frames begin inside of what a length claims.
    case overruledLength = "overruled-length"
    case unknownCommand = "unknown-command"
    case unknownItem = "unknown-item"
    case itemOverrun = "item-overrun"
    case wrongItemSize = "wrong-item-size"
    case spareBytes = "spare-bytes"
  }

  public enum Limit: Sendable, Hashable {
    /// The bytes end inside a field.
    case stream
    /// The length around the items; of a truncated frame: its items are whole, but the length claims more.
    case frameLength
    case itemLength
    case format
  }
}

extension DecodeError {
  init(
    _ code: Code, _ range: Range<Int>, needed: Int, available: Int, _ limitedBy: Limit,
    field: FrameSchema.Name? = nil, item: ItemID? = nil
  ) {
    self.code = code
    self.range = range
    self.needed = needed
    self.available = available
    self.limitedBy = limitedBy
    self.field = field
    self.item = item
  }
}
