/// The sender's bug that caused a finding: reported only if it explains the bytes exactly, and nothing else does as well.
public struct Cause: Sendable, Hashable {
  /// Stable, kebab-case: a ``RootCause``.
  public let id: String
  /// What in the bytes supports it: a sentence without its offset.
  public let evidence: String
  /// What to change in the sender.
  public let fix: String
  /// The bytes that it explains, as offsets in the stream: those of the record, and any that follow it as the rest of its
  /// frame.
  public let range: Range<Int>
  /// What should have been written instead: empty if nothing, nil if that cannot be known.
  public let repaired: [UInt8]?

  public init(_ id: String, evidence: String, fix: String, range: Range<Int>, repaired: [UInt8]?) {
    self.id = id
    self.evidence = evidence
    self.fix = fix
    self.range = range
    self.repaired = repaired
  }
}
