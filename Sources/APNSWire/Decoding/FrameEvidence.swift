import Octets

/// What the bytes of a frame, as its lengths divide it, say about whether a sender wrote one there. It finds the next
/// frame where lengths do not say where it begins, decides roles, and says which frames are doubtful.
package struct FrameEvidence {
  /// Whether the lengths agree. Also false if a value is too long, or is not plausible and no token precedes it.
  package private(set) var isDivided = false
  /// Whether it is divided, and a real sender could have written each value, or the part of it that has arrived.
  package private(set) var isPlausible = false
  /// The size of a value, in bytes, that senders rarely use; nil if all have usual ones.
  package private(set) var rareSize: Int?
  /// The token and the payload, as far as they have arrived.
  package private(set) var token, payload: FieldRef?

  /// Whether it is plausible, and all sizes are usual.
  package var isUsual: Bool { isPlausible && rareSize == nil }

  package init(_ frame: FrameRef, in bytes: Span<UInt8>, _ catalog: Catalog) {
    guard catalog.mayBeWritten(frame) else { return }
    var (leaves, values) = (0, 0)
    // Reads only the table, since copying the catalog costs more than the walk.
    let expectations = catalog.expectations
    var found = (isPlausible: true, rareSize: Int?.none, token: FieldRef?.none, payload: FieldRef?.none)
    isDivided = catalog.walkFields(of: frame, in: bytes) { leaf in
      leaves += 1
      guard leaves <= Self.mostLeaves, leaf.state != .overrun else { return false }
      guard leaf.kind == .value else { return true }
      if leaf.field == FieldRef.none || leaf.state == .wrongSize {
        found.isPlausible = false
      } else {
        values += 1
        let expected = expectations[Int(leaf.field)]
        if expected.exceeds(leaf.declared) { return false }
        if !expected.isPlausible(leaf, in: bytes) { found.isPlausible = false }
        if let usual = expected.usual, usual != leaf.declared { found.rareSize = leaf.declared }
        if expected.role == .token, found.token == nil { found.token = leaf }
        if expected.isJSON, found.payload == nil { found.payload = leaf }
      }
      return found.isPlausible || found.token?.declared == Self.tokenSize
    }
    (token, payload) = (found.token, found.payload)
    isPlausible = isDivided && found.isPlausible
    // A list without items is four zeros, which are no evidence.
    rareSize = values == 0 && frame.condition == .complete ? 0 : found.rareSize
  }

  /// The size of most tokens, in bytes.
  package static let tokenSize = 32

  /// No notification has more leaves. The bound keeps the search for a frame linear in the number of bytes.
  private static let mostLeaves = 96
}

extension Catalog {
  /// Whether a real sender could have written a frame of this size, as far as it is known.
  package func mayBeWritten(_ frame: FrameRef) -> Bool {
    let size = frame.count + frame.needed
    return (frame.condition == .complete || frame.condition == .truncated) && size <= Catalog.longestFrame
      && (size >= tables.plan.leastSizes[Int(frame.schema)] || !frame.endIsKnown)
  }

  /// Whether a real sender could have written this frame, or this beginning of a truncated frame.
  package func isPlausible(_ frame: FrameRef, in bytes: Span<UInt8>) -> Bool {
    FrameEvidence(frame, in: bytes, self).isPlausible
  }

  /// Whether it is also of usual sizes.
  package func isUsual(_ frame: FrameRef, in bytes: Span<UInt8>) -> Bool {
    FrameEvidence(frame, in: bytes, self).isUsual
  }
}
