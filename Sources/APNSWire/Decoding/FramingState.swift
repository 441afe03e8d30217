/// The state of a stream between frames. The caller passes the catalog to each step, so that many thousand streams
/// share one.
///
/// By default framing trusts the lengths. With recovery, a frame that cannot be framed, or that no sender would write,
/// ends where the next plausible frames begin. Recovery depends only on the bytes, never on how they arrive, and
/// inspects each byte a bounded number of times.
package struct FramingState: Sendable {
  package let role: StreamRole
  private let recovers: Bool
  private var state = State.aligned
  /// Whether the last frame is implausible, so that its lengths say nothing about missing bytes.
  private var lastIsDoubted = false

  package init(role: StreamRole, isAligned: Bool = true, recovers: Bool = false) {
    self.role = role
    self.recovers = recovers
    if !isAligned { state = .searching(.unaligned, rejected: 0) }
  }

  /// The next piece of a stream.
  package enum Step {
    case frame(FrameRef)
    /// A frame whose lengths are ones that senders rarely write. The caller resolves or recovers it.
    case doubtful(FrameRef, Catalog.Plausibility)
    /// A doubtful frame after recovery. It ends where the next frames begin; it is unchanged if none begin inside it.
    case recovered(FrameRef)
    /// More bytes are needed to decide.
    case needsMore

    package var frame: FrameRef? {
      switch self {
      case .frame(let frame), .doubtful(let frame, _), .recovered(let frame): frame
      case .needsMore: nil
      }
    }

    /// Whether no sender writes such a frame. A single unusual size is not enough.
    package var isImplausible: Bool {
      if case .doubtful(let frame, let plausibility) = self {
        plausibility == .implausible || frame.condition == .truncated
      } else {
        false
      }
    }

    package var isRecovered: Bool { if case .recovered = self { true } else { false } }

    /// A piece that belongs to no frame.
    fileprivate static func between(_ start: Int, _ end: Int, _ condition: FrameRef.Condition) -> Step {
      .frame(FrameRef(start: start, end: end, schema: FrameRef.noSchema, condition: condition))
    }
  }

  private enum State: Sendable {
    /// The next byte starts a frame.
    case aligned
    /// The next byte starts a doubtful frame. Recovery found no other frame in its first `rejected` bytes.
    case doubting(rejected: Int)
    /// This many of the next bytes belong to no frame that could still be read.
    case skipping(Int, FrameRef.Condition)
    /// The start of the next frame is unknown. The next `rejected` bytes do not contain it.
    case searching(FrameRef.Condition, rejected: Int)
  }

  /// Reads the frame or piece at `start`. `isFinal` says that the stream ends with `bytes`.
  package mutating func next(at start: Int, in bytes: Span<UInt8>, isFinal: Bool, _ catalog: Catalog) -> Step {
    guard start < bytes.count else { return .needsMore }
    switch state {
    case .aligned: return frame(at: start, rejected: nil, in: bytes, isFinal: isFinal, catalog)
    case .doubting(let rejected): return frame(at: start, rejected: rejected, in: bytes, isFinal: isFinal, catalog)
    case .skipping(let rest, let condition): return skip(rest, condition, at: start, in: bytes, isFinal: isFinal)
    case .searching(let condition, let rejected):
      return search(at: start, condition, rejected: rejected, in: bytes, isFinal: isFinal, catalog)
    }
  }

  /// Whether the next byte starts a frame that has not been doubted.
  package var isAligned: Bool { if case .aligned = state { true } else { false } }

  /// Skips the frame that starts with the next byte, which is complete and usual.
  package mutating func skipUsual() { lastIsDoubted = false }

  /// Accepts that `frame` and the following bytes up to `end` belong together, so that the next frame begins at `end`.
  /// Bytes after the frame itself follow as its tail.
  package mutating func resolve(_ frame: FrameRef, upTo end: Int) -> FrameRef {
    lastIsDoubted = false
    if !frame.isFrame || end < frame.end || frame.condition == .oversized {
      return overruled(frame, at: end)
    }
    state = .aligned
    if end > frame.end { skip(end - frame.end) }
    return frame
  }

  /// Treats the next `count` bytes as a continuation of what precedes them.
  package mutating func skip(_ count: Int) { state = .skipping(count, .tail) }

  /// Stops framing because the stream speaks another protocol: all remaining bytes belong to no frame.
  package mutating func abandon() {
    state = .skipping(.max, .foreign)
  }

  /// Records that `count` bytes of the stream are missing here. `last` is the preceding frame, which was framed with
  /// `isFinal`.
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

  /// - Parameter rejected: how many bytes recovery has searched without success; nil before recovery.
  private mutating func frame(
    at start: Int, rejected: Int?, in bytes: Span<UInt8>, isFinal: Bool, _ catalog: Catalog
  ) -> Step {
    let frame = catalog.frame(at: start, in: bytes, of: role)
    guard recovers else { return trusted(frame, isFinal: isFinal) }
    lastIsDoubted = false
    let plausibility = catalog.plausibility(of: frame, in: bytes)
    if plausibility == .usual, frame.condition == .complete {
      state = .aligned
      return .frame(frame)
    }
    if plausibility != .implausible, frame.condition == .truncated, !isFinal { return .needsMore }
    guard let rejected else { return .doubtful(frame, plausibility) }
    return recover(frame, plausibility, rejected: rejected, in: bytes, isFinal: isFinal, catalog)
  }

  private mutating func trusted(_ frame: FrameRef, isFinal: Bool) -> Step {
    switch frame.condition {
    case .truncated where !isFinal:
      return .needsMore
    case .unknownCommand:
      guard isFinal || frame.count == Catalog.longestPiece else { return .needsMore }
      state = .skipping(.max, .tail)
    case .oversized:
      state = .skipping(frame.needed, .tail)
    default:
      break
    }
    return .frame(frame)
  }

  /// Recovers the doubtful frame that begins with the next byte.
  package mutating func recover(
    _ frame: FrameRef, _ plausibility: Catalog.Plausibility, rejected: Int = 0, in bytes: Span<UInt8>, isFinal: Bool,
    _ catalog: Catalog
  ) -> Step {
    var candidate = frame.start + max(rejected, 1)
    let claim = frame.isFrame && frame.condition != .oversized ? frame.end : frame.start + Catalog.longestPiece
    while candidate < min(claim, bytes.count) {
      let found = catalog.confirmsFrames(at: candidate, in: bytes, of: role, isFinal: isFinal)
      // A frame with one unusual size gives way only to a frame without any.
      let isBetter =
        plausibility == .implausible
        || catalog.plausibility(of: catalog.frame(at: candidate, in: bytes, of: role), in: bytes) == .usual
      switch found {
      case .yes where isBetter: return .recovered(overruled(frame, at: candidate))
      case .needsMore where isBetter:
        state = .doubting(rejected: candidate - frame.start)
        return .needsMore
      default: candidate += 1
      }
    }
    let searched = candidate - frame.start
    switch frame.condition {
    case .truncated where !isFinal, .unknownCommand where !isFinal && searched < Catalog.longestPiece:
      state = .doubting(rejected: searched)
      return .needsMore
    case .unknownCommand, .oversized:
      state = .searching(.tail, rejected: max(0, searched - frame.count))
    default:
      lastIsDoubted = frame.condition == .truncated && plausibility == .implausible
      state = .aligned
    }
    return .recovered(frame)
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
  ) -> Step {
    let piece = min(rest, Catalog.longestPiece)
    let available = min(piece, bytes.count - start)
    guard isFinal || available == piece else { return .needsMore }
    if rest != .max { state = rest == available ? .aligned : .skipping(rest - available, condition) }
    return .between(start, start + available, condition)
  }

  private mutating func search(
    at start: Int, _ condition: FrameRef.Condition, rejected: Int, in bytes: Span<UInt8>, isFinal: Bool,
    _ catalog: Catalog
  ) -> Step {
    var candidate = start + rejected
    while candidate < bytes.count {
      switch catalog.confirmsFrames(at: candidate, in: bytes, of: role, isFinal: isFinal) {
      case .yes:
        state = .aligned
        if candidate == start { return next(at: start, in: bytes, isFinal: isFinal, catalog) }
        return .between(start, candidate, condition)
      case .no:
        candidate += 1
        if candidate - start >= Catalog.longestPiece {
          let end = start + Catalog.longestPiece
          state = .searching(condition, rejected: candidate - end)
          return .between(start, end, condition)
        }
      case .needsMore:
        state = .searching(condition, rejected: candidate - start)
        return .needsMore
      }
    }
    state = .searching(condition, rejected: isFinal ? 0 : candidate - start)
    guard isFinal else { return .needsMore }
    return .between(start, bytes.count, condition)
  }
}
