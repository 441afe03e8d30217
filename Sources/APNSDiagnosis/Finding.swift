/// A finding about some bytes: what is wrong, where, and how to fix it.
public struct Finding: Sendable, Hashable {
  /// The ``Rule/id`` of the rule: stable, in kebab case.
  public let rule: String
  /// How serious it is, after the user's overrides.
  public let severity: Severity
  /// The bytes at fault, as offsets in the stream.
  public let range: Range<Int>
  /// The fault, as a sentence without its offset.
  public let message: String
  /// The recommended fix.
  public internal(set) var fix: String
  /// The push gateway's reply to such a frame; nil if it accepts the frame, or if no document describes a reply.
  public let answer: GatewayReply?
  /// The sender's bug that caused it; nil if it is not known.
  public internal(set) var cause: Cause?

  /// Creates a finding. `rule` is a ``Rule/id``, and `range` contains offsets in the stream.
  package init(
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

  /// How serious a finding is. Severities are ordered: a note is the least.
  public enum Severity: String, Sendable, Hashable, CaseIterable, Comparable {
    /// Advice.
    case note
    /// No document forbids it, but it is probably not what the sender intended, or a document recommends otherwise.
    case warning
    /// A document forbids it, or the bytes cannot be read.
    case error

    public static func < (a: Self, b: Self) -> Bool { a != b && (a == .note || b == .error) }
  }
}
