/// One thing to say about bytes: what is wrong, where, and how to fix it.
public struct Finding: Sendable, Hashable {
  /// Stable, kebab-case.
  public let rule: String
  public let severity: Severity
  /// Bytes at fault, as offsets in the stream.
  public let range: Range<Int>
  /// What is wrong: a sentence without its place.
  public let message: String
  /// What to do.
  public internal(set) var fix: String
  /// What the push gateway replies to such a frame; nil if it accepts the frame, or if no document says.
  public let answer: GatewayReply?
  /// The sender's bug behind it; nil where it cannot be told.
  public internal(set) var cause: Cause?

  public init(
    _ rule: String, _ severity: Severity, _ range: Range<Int>, _ message: String, fix: String,
    answer: GatewayReply? = nil,
    cause: Cause? = nil
  ) {
    self.rule = rule
    self.severity = severity
    self.range = range
    self.message = message
    self.fix = fix
    self.answer = answer
    self.cause = cause
  }

  public enum Severity: String, Sendable, Hashable, CaseIterable, Comparable {
    /// Advice.
    case note
    /// No document forbids it, or only recommends otherwise, but it is hardly what the sender meant.
    case warning
    /// A document forbids it, or the bytes cannot be read.
    case error

    public static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }
    private var rank: UInt8 {
      switch self {
      case .note: 0
      case .warning: 1
      case .error: 2
      }
    }
  }
}
