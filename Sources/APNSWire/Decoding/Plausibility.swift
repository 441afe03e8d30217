/// Judges by plausibility whether frames begin at an offset. This heuristic finds the next frame, distinguishes roles,
/// and says which frames are doubtful. It never rejects one.
extension Catalog {
  /// Whether frames begin at an offset.
  package enum Confirmation: Sendable {
    /// Frames begin there.
    case yes
    /// No frame begins there, or too little of one to be sure.
    case no
    /// More bytes are needed to decide.
    case needsMore
  }

  /// Whether frames begin at `start`. This needs one complete, plausible frame, followed by another plausible frame or
  /// by the end of the bytes. The second frame may be cut at the end of the bytes. Sizes that senders rarely use count
  /// only if both frames have them.
  ///
  /// - Parameters:
  ///   - start: an offset in `bytes`.
  ///   - bytes: the bytes of the stream that are available.
  ///   - role: the side that sends the stream.
  ///   - isFinal: whether the stream ends with `bytes`.
  package func confirmsFrames(
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

  /// Whether a real sender could have written this frame, or this beginning of a truncated frame.
  package func isPlausible(_ frame: FrameRef, in bytes: Span<UInt8>) -> Bool {
    plausibility(of: frame, in: bytes) != .implausible
  }

  /// The complete frame that begins at `start`; nil unless a real sender could have written it.
  package func plausibleFrame(at start: Int, in bytes: Span<UInt8>, of role: StreamRole) -> FrameRef? {
    let frame = frame(at: start, in: bytes, of: role)
    return frame.condition == .complete && isPlausible(frame, in: bytes) ? frame : nil
  }

  /// How likely senders are to write a frame.
  package enum Plausibility: Equatable {
    case usual
    /// A value has a size, given in bytes, that senders rarely use.
    case unusual(Int)
    case implausible
  }

  package func plausibility(of frame: FrameRef, in bytes: Span<UInt8>) -> Plausibility {
    guard frame.condition == .complete || frame.condition == .truncated else { return .implausible }
    guard frame.count + frame.needed <= Catalog.longestFrame else { return .implausible }
    var (leaves, values) = (0, 0)
    var found = Plausibility.usual
    // Reads only the table, since copying the catalog costs more than the walk.
    let expectations = expectations
    let isPlausible = walkFields(of: frame, in: bytes) { leaf in
      leaves += 1
      guard leaves <= Catalog.maxLeaves, leaf.state == .whole || leaf.state == .cut else { return false }
      guard leaf.kind == .value, leaf.field != FieldRef.none else { return true }
      values += 1
      let expected = expectations[Int(leaf.field)]
      guard expected.isPlausible(leaf, in: bytes) else { return false }
      if let usual = expected.usual, usual != leaf.declared { found = .unusual(leaf.declared) }
      return true
    }
    // A list without items is four zeros, which are no evidence.
    if values == 0, frame.condition == .complete { found = .unusual(0) }
    return isPlausible ? found : .implausible
  }

  /// Whether a date in the frame precedes the service and its last byte could be the command of a legacy notification.
  /// If damage puts a 1 in the right position, the bytes before a legacy notification read as the beginning of an
  /// enhanced one.
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

  /// No notification has more leaves. The bound keeps the search for a frame linear in the number of bytes.
  private static let maxLeaves = 96
}
