/// Frames a stream that arrives in pieces. Every byte belongs to exactly one frame, wherever the stream is cut.
///
/// A framer stores no bytes. The caller keeps the bytes that are not framed yet, and passes them again with more bytes
/// appended.
///
/// Framing trusts the lengths. Where a caller does not, it says where a frame ends, or has the next plausible frames
/// searched for. The search depends only on the bytes, never on how they arrive, and inspects each byte a bounded
/// number of times.
public struct Framer: Sendable {
  /// The frame types that the framer knows.
  public let catalog: Catalog
  /// The role whose frame types the stream holds.
  public let role: StreamRole
  private let trustsLengths: Bool
  private var state = State.aligned

  /// Creates a framer for one stream that trusts all lengths.
  ///
  /// - Parameters:
  ///   - catalog: the frame types to know.
  ///   - role: the sender of the stream.
  ///   - isAligned: whether the first byte starts a frame; otherwise the first frame is searched for.
  public init(_ catalog: Catalog, role: StreamRole, isAligned: Bool = true) {
    self.init(catalog, role: role, isAligned: isAligned, trustsLengths: true)
  }

  /// - Parameter trustsLengths: whether to wait for all bytes that the lengths claim. Otherwise the caller gets each
  ///   frame as far as the bytes go, and decides.
  package init(_ catalog: Catalog, role: StreamRole, isAligned: Bool, trustsLengths: Bool) {
    (self.catalog, self.role, self.trustsLengths) = (catalog, role, trustsLengths)
    if !isAligned { state = .searching(.unaligned, searched: 0) }
  }

  private enum State: Sendable {
    /// The next byte starts a frame.
    case aligned
    /// The next byte starts a frame whose lengths are not believed. No others begin in its first `searched` bytes.
    case doubting(searched: Int)
    /// This many of the next bytes belong to no frame that could still be read.
    case skipping(Int, FrameRef.Condition)
    /// The start of the next frame is unknown. No frames begin in the next `searched` bytes.
    case searching(FrameRef.Condition, searched: Int)
  }

  /// The frame at `start`, or a piece of bytes that belong to none.
  ///
  /// - Parameters:
  ///   - start: an offset in `bytes`; the end of the preceding frame.
  ///   - bytes: the bytes of the stream that are available.
  ///   - isFinal: whether the stream ends with `bytes`.
  /// - Returns: nil if more bytes are needed to frame it, or if `start` is the end of `bytes`.
  public mutating func next(at start: Int, in bytes: Span<UInt8>, isFinal: Bool) -> FrameRef? {
    guard start < bytes.count else { return nil }
    switch state {
    case .aligned:
      let frame = catalog.frame(at: start, in: bytes, of: role)
      return trustsLengths ? trusted(frame, isFinal: isFinal) : frame
    case .doubting(let searched):
      let frame = catalog.frame(at: start, in: bytes, of: role)
      return doubt(frame, searched: searched, in: bytes, isFinal: isFinal)
    case .skipping(let rest, let condition): return skip(rest, condition, at: start, in: bytes, isFinal: isFinal)
    case .searching(let condition, let searched):
      return search(at: start, condition, searched: searched, in: bytes, isFinal: isFinal)
    }
  }

  /// Whether the next byte starts a frame that has not been doubted.
  package var isAligned: Bool { if case .aligned = state { true } else { false } }

  /// Whether the next byte starts a frame that has been doubted.
  package var isDoubting: Bool { if case .doubting = state { true } else { false } }

  /// Accepts that `frame` and the following bytes up to `end` belong together, so that the next frame begins at `end`.
  /// Bytes after the frame itself follow as its tail.
  package mutating func resolve(_ frame: FrameRef, upTo end: Int) -> FrameRef {
    if !frame.isFrame || end < frame.end || frame.condition == .oversized {
      return overruled(frame, at: end)
    }
    state = .aligned
    if end > frame.end { state = .skipping(end - frame.end, .tail) }
    return frame
  }

  /// Stops framing because the stream speaks another protocol: all remaining bytes belong to no frame.
  public mutating func abandon() { state = .skipping(.max, .foreign) }

  /// Records that `count` bytes of the stream are missing here. `last` is the preceding frame, which was framed with
  /// `isFinal`; nil if there is none.
  public mutating func gap(of count: Int, after last: FrameRef?) {
    var owed = 0
    if case .skipping(let rest, _) = state {
      if rest == .max { return }
      owed = rest
    } else if let last, last.condition == .truncated, last.endIsKnown {
      owed = last.needed
    }
    if owed == 0 || owed < count {
      state = .searching(.unaligned, searched: 0)
    } else {
      state = owed == count ? .aligned : .skipping(owed - count, .tail)
    }
  }

  private mutating func trusted(_ frame: FrameRef, isFinal: Bool) -> FrameRef? {
    switch frame.condition {
    case .truncated where !isFinal: return nil
    case .unknownCommand:
      guard isFinal || frame.count == Catalog.longestPiece else { return nil }
      state = .skipping(.max, .tail)
    case .oversized: state = .skipping(frame.needed, .tail)
    default: break
    }
    return frame
  }

  /// Ends a frame where the next frames begin, if any begin inside the bytes that it claims; otherwise it is unchanged.
  /// Returns nil if more bytes are needed to decide.
  ///
  /// - Parameter searched: no frames begin in this many bytes from its start on.
  package mutating func doubt(
    _ frame: FrameRef, searched: Int = 1, in bytes: Span<UInt8>, isFinal: Bool
  ) -> FrameRef? {
    let claim = frame.isFrame && frame.condition != .oversized ? frame.end : frame.start + Catalog.longestPiece
    let (found, place) = nextFrames(from: frame.start + searched, upTo: claim, in: bytes, isFinal: isFinal)
    state = .doubting(searched: place - frame.start)
    if found == .yes { return overruled(frame, at: place) }
    guard found == .no else { return nil }
    switch frame.condition {
    case .truncated where !isFinal, .unknownCommand where !isFinal && place < claim: return nil
    case .truncated:
      state = .aligned
      return FrameRef(
        start: frame.start, end: frame.end, schema: frame.schema, condition: .truncated, needed: frame.needed,
        endIsKnown: frame.endIsKnown && catalog.isPlausible(frame, in: bytes))
    case .unknownCommand, .oversized: state = .searching(.tail, searched: max(0, place - frame.end))
    default: state = .aligned
    }
    return frame
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
    at start: Int, _ condition: FrameRef.Condition, searched: Int, in bytes: Span<UInt8>, isFinal: Bool
  ) -> FrameRef? {
    let limit = start + Catalog.longestPiece
    let (found, place) = nextFrames(from: start + searched, upTo: limit, in: bytes, isFinal: isFinal)
    state = found == .yes ? .aligned : .searching(condition, searched: place - start)
    if found == .needsMore || found == .no && place < limit && !isFinal { return nil }
    if place == start { return next(at: start, in: bytes, isFinal: isFinal) }
    if found == .no { state = .searching(condition, searched: 0) }
    return FrameRef(start: start, end: place, schema: FrameRef.noSchema, condition: condition)
  }

  /// Whether frames begin in a range of the bytes, and the first offset where they do or may; its end if none do.
  private func nextFrames(
    from start: Int, upTo end: Int, in bytes: Span<UInt8>, isFinal: Bool
  ) -> (Catalog.Confirmation, place: Int) {
    var place = start
    while place < min(end, bytes.count) {
      let found = catalog.confirmsFrames(at: place, in: bytes, of: role, isFinal: isFinal)
      if found != .no { return (found, place) }
      place += 1
    }
    return (.no, place)
  }
}
