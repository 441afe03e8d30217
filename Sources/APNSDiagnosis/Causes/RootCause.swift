import APNSWire

/// A known bug of senders as data: what it does, its effect, where it was observed, and how to fix it. Its effects on
/// the bytes are functions, with which it is produced on purpose.
public struct RootCause: Sendable {
  /// The stable name in kebab case.
  public let id: String
  /// The sender's mistake, in a few words.
  public let title: String
  /// The consequences of the bug.
  public let why: String
  /// The change to make in the sender.
  public let fix: String
  /// The document that the sender violates, where the bug was observed, or what it is inferred from.
  public let source: String
  /// The possible effects. Most bugs have one.
  package let effects: [Effect]

  /// The effect of a bug on the bytes.
  package enum Effect: Sendable {
    /// Frames are written in another way: one of these.
    case writing([Change])
    /// A length is computed by an incorrect rule.
    case length(LengthRule)
    /// The bytes of a complete frame are encoded in another way.
    case coding(Coding)
    /// Bytes that belong to no frame precede a frame.
    case between(Foreign)
    /// One byte is missing or extra.
    case byte(isLost: Bool)
    /// The end of a frame is missing.
    case cut
    /// Pieces of two frames alternate.
    case interleaving
    /// Frames are complete but sent too often.
    case repetition
  }

  /// A change in how a frame is written.
  package struct Change: Sendable {
    /// Applies the change. Returns false if the frame type has nothing to which the change applies.
    package let apply: @Sendable (inout Writing) -> Bool
  }

  /// An incorrect rule for lengths.
  package struct LengthRule: Sendable {
    /// The lengths that the rule may produce in place of the correct one; empty if it does not apply.
    package let lengths: @Sendable (_ measured: Measured, _ bytes: Span<UInt8>) -> [Int]
  }

  /// Bytes of another origin.
  package struct Foreign: Sendable {
    /// Whether they belong to the preceding frame.
    let followsFrame: Bool
    /// A description of the bytes if they match: `a byte order mark`. The next frame begins at `range.upperBound`.
    let match: @Sendable (_ range: Range<Int>, _ frame: Range<Int>, _ bytes: Span<UInt8>) -> String?
    /// Example bytes for tests: what is written before a frame of this size.
    package let example: @Sendable (_ frame: Int) -> [UInt8]
  }

  package init(
    _ id: ID, _ title: String, why: String, fix: String, source: String, _ effects: Effect...
  ) {
    self.id = id.rawValue
    self.title = title
    self.why = why
    self.fix = fix
    self.source = source
    self.effects = effects
  }

  /// Creates a bug that is one change in how frames are written.
  init(
    _ id: ID, _ title: String, why: String, fix: String, source: String,
    apply: @escaping @Sendable (inout Writing) -> Bool
  ) {
    self.init(id, title, why: why, fix: fix, source: source, .writing([Change(apply: apply)]))
  }
}

/// The correct value of a length, and other values that an incorrect rule may use.
package struct Measured: Sendable {
  package enum Kind: Sendable { case token, payload, number, other, items }
  package var kind: Kind
  /// The size that the length should count, in bytes.
  package var size: Int
  /// The width of the length in bytes.
  package var width: Int
  /// The range of the value in the bytes.
  package var range: Range<Int>
  /// The name of the value: `payload`.
  package var name: String
  /// The size of the token if this is the payload, and of the payload if this is the token.
  package var other: Int?
  /// The number of items.
  package var items = 0
  /// The bytes before the items: the command and the frame length.
  package var frameHeader = 0
  /// Whether the payload is longer than a signed 16-bit length can express.
  package var isNegative = false
  /// The size of the preceding payload in the stream.
  package var previous: Int?

  /// - Parameters:
  ///   - width: the width of the length in bytes.
  ///   - token: the size of the frame's token.
  ///   - payload: the size of its payload.
  package init(of field: Field, size: Int, width: Int, range: Range<Int>, token: Int?, payload: Int?) {
    (self.size, self.width, self.range, name) = (size, width, range, field.name.title)
    switch field.role {
    case _ where field.isList:
      (kind, name, frameHeader) = (.items, "frame", 1 + width)
      isNegative = (payload ?? 0) >= 0x8000
    case .token: (kind, other) = (.token, payload)
    case .payload: (kind, other) = (.payload, token)
    default: kind = field.size == nil ? .other : .number
    }
  }
}

/// The registry of known sender bugs. To add one, write a row in the file of its family and add an ID.
public enum RootCauses {
  /// All known bugs.
  public static let all: [RootCause] =
    lengthCauses + layoutCauses + commandCauses + valueCauses + frameCodingCauses + foreignCauses + byteCauses
    + dimensionCauses + [writersInterleaved, batchRepeated]

  /// The bug with this ``RootCause/id``; nil if there is none.
  public static subscript(id: String) -> RootCause? { all.first { $0.id == id } }
}
