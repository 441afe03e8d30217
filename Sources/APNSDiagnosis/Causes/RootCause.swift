/// One bug that senders have, as data: what it is, what its effect is, where it was seen, how to fix it.
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
  /// Accounts for the bytes at an offset by this bug alone; nil if it cannot.
  let explain: Explain
  /// A sender has it in many frames, so the frames that follow are read with it, too.
  let recurs: Bool
  /// It tries many ways to read the same bytes, so it is asked last, and only if the lengths lead nowhere.
  let isLastResort: Bool

  /// - Parameter reading: what is at the offset, going by what its bytes look like.
  typealias Explain =
    @Sendable (_ place: borrowing Place, _ reading: ContentReading?, _ bytes: Span<UInt8>) -> Explanation?

  init(
    _ id: ID, _ title: String, why: String, fix: String, source: String, recurs: Bool = true,
    isLastResort: Bool = false,
    explain: @escaping Explain
  ) {
    self.id = id.rawValue
    self.title = title
    self.why = why
    self.fix = fix
    self.source = source
    self.recurs = recurs
    self.isLastResort = isLastResort
    self.explain = explain
  }
}

/// THE registry of what can be wrong with a sender. A new bug is a row in its family's file and a line here.
public enum RootCauses {
  /// In the order of trying. If two explain the same bytes equally well, neither is reported.
  public static let all: [RootCause] =
    lengthCauses + tokenCauses + frameLengthCauses + trailingCauses + orderCauses + byteCauses
    + [writersInterleaved, batchRepeated]

  public static subscript(id: String) -> RootCause? { all.first { $0.id == id } }
}

/// How a bug accounts for the bytes at an offset.
struct Explanation {
  /// Where the next frame begins.
  let end: Int
  /// How well it is supported, compared to other bugs that account for the same bytes.
  let weight: Weight
  /// The bytes are a frame; otherwise they lie between two frames.
  var isFrame = true
  /// Another frame could have the same bytes, so the rest of the stream has to parse, or to show the bug again.
  var isLoose = false
  /// Complete frames inside what it explains; they are shown unchanged.
  var wholeFrames: [Range<Int>] = []
  /// What in the bytes supports it.
  let evidence: @Sendable () -> String
  /// What to write instead, if the bytes determine it. The fix follows it: `write 00 3e as the payload length;`.
  var correction: (@Sendable () -> String?)?
  /// What should have been written.
  let repaired: @Sendable (_ bytes: Span<UInt8>) -> [UInt8]?

  enum Weight: Int, Comparable {
    /// A single frame could look the same for other reasons.
    case slight
    /// The bytes were changed in transit.
    case edit
    /// Two frames are interleaved, and each of them is complete once separated.
    case mixture
    /// Extra bytes where senders are known to write them.
    case terminator
    /// Every length is what this sender writes, and every field is where this sender writes it.
    case lengths

    static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
  }
}
