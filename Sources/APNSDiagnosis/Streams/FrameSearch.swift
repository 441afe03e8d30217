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

  /// The first offset from `start` on at which frames begin, or at which more bytes are needed to decide: `found` is
  /// nil then. `end` or the end of the bytes if none do.
  package func next(
    from start: Int, upTo end: Int, in bytes: Span<UInt8>, _ catalog: Catalog
  ) -> (found: Bool?, place: Int) {
    var place = start
    while place < min(end, bytes.count) {
      let found = frames(at: place, in: bytes, catalog)
      if found != false { return (found, place) }
      place += 1
    }
    return (false, place)
  }

  /// Whether frames begin at `start`. This needs one complete frame that is proof in itself; or a plausible one that
  /// another plausible one follows, or the end of the bytes. The second one may be cut there. Sizes that senders rarely
  /// use count only if both frames have them. Nil if more bytes are needed to decide.
  func frames(at start: Int, in bytes: Span<UInt8>, _ catalog: Catalog) -> Bool? {
    let first = catalog.frame(at: start, in: bytes, of: role)
    guard catalog.mayBeWritten(first), first.condition == .complete || !isFinal else { return false }
    let one = FrameEvidence(first, in: bytes, catalog)
    guard one.isDivided else { return false }
    guard first.condition == .complete else { return one.isPlausible || one.hasToken(in: bytes) ? nil : false }
    if catalog.hasCommands(role), one.isProof(in: bytes), !isEndOfLonger(first, in: bytes) {
      return beginning(of: first, one, in: bytes, catalog)
    }
    guard one.isPlausible, !needsProof else { return false }
    guard first.end < bytes.count else { return isFinal ? one.isUsual : nil }
    let second = catalog.frame(at: first.end, in: bytes, of: role)
    let next = FrameEvidence(second, in: bytes, catalog)
    guard next.isPlausible else { return false }
    guard second.condition == .complete || isFinal else { return nil }
    return one.isUsual || one.rareSize == next.rareSize
  }

  /// Whether the frame that holds this token begins here, and not later: bytes before a frame may read as the beginning
  /// of another. One that is not plausible, or has a date that precedes the service, gives way to a plausible one.
  private func beginning(
    of frame: FrameRef, _ evidence: FrameEvidence, in bytes: Span<UInt8>, _ catalog: Catalog
  ) -> Bool? {
    let date = catalog.leaf(.expiry, of: frame, in: bytes)?.integer(in: bytes) ?? 0
    guard !evidence.isPlausible || 1..<UInt64(Catalog.serviceBegan) ~= date, let token = evidence.token else {
      return true
    }
    for start in frame.start + 1..<token.start {
      let other = catalog.frame(at: start, in: bytes, of: role)
      let found = FrameEvidence(other, in: bytes, catalog)
      guard found.isPlausible, found.token?.start == token.start else { continue }
      if other.condition == .complete { return false }
      if !isFinal { return nil }
    }
    return true
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
    guard let token, token.declared == Evidence.tokenSize else { return false }
    return (token.state == .cut || Evidence.isToken(bytes.extracting(token.range))) && !isShifted(token, in: bytes)
  }

  /// Whether the lengths lead to a token, or to a JSON object after what may be one. No other frame need follow then.
  fileprivate func isProof(in bytes: Span<UInt8>) -> Bool {
    guard let token, token.count >= Evidence.tokenSize else { return false }
    if hasToken(in: bytes) { return true }
    guard isPlausible, let payload, !isShifted(token, in: bytes) else { return false }
    return Evidence.isObject([UInt8](copying: bytes.extracting(payload.range)))
  }

  /// Whether the token holds the length of another: numbers before a frame may read as the head of one.
  private func isShifted(_ token: FieldRef, in bytes: Span<UInt8>) -> Bool {
    bytes.first([UInt8](bigEndian: UInt64(Evidence.tokenSize), width: 2), in: token.range) != nil
  }
}
