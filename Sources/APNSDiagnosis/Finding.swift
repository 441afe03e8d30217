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
  public let fix: String
  /// What the service answered to such a frame; nil where it took it, or where nobody knows.
  public let answer: Answer?
  /// The sender's bug behind it; nil where it cannot be told.
  public internal(set) var cause: Cause?

  public init(
    _ rule: String, _ severity: Severity, _ range: Range<Int>, _ message: String, fix: String, answer: Answer? = nil,
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

  /// What comes back to the sender.
  public enum Answer: Sendable, Hashable {
    /// An error response with this status, and the close.
    case status(UInt8)
    /// The close alone, without a packet.
    case close
  }

  public enum Severity: String, Sendable, Hashable, CaseIterable, Comparable {
    /// Advice.
    case note
    /// Accepted, but surely not what was meant.
    case warning
    /// The service would refuse it or cannot read it.
    case error

    public static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }
    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  }
}
