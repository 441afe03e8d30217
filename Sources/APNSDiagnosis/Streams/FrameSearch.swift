import APNSWire
import Octets

/// Finds where frames begin if lengths do not say it. It is trivial, because each byte is searched.
package struct FrameSearch: BitwiseCopyable, Sendable {
  /// The side that sends the stream.
  let role: StreamRole
  /// Whether the stream ends with the bytes.
  let isFinal: Bool
  /// The offset before which no bytes are read.
  let origin: Int
  /// Where the frame ends that is searched for others, as far as its lengths say; nil if there is none.
  let claim: Int?
  /// Whether only a frame counts that is proof in itself.
  let needsProof: Bool

  package init(
    _ role: StreamRole, isFinal: Bool, after origin: Int = 0, within claim: Int? = nil, needsProof: Bool = false
  ) {
    (self.role, self.isFinal) = (role, isFinal)
    (self.origin, self.claim, self.needsProof) = (origin, claim, needsProof)
  }

  /// Whether frames begin at an offset.
  package enum Beginning: Sendable {
    /// Frames begin there.
    case yes
    /// No frame begins there, or too little of one to be sure.
    case no
    /// More bytes are needed to decide.
    case needsMore
  }

  /// The first offset from `start` on at which frames begin, or may begin; `end` or the end of the bytes if none do.
  package func next(
    from start: Int, upTo end: Int, in bytes: Span<UInt8>, _ catalog: Catalog
  ) -> (found: Beginning, place: Int) {
    var place = start
    while place < min(end, bytes.count) {
      let found = frames(at: place, in: bytes, catalog)
      if found != .no { return (found, place) }
      place += 1
    }
    return (.no, place)
  }

  /// Whether frames begin at `start`. This needs one complete frame that is proof in itself; or a plausible one that
  /// another plausible one follows, or the end of the bytes. The second one may be cut there. Sizes that senders rarely
  /// use count only if both frames have them.
  func frames(at start: Int, in bytes: Span<UInt8>, _ catalog: Catalog) -> Beginning {
    let first = catalog.frame(at: start, in: bytes, of: role)
    guard first.condition == .complete || first.condition == .truncated && !isFinal else { return .no }
    let one = FrameEvidence(first, in: bytes, catalog)
    guard one.isDivided, !hasMisreadDate(first, in: bytes, catalog) else { return .no }
    guard first.condition == .complete else { return one.isPlausible || one.hasToken(in: bytes) ? .needsMore : .no }
    if catalog.hasCommands(role), one.isProof(in: bytes), !isEndOfLonger(first, in: bytes) { return .yes }
    guard one.isPlausible, !needsProof else { return .no }
    guard first.end < bytes.count else { return !isFinal ? .needsMore : one.isUsual ? .yes : .no }
    let second = catalog.frame(at: first.end, in: bytes, of: role)
    let next = FrameEvidence(second, in: bytes, catalog)
    guard next.isPlausible else { return .no }
    guard second.condition == .complete || isFinal else { return .needsMore }
    return one.isUsual || one.rareSize == next.rareSize ? .yes : .no
  }

  /// Whether a date in the frame precedes the service and its last byte could be the command of a legacy notification.
  /// If damage puts a 1 in the right position, the bytes before a legacy notification read as the beginning of an
  /// enhanced one.
  private func hasMisreadDate(_ frame: FrameRef, in bytes: Span<UInt8>, _ catalog: Catalog) -> Bool {
    let expectations = catalog.expectations
    return !catalog.walkFields(of: frame, in: bytes) { leaf in
      guard leaf.kind == .value, leaf.field != FieldRef.none, case .date = expectations[Int(leaf.field)].kind,
        let date = leaf.integer(in: bytes)
      else { return true }
      let command = UInt8(truncatingIfNeeded: date)
      return date == 0 || date >= UInt64(Catalog.serviceBegan) || command != LegacyNotification.schema.command?.rawValue
    }
  }

  /// Whether the frame is a legacy notification whose command is the last byte of an expiry, as in an enhanced one: it
  /// ends where the frame does that is searched, or follows the bytes of a time.
  private func isEndOfLonger(_ frame: FrameRef, in bytes: Span<UInt8>) -> Bool {
    guard bytes[frame.start] == LegacyNotification.schema.command?.rawValue else { return false }
    return frame.end == claim
      || frame.start >= origin + 3 && Evidence.dates.contains(Int(bytes.bigEndian(frame.start - 3, width: 4)))
  }
}

extension Catalog {
  /// The complete frame that begins at `start`; nil unless a real sender could have written it.
  func plausibleFrame(at start: Int, in bytes: Span<UInt8>, of role: StreamRole) -> FrameRef? {
    let frame = frame(at: start, in: bytes, of: role)
    return frame.condition == .complete && isPlausible(frame, in: bytes) ? frame : nil
  }
}

extension FrameEvidence {
  /// Whether the lengths lead to a token, as far as it has arrived.
  fileprivate func hasToken(in bytes: Span<UInt8>) -> Bool {
    guard let token, token.declared == Evidence.tokenSize, !isShifted(token, in: bytes) else { return false }
    return token.state == .cut || Evidence.isToken([UInt8](copying: bytes.extracting(token.range)))
  }

  /// Whether the lengths lead to a token, or to a JSON object after what may be one. No other frame need follow then.
  fileprivate func isProof(in bytes: Span<UInt8>) -> Bool {
    guard let token, token.count >= Evidence.tokenSize, !isShifted(token, in: bytes) else { return false }
    return hasToken(in: bytes)
      || isPlausible && payload.map { Evidence.isObject([UInt8](copying: bytes.extracting($0.range))) } ?? false
  }

  /// Whether the token holds the length of another: numbers before a frame may read as the head of one.
  private func isShifted(_ token: FieldRef, in bytes: Span<UInt8>) -> Bool {
    bytes.first([UInt8](bigEndian: UInt64(Evidence.tokenSize), width: 2), in: token.range) != nil
  }
}
