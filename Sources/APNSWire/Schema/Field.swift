/// One field of a frame or of an item: its name, how its bytes read, and what is plausible in them.
public struct Field: Sendable {
  public let name: FrameSchema.Name
  public let content: Content
  /// What rules, mutators and `dialogue` take its value for, whatever its name.
  public let role: Role
  /// Sizes in bytes that a real sender may produce; nil where any will do. Used to recognise streams and to find
  /// the next frame behind missing bytes, never to refuse a frame.
  public let plausible: ClosedRange<Int>?
  /// The size in bytes that nearly all senders produce; nil where there is none. A frame with another one is found
  /// behind damage only where the next has the same.
  public let usual: Int?

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

  /// What a value means in the service, where it means something. A role needs the content that is named here.
  public enum Role: UInt8, Sendable, BitwiseCopyable, CaseIterable {
    /// A device token: octets.
    case token
    /// A notification's payload: JSON.
    case payload
    /// What an error response names a notification by: a number of four bytes.
    case identifier
    /// When a notification expires: a date of four bytes.
    case expiry
    /// A code of one byte, with names for 5 and 10.
    case priority
    /// Why the gateway refused a notification: a code of one byte.
    case status
    /// When the feedback service found a token invalid: a date of four bytes.
    case timestamp
    case other
  }

  public enum Content: Sendable {
    /// A big-endian number of 1 to 8 bytes.
    case integer(bytes: Int, Meaning)
    /// Bytes as they are; hexadecimal in records.
    case octets
    /// Text in UTF-8; exact text in records, hexadecimal if the bytes are not UTF-8.
    case text
    /// JSON in UTF-8; in records as text is.
    case json
    /// A list in wire order, each item behind its one-byte id and two-byte length.
    indirect case items([Item])
  }

  /// What a number says, beyond its digits.
  public enum Meaning: Sendable {
    case number
    /// The sender's own bytes, echoed back; host order is as common as network order.
    case identifier
    /// Seconds since 1970-01-01 UTC; `zero` says what 0 asks for.
    case unixSeconds(zero: String)
    /// A number with documented values. `named`: records carry the name too.
    case code([UInt64: String], named: Bool)
  }

  /// The documented items of a list.
  package var rows: [Item] { if case .items(let rows) = content { rows } else { [] } }

  package var isJSON: Bool { if case .json = content { true } else { false } }

  /// Whether it is a list of items.
  public var isList: Bool { if case .items = content { true } else { false } }

  /// Bytes of the value, where the content fixes them.
  public var size: Int? {
    if case .integer(let bytes, _) = content { return bytes }
    return nil
  }
}

/// An item of a list: id, name, and the field that is its data.
public struct Item: Sendable {
  /// Bytes before an item's data: its id and its length.
  @inlinable public static var headerSize: Int { 3 }

  public let id: ItemID
  /// Stable name in records: `device-token`.
  public let name: String
  public let field: Field
  public let occurrence: Occurrence
  /// The first edition that documents it, unless its frame type is newer.
  public let since: Edition

  public init(
    _ id: ItemID, _ name: String, _ field: Field, _ occurrence: Occurrence = .optional, since: Edition = .year2009
  ) {
    self.id = id
    self.name = name
    self.field = field
    self.occurrence = occurrence
    self.since = since
  }

  /// How often an item may appear in one list.
  public enum Occurrence: Sendable, Hashable {
    /// Exactly once. Editions before `since` do not say so: a second one is only a warning there.
    case required(since: Edition = .year2009)
    /// At most once.
    case optional
    /// Any number of times.
    case any
  }

  /// Whether every list has one.
  public var isRequired: Bool { if case .required = occurrence { true } else { false } }

  /// Whether the edition demands exactly one, so that a second one is an error.
  package func mustBeSingle(in edition: Edition) -> Bool {
    if case .required(let since) = occurrence { since <= edition } else { false }
  }
}
