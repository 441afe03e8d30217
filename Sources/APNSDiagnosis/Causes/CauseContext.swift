import APNSPayload
import APNSWire

/// The results of earlier searches in the stream.
struct CauseHistory {
  /// The last cause that was found, because a sender repeats its bugs.
  var cause: String?
  /// The size that the last frame should have had, in bytes.
  var frameSize: Int?
  /// Whether a frame was cut and its rest has not followed yet.
  var isAfterCut = false
}

/// A position in a stream at which to search for a bug, and what is known about its surroundings.
final class CauseContext {
  let catalog: Catalog
  let role: StreamRole
  let start: Int
  /// The search never reads beyond this offset, so that its outcome depends only on the bytes before it.
  let limit: Int
  /// Whether the stream ends at `limit`.
  let isEnd: Bool
  let position: FrameFacts.Position
  let history: CauseHistory
  /// The cost of the search so far.
  let work: SearchWork

  init(
    catalog: Catalog, role: StreamRole, start: Int, limit: Int, isEnd: Bool, position: FrameFacts.Position,
    history: CauseHistory, work: SearchWork
  ) {
    (self.catalog, self.role, self.start, self.limit, self.isEnd) = (catalog, role, start, limit, isEnd)
    (self.position, self.history, self.work) = (position, history, work)
  }

  func moved(to start: Int) -> CauseContext {
    CauseContext(
      catalog: catalog, role: role, start: start, limit: limit, isEnd: isEnd, position: position, history: history,
      work: work)
  }

  /// The end of a valid frame that starts at this offset; nil if there is none.
  func validFrame(at start: Int, in bytes: Span<UInt8>) -> Int? {
    guard start < limit else { return nil }
    let window = bytes.extracting(0..<limit)
    guard let frame = catalog.plausibleFrame(at: start, in: window, of: role) else { return nil }
    work.add(64 + frame.count)
    guard let payload = catalog.leaf(.payload, of: frame, in: window) else {
      return catalog.plausibility(of: frame, in: window) == .usual ? frame.end : nil
    }
    return JSONScanner.firstError(in: window, range: payload.range) == nil ? frame.end : nil
  }

  /// The frame that starts at this offset, as its lengths have it.
  func frame(at start: Int, in bytes: Span<UInt8>) -> FrameRef {
    catalog.frame(at: start, in: bytes.extracting(0..<limit), of: role)
  }

  /// Whether the lengths of a frame agree with each other and with its contents. Its values may be unusual.
  func fits(_ frame: FrameRef, in bytes: Span<UInt8>, mayBeEmpty: Bool) -> Bool {
    let window = bytes.extracting(0..<limit)
    guard frame.condition == .complete else { return false }
    work.add(64 + frame.count)
    var values = 0
    let (limit, expectations) = (limit, catalog.expectations)
    let fits = catalog.walkFields(of: frame, in: window) { leaf in
      if leaf.state == .overrun || leaf.state == .wrongSize || leaf.kind == .gap { return false }
      guard leaf.kind == .value else { return true }
      // A value of no bytes directly before a payload is misread: its length does not fit.
      guard leaf.count > 0 else { return leaf.start >= limit || window[leaf.start] != UInt8(ascii: "{") }
      values += 1
      guard leaf.field != FieldRef.none, expectations[Int(leaf.field)].isJSON else { return true }
      return JSONScanner.firstError(in: window, range: leaf.range) == nil
    }
    return fits && (mayBeEmpty || values > 0)
  }

  /// Whether several consecutive frames end exactly at `end`. An incorrect length does not lead there by chance,
  /// whatever the frames contain.
  func framesReach(_ end: Int, in bytes: Span<UInt8>) -> Bool {
    let window = bytes.extracting(0..<end)
    var position = start
    while position < end {
      let frame = catalog.frame(at: position, in: window, of: role)
      work.add(16)
      guard frame.condition == .complete, frame.end > position else { return false }
      position = frame.end
    }
    return true
  }

  /// Whether a frame starts at this offset that is plausible as far as its bytes are known.
  func beginsFrame(at start: Int, in bytes: Span<UInt8>) -> Bool {
    guard start < limit else { return false }
    let frame = frame(at: start, in: bytes)
    return frame.isFrame && catalog.isPlausible(frame, in: bytes.extracting(0..<limit))
  }

  /// The end of the JSON object that begins at `start`, by its own brackets. Nil if there is none or if it is too short
  /// to be evidence.
  func objectEnd(at start: Int, in bytes: Span<UInt8>) -> Int? {
    guard start + 2 < limit, bytes[start] == UInt8(ascii: "{") else { return nil }
    switch bytes[start + 1] {
    case UInt8(ascii: "\""), 0x20, 0x09, 0x0a, 0x0d: break
    default: return nil
    }
    if let known = work.object(at: start) { return known < 0 ? nil : known }
    var scanner = JSONScanner(start..<limit)
    let end = scanner.objectEnd(in: bytes).flatMap { $0 - start >= Self.leastObject ? $0 : nil }
    work.add(16 + scanner.position - start)
    work.note(object: start, end: end ?? -1)
    return end
  }

  /// Like ``objectEnd(at:in:)``, but for text in any encoding.
  func objectEnd(ofAnyText start: Int, in bytes: Span<UInt8>) -> Int? {
    guard start + 2 < limit, bytes[start] == UInt8(ascii: "{") else { return nil }
    if let known = work.textEnd, known.start == start { return known.end }
    let near = bytes.extracting(start..<min(limit, start + Self.longestPayload))
    let text = [UInt8](copying: near).map { $0 < 0x80 ? $0 : UInt8(ascii: "?") }
    work.add(16 + text.count)
    let end = JSONScanner.objectEnd(at: 0, before: text.count, in: text.span).map { start + $0 }
    work.textEnd = (start, end)
    return end
  }

  static let longestPayload = Field.payload.plausible?.upperBound ?? 0
  /// Shorter objects also occur in noise.
  private static let leastObject = 7

  /// The brackets of a payload mark its beginning, so a token ends before them.
  static let longestToken = 128
}
