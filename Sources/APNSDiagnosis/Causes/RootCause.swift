/// One bug that senders have, as data: what it is, what comes of it, who had it, how to fix it.
public struct RootCause: Sendable {
  /// Stable, kebab-case.
  public let id: String
  /// What the sender does, in a few words.
  public let title: String
  /// What comes of it.
  public let why: String
  /// What to change in the sender.
  public let fix: String
  /// Where it was seen.
  public let source: String
  /// Accounts for the bytes at a place by this bug alone; nil where it does not.
  let explain: Explain
  /// A sender has it in many frames, so those behind are read with it, too.
  let recurs: Bool
  /// It tries many ways to read the same bytes, so it is asked only as often as a stream has bytes for it.
  let effort: Int

  /// - Parameter reading: what stands at the place, by what its bytes look like.
  typealias Explain =
    @Sendable (_ place: borrowing Place, _ reading: ContentReading?, _ bytes: Span<UInt8>) -> Explanation?

  init(
    _ id: String, _ title: String, why: String, fix: String, source: String, recurs: Bool = true, effort: Int = 0,
    explain: @escaping Explain
  ) {
    self.id = id
    self.title = title
    self.why = why
    self.fix = fix
    self.source = source
    self.recurs = recurs
    self.effort = effort
    self.explain = explain
  }
}

/// THE registry of what can be wrong with a sender. A new bug is a row in its family's file and a line here.
public enum RootCauses {
  /// In the order of asking. Of two that explain the same bytes equally well, neither is reported.
  public static let all: [RootCause] =
    lengthCauses + tokenCauses + frameLengthCauses + trailingCauses + orderCauses + byteCauses
    + [writersInterleaved, batchRepeated]

  public static subscript(id: String) -> RootCause? { all.first { $0.id == id } }
}

/// How a bug accounts for bytes that begin at a place.
struct Explanation {
  /// Where the next frame begins.
  let end: Int
  /// How much speaks for it, against other bugs that account for the same bytes.
  let weight: Weight
  /// The bytes are a frame; else they are what stands between two.
  var isFrame = true
  /// Bytes of another frame could look the same, so the stream has to parse on, or to show it again.
  var isLoose = false
  /// Whole frames inside of what it explains, which are shown as they are.
  var wholeFrames: [Range<Int>] = []
  /// What in the bytes speaks for it.
  let evidence: @Sendable () -> String
  /// What should have been written.
  let repaired: @Sendable (_ bytes: Span<UInt8>) -> [UInt8]?

  enum Weight: Int, Comparable {
    /// One frame could be so by other ways, too.
    case slight
    /// Something happened to the bytes on their way.
    case edit
    /// Two frames are mixed up, and each of them is whole then.
    case mixture
    /// Bytes too many, at a place where senders write them.
    case terminator
    /// Every length is what this sender writes, and every field stands where this sender writes it.
    case lengths

    static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
  }
}
