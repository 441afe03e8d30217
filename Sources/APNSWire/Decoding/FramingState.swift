/// Where a stream stands between frames. The catalog comes with each step, so that many thousand streams share one.
///
/// Framing believes the lengths. Recovery, where it is asked for, doubts them: a frame that cannot be framed, or that no
/// sender would write, is read only up to the next place where frames begin that fit. It goes by the bytes alone, never
/// by how they arrive, and looks at each of them a bounded number of times.
package struct FramingState: Sendable {
  package let role: StreamRole
  private let recovers: Bool
  private var state = State.aligned
  /// The last frame is not plausible, so what it claims beyond the bytes that are there says nothing.
  private var lastIsDoubted = false
  private let asks: Bool
  /// A frame that is doubted: whoever knows more of it is asked to `settle` it, or to leave it to recovery.
  package private(set) var question: FrameRef?
  private var isLeftToRecovery = false

  /// - Parameter asks: before recovery doubts a frame, it waits for an answer.
  package init(role: StreamRole, isAligned: Bool = true, recovers: Bool = false, asks: Bool = false) {
    self.role = role
    self.recovers = recovers
    self.asks = recovers && asks
    if !isAligned { state = .searching(.unaligned, rejected: 0) }
  }

  private enum State: Sendable {
    /// The next byte starts a frame.
    case aligned
    /// The next byte starts a frame that is doubted; in so many bytes from there on no other begins.
    case doubting(rejected: Int)
    /// So many bytes belong to no frame that could still be read.
    case skipping(Int, FrameRef.Condition)
    /// The next frame starts nobody knows where; so many bytes were searched in vain.
    case searching(FrameRef.Condition, rejected: Int)
  }

  /// The frame at `start`, or nil where it takes more bytes to tell. With `isFinal` the stream ends with `bytes`.
  package mutating func next(
    at start: Int, in bytes: Span<UInt8>, isFinal: Bool, _ catalog: Catalog
  ) -> FrameRef? {
    question = nil
    guard start < bytes.count else { return nil }
    let frame = step(at: start, in: bytes, isFinal: isFinal, catalog)
    if frame != nil { isLeftToRecovery = false }
    return frame
  }

  /// The next byte starts a frame, and nothing is known against it yet.
  package var isAligned: Bool { if case .aligned = state { true } else { false } }

  /// The frame that starts with the next byte is whole and usual, and is passed over.
  package mutating func passWhole() {
    question = nil
    isLeftToRecovery = false
    lastIsDoubted = false
  }

  /// Nobody knows more of the frame in question.
  package mutating func leaveToRecovery() { isLeftToRecovery = true }

  /// The bytes of `frame`, and those behind it up to `end`, are accounted for: there the next frame begins. What the frame
  /// does not hold itself follows as its tail.
  package mutating func settle(_ frame: FrameRef, upTo end: Int) -> FrameRef {
    question = nil
    isLeftToRecovery = false
    lastIsDoubted = false
    if !frame.isFrame || end < frame.end || frame.condition == .oversized {
      return overruled(frame, at: end)
    }
    state = .aligned
    if end > frame.end { skip(end - frame.end) }
    return frame
  }

  /// So many bytes belong to what went before.
  package mutating func skip(_ count: Int) { state = .skipping(count, .tail) }

  private mutating func step(
    at start: Int, in bytes: Span<UInt8>, isFinal: Bool, _ catalog: Catalog
  ) -> FrameRef? {
    switch state {
    case .aligned: return frame(at: start, rejected: 0, in: bytes, isFinal: isFinal, catalog)
    case .doubting(let rejected): return frame(at: start, rejected: rejected, in: bytes, isFinal: isFinal, catalog)
    case .skipping(let rest, let condition):
      return skip(rest, condition, at: start, in: bytes, isFinal: isFinal)
    case .searching(let condition, let rejected):
      return search(at: start, condition, rejected: rejected, in: bytes, isFinal: isFinal, catalog)
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
    } else if let last, last.condition == .truncated, last.endIsKnown, !lastIsDoubted {
      owed = last.needed
    }
    if owed == 0 || owed < count {
      state = .searching(.unaligned, rejected: 0)
    } else {
      state = owed == count ? .aligned : .skipping(owed - count, .tail)
    }
  }

  private mutating func frame(
    at start: Int, rejected: Int, in bytes: Span<UInt8>, isFinal: Bool, _ catalog: Catalog
  ) -> FrameRef? {
    let frame = catalog.frame(at: start, in: bytes, of: role)
    guard recovers else { return believed(frame, isFinal: isFinal) }
    lastIsDoubted = false
    let look = catalog.look(of: frame, in: bytes)
    if look == .usual, frame.condition == .complete { return settled(frame) }
    if look != .wrong, frame.condition == .truncated, !isFinal { return nil }
    // One odd size is no fault: it is left to recovery, and waits for no answer.
    if asks, !isLeftToRecovery, look == .wrong || frame.condition == .truncated {
      question = frame
      return nil
    }
    return doubted(frame, look, rejected: rejected, in: bytes, isFinal: isFinal, catalog)
  }

  private mutating func settled(_ frame: FrameRef) -> FrameRef {
    state = .aligned
    return frame
  }

  private mutating func believed(_ frame: FrameRef, isFinal: Bool) -> FrameRef? {
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

  /// A frame that no sender would write, up to the next frames; whole where none begin inside it.
  private mutating func doubted(
    _ frame: FrameRef, _ look: Catalog.Look, rejected: Int, in bytes: Span<UInt8>, isFinal: Bool, _ catalog: Catalog
  ) -> FrameRef? {
    var candidate = frame.start + max(rejected, 1)
    let claim = frame.isFrame && frame.condition != .oversized ? frame.end : frame.start + Catalog.longestPiece
    while candidate < min(claim, bytes.count) {
      let found = catalog.confirmsFrames(at: candidate, in: bytes, of: role, isFinal: isFinal)
      // One odd size gives way to a frame without any, not to other odd sizes.
      let isBetter =
        look == .wrong || catalog.look(of: catalog.frame(at: candidate, in: bytes, of: role), in: bytes) == .usual
      switch found {
      case .yes where isBetter: return overruled(frame, at: candidate)
      case .needsMore where isBetter:
        state = .doubting(rejected: candidate - frame.start)
        return nil
      default: candidate += 1
      }
    }
    let searched = candidate - frame.start
    switch frame.condition {
    case .truncated where !isFinal, .unknownCommand where !isFinal && searched < Catalog.longestPiece:
      state = .doubting(rejected: searched)
      return nil
    case .unknownCommand, .oversized:
      state = .searching(.tail, rejected: max(0, searched - frame.count))
      return frame
    default:
      lastIsDoubted = frame.condition == .truncated && look == .wrong
      return settled(frame)
    }
  }

  private mutating func overruled(_ frame: FrameRef, at next: Int) -> FrameRef {
    let end = min(next, frame.start + Catalog.longestPiece)
    state = end == next ? .aligned : .skipping(next - end, .tail)
    return FrameRef(
      start: frame.start, end: end, schema: frame.schema,
      condition: frame.isFrame ? .overruled : frame.condition)
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
    at start: Int, _ condition: FrameRef.Condition, rejected: Int, in bytes: Span<UInt8>, isFinal: Bool,
    _ catalog: Catalog
  ) -> FrameRef? {
    var candidate = start + rejected
    while candidate < bytes.count {
      switch catalog.confirmsFrames(at: candidate, in: bytes, of: role, isFinal: isFinal) {
      case .yes:
        state = .aligned
        if candidate == start { return next(at: start, in: bytes, isFinal: isFinal, catalog) }
        return FrameRef(start: start, end: candidate, schema: FrameRef.noSchema, condition: condition)
      case .no:
        candidate += 1
        if candidate - start >= Catalog.longestPiece {
          let end = start + Catalog.longestPiece
          state = .searching(condition, rejected: candidate - end)
          return FrameRef(start: start, end: end, schema: FrameRef.noSchema, condition: condition)
        }
      case .needsMore:
        state = .searching(condition, rejected: candidate - start)
        return nil
      }
    }
    state = .searching(condition, rejected: isFinal ? 0 : candidate - start)
    guard isFinal else { return nil }
    return FrameRef(start: start, end: bytes.count, schema: FrameRef.noSchema, condition: condition)
  }
}
