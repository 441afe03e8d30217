/// Whether frames begin somewhere, judged by what is plausible in them. A heuristic: used to find the next frame
/// behind missing bytes and to tell roles apart, never to refuse a frame.
extension Catalog {
  public enum Confirmation: Sendable {
    case yes
    case no
    case needsMore
  }

  /// Frames begin at `start` when a whole plausible one stands there and another behind it, or the end of the bytes,
  /// or a cut one that is plausible so far.
  public func confirmsFrames(
    at start: Int, in bytes: Span<UInt8>, of role: StreamRole, isFinal: Bool
  ) -> Confirmation {
    let first = frame(at: start, in: bytes, of: role)
    if isFinal, first.condition != .complete { return .no }
    guard isPlausible(first, in: bytes) else { return .no }
    guard first.condition == .complete else { return .needsMore }
    guard first.end < bytes.count else { return isFinal ? .yes : .needsMore }
    let second = frame(at: first.end, in: bytes, of: role)
    guard isPlausible(second, in: bytes) else { return .no }
    return second.condition == .complete || isFinal ? .yes : .needsMore
  }

  /// Whether a real sender may have written this frame; of a truncated one, what there is of it.
  public func isPlausible(_ frame: FrameRef, in bytes: Span<UInt8>) -> Bool {
    guard frame.condition == .complete || frame.condition == .truncated else { return false }
    guard frame.count + frame.needed <= Catalog.longestFrame else { return false }
    var leaves = 0
    return walkFields(of: frame, in: bytes) { leaf in
      leaves += 1
      return leaves <= Catalog.mostLeaves && self.isPlausible(leaf, in: bytes)
    }
  }

  /// No notification has more; the bound keeps the search for a frame linear in the bytes that it searches.
  private static let mostLeaves = 96

  private func isPlausible(_ leaf: FieldRef, in bytes: Span<UInt8>) -> Bool {
    switch leaf.state {
    case .overrun, .unknown, .wrongSize: return false
    case .whole, .cut: break
    }
    guard leaf.kind == .value, let field = field(of: leaf) else { return true }
    if let sizes = field.plausible, !sizes.contains(leaf.declared) { return false }
    switch field.content {
    case .json:
      guard leaf.count > 0 else { return true }
      let opens = bytes[leaf.start] == UInt8(ascii: "{")
      return opens && (leaf.state == .cut || bytes[leaf.end - 1] == UInt8(ascii: "}"))
    case .integer(_, .code(let names, _)):
      return leaf.integer(in: bytes).map { names[$0] != nil } ?? true
    default:
      return true
    }
  }
}
