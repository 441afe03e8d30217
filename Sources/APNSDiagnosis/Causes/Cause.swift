/// The sender's bug that caused a finding. It is reported only if it explains the bytes exactly and no other
/// explanation is as good.
public struct Cause: Sendable, Hashable {
  /// The ``RootCause/id`` of the bug: stable, in kebab case.
  public let id: String
  /// The sender's mistake, in a few words.
  package var title: String { RootCauses[id]?.title ?? id }
  /// The evidence in the bytes, as a sentence without its offset.
  public let evidence: String
  /// The change to make in the sender.
  public let fix: String
  /// The bytes that the bug explains, as offsets in the stream. They are the bytes of the record, and any that follow
  /// it as the rest of its frame.
  public let range: Range<Int>
  /// The bytes that should have been written instead: empty if none, nil if the bytes do not determine them.
  public let repaired: [UInt8]?

  /// Creates a cause. `id` is a ``RootCause/id``.
  public init(_ id: String, evidence: String, fix: String, range: Range<Int>, repaired: [UInt8]?) {
    self.id = id
    self.evidence = evidence
    self.fix = fix
    self.range = range
    self.repaired = repaired
  }
}
