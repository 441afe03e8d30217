/// Frames a stream that arrives in pieces: every byte belongs to exactly one frame, whatever the pieces are.
///
/// It holds no bytes. The caller keeps what is not framed yet and passes it in again with more behind it.
public struct Framer: Sendable {
  public let catalog: Catalog
  public var role: StreamRole { state.role }
  private var state: FramingState

  /// - Parameters:
  ///   - isAligned: the stream is here from its first byte; else the first frame has to be searched for.
  ///   - recovers: lengths are doubted where a frame is not plausible and the next ones can be found; else they are
  ///     believed, whatever comes of it.
  public init(_ catalog: Catalog, role: StreamRole, isAligned: Bool = true, recovers: Bool = false) {
    self.catalog = catalog
    state = FramingState(role: role, isAligned: isAligned, recovers: recovers)
  }

  /// The frame at `start`, or nil where it takes more bytes to tell. With `isFinal` the stream ends with `bytes`.
  public mutating func next(at start: Int, in bytes: Span<UInt8>, isFinal: Bool) -> FrameRef? {
    let step = state.next(at: start, in: bytes, isFinal: isFinal, catalog)
    guard case .doubtful(let frame, let plausibility) = step else { return step.frame }
    return state.recover(frame, plausibility, in: bytes, isFinal: isFinal, catalog).frame
  }

  /// The stream speaks another protocol: all that follows belongs to no frame.
  public mutating func abandon() { state.abandon() }

  /// `count` bytes of the stream are missing here; `last` is the frame just before, given with `isFinal`.
  public mutating func gap(of count: Int, after last: FrameRef?) { state.gap(of: count, after: last) }
}
