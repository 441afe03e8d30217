import Octets

/// A field of a frame or of an item: its name, its encoding, and its plausible sizes.
public struct Field: Sendable {
  /// The member name in records, and the title for people.
  public let name: FrameSchema.Name
  /// How the bytes are read.
  public let content: Content
  /// The meaning of the value to rules, mutators and `dialogue`, independent of its name.
  public let role: Role
  /// The sizes in bytes that a real sender could produce; nil if any size could be. Recovery uses it to recognize
  /// streams and to find the next frame after missing bytes. It never rejects a frame.
  package let plausible: ClosedRange<Int>?
  /// The size in bytes that nearly all senders produce; nil if there is none. Recovery accepts a frame with another
  /// size only if the next frame has the same one.
  public let usual: Int?

  /// Creates a field with this member name and title.
  public init(
    _ member: String, _ title: String, _ content: Content, role: Role = .other, plausible: ClosedRange<Int>? = nil,
    usual: Int? = nil
  ) {
    self.name = FrameSchema.Name(member, title)
    self.content = content
    self.role = role
    self.plausible = plausible
    self.usual = usual
  }

  /// The meaning of a value in the service. Each role requires the content that its case names.
  public enum Role: UInt8, Sendable, BitwiseCopyable, CaseIterable {
    /// A device token: octets.
    case token
    /// A notification's payload: JSON.
    case payload
    /// The number with which an error response names a notification: four bytes.
    case identifier
    /// The expiry of a notification: a date in four bytes.
    case expiry
    /// A code of one byte, with names for 5 and 10.
    case priority
    /// The reason why the gateway refused a notification: a code of one byte.
    case status
    /// The time at which the feedback service found a token invalid: a date in four bytes.
    case timestamp
    /// No meaning that a rule depends on; any content.
    case other
  }

  /// How the bytes of a value are read.
  public enum Content: Sendable {
    /// A big-endian number of 1 to 8 bytes.
    case integer(bytes: Int, Meaning)
    /// Arbitrary bytes; hexadecimal in records.
    case octets
    /// UTF-8 text. Records contain the text, or hexadecimal if the bytes are not UTF-8.
    case text
    /// JSON in UTF-8. Records treat it like text.
    case json
    /// A list of items in wire order. A one-byte id and a two-byte length precede the data of each item.
    indirect case items([Item])
  }

  /// How a number is interpreted.
  public enum Meaning: Sendable {
    /// A number without a special meaning.
    case number
    /// Bytes that the sender chose and the service echoes. Senders use host order as often as network order.
    case identifier
    /// Seconds since 1970-01-01 UTC; `zero` describes the meaning of 0.
    case unixSeconds(zero: String)
    /// A number with documented values. `named` says whether records include the name.
    case code([UInt64: String], named: Bool)
  }

  /// The documented items of a list; empty for other content.
  package var rows: [Item] { if case .items(let rows) = content { rows } else { [] } }

  package var isJSON: Bool { if case .json = content { true } else { false } }

  /// Whether the content is a list of items.
  package var isList: Bool { if case .items = content { true } else { false } }

  /// The size in bytes if the content fixes it, otherwise nil.
  public var size: Int? {
    if case .integer(let bytes, _) = content { bytes } else { nil }
  }

  /// The size in words: `4 bytes`, or `variable size`.
  package var sizeInWords: String { size.map { plural($0, "byte") } ?? "variable size" }
}

/// An item of a list: its id, its name, and the field that describes its data.
public struct Item: Sendable {
  /// The number of bytes before an item's data: a one-byte id and a two-byte length.
  @inlinable package static var headerSize: Int { 3 }

  /// The id byte.
  public let id: ItemID
  /// The stable name in records, such as `device-token`.
  public let name: String
  /// The field that describes the item's data.
  public let field: Field
  /// How often the item may appear.
  package let occurrence: Occurrence
  /// The first edition that documents the item, unless its frame type is newer.
  public let since: Edition
  /// The text that defines the item; nil if it is that of the frame type.
  package let reference: String?

  /// Creates an item, by default one that may appear at most once.
  public init(
    _ id: ItemID, _ name: String, _ field: Field, _ occurrence: Occurrence = .optional, since: Edition = .year2009,
    reference: String? = nil
  ) {
    self.id = id
    self.name = name
    self.field = field
    self.occurrence = occurrence
    self.since = since
    self.reference = reference
  }

  /// How often an item may appear in one list.
  public enum Occurrence: Sendable, Hashable {
    /// Exactly once. Editions before `since` do not say so; a repeated item is only a warning there.
    case required(since: Edition = .year2009)
    /// At most once.
    case optional
    /// Any number of times.
    case any
  }

  /// Whether every list must have this item.
  package var isRequired: Bool { if case .required = occurrence { true } else { false } }

  /// Whether the edition requires exactly one, so that a second one is an error.
  package func mustBeSingle(in edition: Edition) -> Bool {
    if case .required(let since) = occurrence { since <= edition } else { false }
  }
}
