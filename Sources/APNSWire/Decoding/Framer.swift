/// Frames a stream that arrives in pieces. Every byte belongs to exactly one frame, wherever the stream is cut.
///
/// A framer stores no bytes. The caller keeps the bytes that are not framed yet, and passes them again with more bytes
/// appended.
///
/// Framing trusts the lengths. Where they do not say where the next frame begins, the caller has to find it.
public struct Framer: Sendable {
  /// The frame types that the framer knows.
  public let catalog: Catalog
  /// The role whose frame types the stream holds.
  public let role: StreamRole
  private var state = State.aligned

  /// Creates a framer for one stream.
  ///
  /// - Parameters:
  ///   - catalog: the frame types to know.
  ///   - role: the sender of the stream.
  ///   - isAligned: whether the first byte starts a frame; otherwise it is not known where the first one begins.
  public init(_ catalog: Catalog, role: StreamRole, isAligned: Bool = true) {
    (self.catalog, self.role) = (catalog, role)
    if !isAligned { state = .lost(.unaligned) }
  }

  private enum State: Sendable {
    /// The next byte starts a frame.
    case aligned
    /// This many of the next bytes belong to no frame that could still be read.
    case skipping(Int, FrameRef.Condition)
    /// The start of the next frame is unknown.
    case lost(FrameRef.Condition)
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
    case .aligned: return trusted(catalog.frame(at: start, in: bytes, of: role), isFinal: isFinal)
    case .skipping(let rest, let condition):
      let piece = skip(rest, condition, at: start, in: bytes, isFinal: isFinal)
      if let piece { state = rest == piece.count ? .aligned : .skipping(rest - piece.count, condition) }
      return piece
    case .lost(let condition): return skip(.max, condition, at: start, in: bytes, isFinal: isFinal)
    }
  }

  /// Whether the next byte starts a frame.
  package var isAligned: Bool { if case .aligned = state { true } else { false } }

  /// Why it is not known where the next frame begins; nil if it is.
  public var loss: FrameRef.Condition? { if case .lost(let condition) = state { condition } else { nil } }

  /// Accepts that the next frame begins after `count` bytes.
  public mutating func resume(after count: Int) {
    state = count > 0 ? .skipping(count, loss ?? .tail) : .aligned
  }

  /// Accepts that it is not known where the next frame begins.
  package mutating func lose() { state = .lost(.tail) }

  /// Accepts that `frame` and the following bytes up to `end` belong together, so that the next frame begins at `end`.
  /// Bytes after the frame itself follow as its tail.
  package mutating func resolve(_ frame: FrameRef, upTo end: Int) -> FrameRef {
    var resolved = frame
    if !frame.isFrame || end < frame.end || frame.condition == .oversized {
      resolved = FrameRef(
        start: frame.start, end: min(end, frame.start + Catalog.longestPiece), schema: frame.schema,
        condition: frame.isFrame ? .overruled : frame.condition)
    }
    state = .aligned
    resume(after: end - resolved.end)
    return resolved
  }

  /// Stops framing because the stream speaks another protocol: all remaining bytes belong to no frame.
  public mutating func abandon() { state = .lost(.foreign) }

  /// Records that `count` bytes of the stream are missing here. `last` is the preceding frame, which was framed with
  /// `isFinal`; nil if there is none.
  public mutating func gap(of count: Int, after last: FrameRef?) {
    var owed = 0
    switch state {
    case .lost(.foreign): return
    case .skipping(let rest, _): owed = rest
    default: if let last, last.condition == .truncated, last.endIsKnown { owed = last.needed }
    }
    if owed == 0 || owed < count {
      state = .lost(.unaligned)
    } else {
      state = owed == count ? .aligned : .skipping(owed - count, .tail)
    }
  }

  private mutating func trusted(_ frame: FrameRef, isFinal: Bool) -> FrameRef? {
    switch frame.condition {
    case .truncated where !isFinal: return nil
    case .unknownCommand:
      guard isFinal || frame.count == Catalog.longestPiece else { return nil }
      state = .lost(.tail)
    case .oversized: state = .skipping(frame.needed, .tail)
    default: break
    }
    return frame
  }

  private func skip(
    _ rest: Int, _ condition: FrameRef.Condition, at start: Int, in bytes: Span<UInt8>, isFinal: Bool
  ) -> FrameRef? {
    let piece = min(rest, Catalog.longestPiece)
    let available = min(piece, bytes.count - start)
    guard isFinal || available == piece else { return nil }
    return FrameRef(start: start, end: start + available, schema: FrameRef.noSchema, condition: condition)
  }
}
