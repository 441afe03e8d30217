/// Frames a stream that arrives in pieces, and trusts all lengths. Every byte belongs to exactly one frame, regardless
/// of how the stream is cut.
///
/// A framer stores no bytes. The caller keeps the bytes that are not framed yet, and passes them again with more bytes
/// appended.
public struct Framer: Sendable {
  /// The frame types that the framer knows.
  public let catalog: Catalog
  /// The role whose frame types the stream holds.
  public var role: StreamRole { state.role }
  private var state: FramingState

  /// Creates a framer for one stream.
  ///
  /// - Parameters:
  ///   - catalog: the frame types to know.
  ///   - role: the sender of the stream.
  ///   - isAligned: whether the first byte starts a frame; otherwise the first frame is searched for.
  public init(_ catalog: Catalog, role: StreamRole, isAligned: Bool = true) {
    self.catalog = catalog
    state = FramingState(role: role, isAligned: isAligned)
  }

  /// The frame at `start`.
  ///
  /// - Parameters:
  ///   - start: an offset in `bytes`; the end of the preceding frame.
  ///   - bytes: the bytes of the stream that are available.
  ///   - isFinal: whether the stream ends with `bytes`.
  /// - Returns: nil if more bytes are needed to frame it, or if `start` is the end of `bytes`.
  public mutating func next(at start: Int, in bytes: Span<UInt8>, isFinal: Bool) -> FrameRef? {
    state.next(at: start, in: bytes, isFinal: isFinal, catalog)
  }

  /// Stops framing because the stream speaks another protocol: all remaining bytes belong to no frame.
  public mutating func abandon() { state.abandon() }

  /// Records that `count` bytes of the stream are missing here. `last` is the preceding frame, which was framed with
  /// `isFinal`; nil if there is none.
  public mutating func gap(of count: Int, after last: FrameRef?) { state.gap(of: count, after: last) }
}
