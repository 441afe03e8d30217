import APNSWire

/// One bug that senders have, as data: what it is, what its effect is, where it was seen, how to fix it; and what it does to
/// the bytes, by which it is found, undone, and made on purpose.
public struct RootCause: Sendable {
  /// Stable, kebab-case.
  public let id: String
  /// What the sender does, in a few words.
  public let title: String
  /// Its effect.
  public let why: String
  /// What to change in the sender.
  public let fix: String
  /// The document that it contradicts, where it was observed, or what it is inferred from.
  public let source: String
  /// What it may do; most bugs do one thing.
  package let effects: [Effect]
  /// A lost byte is as likely where one frame alone shows it.
  let mustRecur: Bool

  /// What a bug does.
  package enum Effect: Sendable {
    /// Frames are written in another way: one of these.
    case writing([Change])
    /// A length is computed by a wrong rule.
    case length(LengthRule)
    /// The bytes of a whole frame are written in another form.
    case coding(Coding)
    /// Bytes that belong to no frame precede one.
    case between(Foreign)
    /// One byte is missing, or one too many.
    case byte(isLost: Bool)
    /// The end of a frame is missing.
    case cut
    /// Pieces of two frames alternate.
    case interleaving
    /// Frames are whole, and sent too often.
    case repetition
  }

  /// A change in how a frame is written.
  package struct Change: Sendable {
    /// The evidence: `with a frame length of two bytes`.
    let words: String
    /// False where the frame type has nothing that could be changed so.
    package let apply: @Sendable (inout Writing) -> Bool

    init(_ words: String, apply: @escaping @Sendable (inout Writing) -> Bool) {
      self.words = words
      self.apply = apply
    }
  }

  /// A rule by which a length is computed, run forwards: it has to give every wrong length of the frame.
  package struct LengthRule: Sendable {
    /// The lengths that it may write in place of the right one; none where it does not apply.
    package let lengths: @Sendable (_ measured: Measured, _ bytes: Span<UInt8>) -> [Int]
    /// How it comes to a length, as a part of a sentence; nil where the numbers speak for themselves.
    let words: @Sendable (_ measured: Measured, _ declared: Int, _ bytes: Span<UInt8>) -> String?
    /// Any length will do: what is left where no other rule gives it.
    let isAny: Bool

    init(
      isAny: Bool = false,
      words: @escaping @Sendable (Measured, Int, Span<UInt8>) -> String? = { _, _, _ in nil },
      lengths: @escaping @Sendable (Measured, Span<UInt8>) -> [Int]
    ) {
      (self.isAny, self.words, self.lengths) = (isAny, words, lengths)
    }
  }

  /// Bytes of another origin.
  package struct Foreign: Sendable {
    /// They belong to the frame before.
    let followsFrame: Bool
    /// What they are, if they are that: `a byte order mark`. The next frame begins at `end`.
    let match: @Sendable (_ range: Range<Int>, _ frame: Range<Int>, _ bytes: Span<UInt8>) -> String?
    /// For test cases: what is written before a frame of this size.
    package let example: @Sendable (_ frame: Int) -> [UInt8]
  }

  package init(
    _ id: ID, _ title: String, why: String, fix: String, source: String, mustRecur: Bool = false, _ effects: Effect...
  ) {
    self.mustRecur = mustRecur
    self.id = id.rawValue
    self.title = title
    self.why = why
    self.fix = fix
    self.source = source
    self.effects = effects
  }

  /// A bug that is one change in how frames are written.
  init(
    _ id: ID, _ title: String, why: String, fix: String, source: String, mustRecur: Bool = false, with words: String,
    apply: @escaping @Sendable (inout Writing) -> Bool
  ) {
    self.init(
      id, title, why: why, fix: fix, source: source, mustRecur: mustRecur, .writing([Change(words, apply: apply)]))
  }
}

/// What a length should count, and what else a wrong rule may count.
package struct Measured: Sendable {
  package enum Kind: Sendable { case token, payload, number, other, items }
  package var kind: Kind
  /// In bytes.
  package var size: Int
  /// Of the length.
  package var width: Int
  /// Of the value in the bytes.
  package var range: Range<Int>
  /// What it is called: `payload`.
  package var name: String
  /// The token's size where this is the payload, and the other way round.
  package var other: Int?
  /// The number of items; their header and that of the frame, in bytes.
  package var items = 0
  package var frameHeader = 0
  /// Of a payload that is longer than a signed length can say.
  package var isNegative = false
  /// The size of the last payload on the stream.
  package var previous: Int?

  /// - Parameters:
  ///   - width: bytes of the length.
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

/// THE registry of what can be wrong with a sender. A new bug is a row in its family's file and an id.
public enum RootCauses {
  /// In the order of trying. If two explain the same bytes equally well, neither is reported.
  public static let all: [RootCause] =
    lengthCauses + layoutCauses + commandCauses + valueCauses + frameCodingCauses + foreignCauses + byteCauses
    + [writersInterleaved, batchRepeated]

  public static subscript(id: String) -> RootCause? { all.first { $0.id == id } }
}
