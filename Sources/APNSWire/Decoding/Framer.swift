/// Frames a stream that arrives in pieces: every byte belongs to exactly one frame, whatever the pieces are.
///
/// It holds no bytes. The caller keeps what is not framed yet and passes it in again with more behind it.
public struct Framer: Sendable {
  public let catalog: Catalog
  public var role: StreamRole { state.role }
  private var state: FramingState

  /// Not `isAligned`: the first bytes are missing, so the first frame has to be searched for.
  public init(_ catalog: Catalog, role: StreamRole, isAligned: Bool = true) {
    self.catalog = catalog
    state = FramingState(role: role, isAligned: isAligned)
  }

  /// The frame at `start`, or nil where it takes more bytes to tell. With `isFinal` the stream ends with `bytes`.
  public mutating func next(at start: Int, in bytes: Span<UInt8>, isFinal: Bool) -> FrameRef? {
    state.next(at: start, in: bytes, isFinal: isFinal, catalog)
  }

  /// The stream speaks another protocol: all that follows belongs to no frame.
  public mutating func abandon() { state.abandon() }

  /// `count` bytes of the stream are missing here; `last` is the frame just before, given with `isFinal`.
  public mutating func gap(of count: Int, after last: FrameRef?) { state.gap(of: count, after: last) }
}

/// Where a stream stands between frames. The catalog comes with each step, so that many thousand streams share one.
package struct FramingState: Sendable {
  package let role: StreamRole
  private var state = State.aligned

  package init(role: StreamRole, isAligned: Bool = true) {
    self.role = role
    if !isAligned { state = .searching(rejected: 0) }
  }

  private enum State: Sendable {
    /// The next byte starts a frame.
    case aligned
    /// So many bytes belong to no frame that could still be read.
    case skipping(Int, FrameRef.Condition)
    /// The next frame starts nobody knows where; so many bytes were searched in vain.
    case searching(rejected: Int)
  }

  /// The frame at `start`, or nil where it takes more bytes to tell. With `isFinal` the stream ends with `bytes`.
  package mutating func next(
    at start: Int, in bytes: Span<UInt8>, isFinal: Bool, _ catalog: Catalog
  ) -> FrameRef? {
    guard start < bytes.count else { return nil }
    switch state {
    case .aligned: return frame(at: start, in: bytes, isFinal: isFinal, catalog)
    case .skipping(let rest, let condition):
      return skip(rest, condition, at: start, in: bytes, isFinal: isFinal)
    case .searching(let rejected):
      return search(at: start, rejected: rejected, in: bytes, isFinal: isFinal, catalog)
    }
  }

  /// The stream speaks another protocol: all that follows belongs to no frame.
  package mutating func abandon() {
    state = .skipping(.max, .foreign)
  }

  /// `count` bytes of the stream are missing here; `last` is the frame just before, given with `isFinal`.
  package mutating func gap(of count: Int, after last: FrameRef?) {
    var owed = 0
    if case .skipping(let rest, _) = state {
      if rest == .max { return }
      owed = rest
    } else if let last, last.condition == .truncated, last.endIsKnown {
      owed = last.needed
    }
    if owed == 0 || owed < count {
      state = .searching(rejected: 0)
    } else {
      state = owed == count ? .aligned : .skipping(owed - count, .tail)
    }
  }

  private mutating func frame(
    at start: Int, in bytes: Span<UInt8>, isFinal: Bool, _ catalog: Catalog
  ) -> FrameRef? {
    let frame = catalog.frame(at: start, in: bytes, of: role)
    switch frame.condition {
    case .truncated where !isFinal:
      return nil
    case .unknownCommand:
      guard isFinal || frame.count == Catalog.longestPiece else { return nil }
      state = .skipping(.max, .tail)
      return frame
    case .oversized:
      state = .skipping(frame.needed, .tail)
      return frame
    default:
      return frame
    }
  }

  private mutating func skip(
    _ rest: Int, _ condition: FrameRef.Condition, at start: Int, in bytes: Span<UInt8>, isFinal: Bool
  ) -> FrameRef? {
    let piece = min(rest, Catalog.longestPiece)
    let available = min(piece, bytes.count - start)
    guard isFinal || available == piece else { return nil }
    if rest != .max { state = rest == available ? .aligned : .skipping(rest - available, condition) }
    return FrameRef(start: start, end: start + available, schema: FrameRef.noSchema, condition: condition)
  }

  private mutating func search(
    at start: Int, rejected: Int, in bytes: Span<UInt8>, isFinal: Bool, _ catalog: Catalog
  ) -> FrameRef? {
    var candidate = start + rejected
    while candidate < bytes.count {
      switch catalog.confirmsFrames(at: candidate, in: bytes, of: role, isFinal: isFinal) {
      case .yes:
        state = .aligned
        if candidate == start { return frame(at: start, in: bytes, isFinal: isFinal, catalog) }
        return FrameRef(start: start, end: candidate, schema: FrameRef.noSchema, condition: .unaligned)
      case .no:
        candidate += 1
        if candidate - start == Catalog.longestPiece {
          state = .searching(rejected: 0)
          return FrameRef(start: start, end: candidate, schema: FrameRef.noSchema, condition: .unaligned)
        }
      case .needsMore:
        state = .searching(rejected: candidate - start)
        return nil
      }
    }
    state = .searching(rejected: isFinal ? 0 : candidate - start)
    guard isFinal else { return nil }
    return FrameRef(start: start, end: bytes.count, schema: FrameRef.noSchema, condition: .unaligned)
  }
}
