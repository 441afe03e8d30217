import APNSDiagnosis
import APNSWire

/// A stream for testing a decoder, and the right answer to it.
public struct TestCase: Sendable, Hashable {
  /// Of its run, from 0.
  public let number: Int
  public let role: StreamRole
  public let bytes: [UInt8]
  public let label: Label

  public init(number: Int, role: StreamRole, bytes: [UInt8], label: Label) {
    self.number = number
    self.role = role
    self.bytes = bytes
    self.label = label
  }

  /// What was done, and what has to come of it.
  public struct Label: Sendable, Hashable {
    /// The mutator that made it: kebab-case, stable.
    public let mutator: String
    /// What was changed: a sentence with the field and both values.
    public let change: String
    /// Offsets in ``TestCase/bytes`` that were changed; empty where nothing was.
    public let range: Range<Int>
    /// The rule that is broken; nil in a valid case.
    public let rule: String?
    /// Rules that are broken with it, since they follow from it.
    public let follows: [String]
    /// The sender's bug that writes this; nil where none does.
    public let cause: String?
    public let verdict: Verdict
    /// What the gateway replies, by the edition of the run; nil if it accepts the stream, or if no document says.
    public let answer: GatewayReply?

    public init(
      mutator: String, change: String, range: Range<Int>, rule: String? = nil, follows: [String] = [],
      cause: String? = nil, verdict: Verdict, answer: GatewayReply? = nil
    ) {
      self.mutator = mutator
      self.change = change
      self.range = range
      self.rule = rule
      self.follows = follows
      self.cause = cause
      self.verdict = verdict
      self.answer = answer
    }
  }

  /// What a decoder should make of it.
  public enum Verdict: String, Sendable, Hashable, CaseIterable {
    case accept, reject
    /// Advice is broken, but no rule of the service: decoders may differ.
    case either
  }
}
