/// Whether frames begin somewhere, judged by what is plausible in them. A heuristic: used to find the next frame
/// behind missing bytes and to tell roles apart, never to refuse a frame.
extension Catalog {
  public enum Confirmation: Sendable {
    case yes
    case no
    case needsMore
  }

  /// Frames begin at `start` when a whole plausible one stands there and another behind it, or the end of the bytes,
  /// or a cut one that is plausible so far. Sizes that hardly anybody sends count only when both have them.
  public func confirmsFrames(
    at start: Int, in bytes: Span<UInt8>, of role: StreamRole, isFinal: Bool
  ) -> Confirmation {
    let first = frame(at: start, in: bytes, of: role)
    if isFinal, first.condition != .complete { return .no }
    let one = plausibility(of: first, in: bytes)
    guard one != .implausible, !hasMisreadDate(first, in: bytes) else { return .no }
    guard first.condition == .complete else { return .needsMore }
    guard first.end < bytes.count else { return !isFinal ? .needsMore : one == .usual ? .yes : .no }
    let second = frame(at: first.end, in: bytes, of: role)
    let next = plausibility(of: second, in: bytes)
    guard next != .implausible else { return .no }
    guard second.condition == .complete || isFinal else { return .needsMore }
    return one == .usual || one == next ? .yes : .no
  }

  /// Whether a real sender may have written this frame; of a truncated one, what there is of it.
  public func isPlausible(_ frame: FrameRef, in bytes: Span<UInt8>) -> Bool {
    plausibility(of: frame, in: bytes) != .implausible
  }

  /// The complete frame that begins at `start`, if a real sender may have written it.
  package func plausibleFrame(at start: Int, in bytes: Span<UInt8>, of role: StreamRole) -> FrameRef? {
    let frame = frame(at: start, in: bytes, of: role)
    return frame.condition == .complete && isPlausible(frame, in: bytes) ? frame : nil
  }

  /// Whether senders write such frames.
  package enum Plausibility: Equatable {
    case usual
    /// A value has a size that hardly anybody sends.
    case unusual(Int)
    case implausible
  }

  package func plausibility(of frame: FrameRef, in bytes: Span<UInt8>) -> Plausibility {
    guard frame.condition == .complete || frame.condition == .truncated else { return .implausible }
    guard frame.count + frame.needed <= Catalog.longestFrame else { return .implausible }
    var leaves = 0
    var found = Plausibility.usual
    // The table alone, since a copy of the catalog costs more than the walk.
    let expectations = expectations
    let isPlausible = walkFields(of: frame, in: bytes) { leaf in
      leaves += 1
      guard leaves <= Catalog.mostLeaves, leaf.state == .whole || leaf.state == .cut else { return false }
      guard leaf.kind == .value, leaf.field != FieldRef.none else { return true }
      let expected = expectations[Int(leaf.field)]
      guard expected.isPlausible(leaf, in: bytes) else { return false }
      if let size = expected.unusualSize(of: leaf) { found = .unusual(size) }
      return true
    }
    return isPlausible ? found : .implausible
  }

  /// Whether a date in it lies before the service was there, and its last byte may be the command of a legacy
  /// notification: the bytes before such a one read as the beginning of an enhanced one when damage has put a 1 there.
  private func hasMisreadDate(_ frame: FrameRef, in bytes: Span<UInt8>) -> Bool {
    let expectations = expectations
    return !walkFields(of: frame, in: bytes) { leaf in
      guard leaf.kind == .value, leaf.field != FieldRef.none, case .date = expectations[Int(leaf.field)].kind,
        let date = leaf.integer(in: bytes)
      else { return true }
      let command = UInt8(truncatingIfNeeded: date)
      return date == 0 || date >= UInt64(Catalog.serviceBegan) || command != LegacyNotification.schema.command?.rawValue
    }
  }

  /// No notification has more; the bound keeps the search for a frame linear in the bytes that it searches.
  private static let mostLeaves = 96
}
