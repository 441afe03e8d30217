import APNSPayload
import APNSWire

/// What was found in the stream before the context.
struct CauseHistory {
  /// The cause that was found last: a sender does the same again.
  var cause: String?
  /// The size of the last frame, as it should have been.
  var frameSize: Int?
  /// A frame was cut, and its rest did not come yet.
  var isAfterCut = false
}

/// Where in a stream a sender's bug is looked for, and what is known around it.
final class CauseContext {
  let catalog: Catalog
  let role: StreamRole
  let start: Int
  /// Nothing is looked at from here on, so the outcome depends on these bytes alone.
  let limit: Int
  /// The stream ends there.
  let isEnd: Bool
  let position: FrameFacts.Position
  let history: CauseHistory
  /// What the search has cost so far.
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

  /// The end of a valid frame that starts there; nil if there is none.
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

  /// The end of a frame whose lengths agree with each other and with its contents; its values may be unusual. Nil if there
  /// is none.
  func fittingFrame(at start: Int, in bytes: Span<UInt8>, mayBeEmpty: Bool) -> Int? {
    guard start < limit else { return nil }
    let window = bytes.extracting(0..<limit)
    let frame = catalog.frame(at: start, in: window, of: role)
    guard frame.condition == .complete else { return nil }
    work.add(64 + frame.count)
    var values = 0
    let (limit, expectations) = (limit, catalog.expectations)
    let fits = catalog.walkFields(of: frame, in: window) { leaf in
      if leaf.state == .overrun || leaf.state == .wrongSize || leaf.kind == .gap { return false }
      guard leaf.kind == .value else { return true }
      // A payload of no bytes, right before one: its length does not fit.
      guard leaf.count > 0 else { return leaf.start >= limit || window[leaf.start] != UInt8(ascii: "{") }
      values += 1
      guard leaf.field != FieldRef.none, expectations[Int(leaf.field)].isJSON else { return true }
      return JSONScanner.firstError(in: window, range: leaf.range) == nil
    }
    return fits && (mayBeEmpty || values > 0) ? frame.end : nil
  }

  /// Several frames in a row, framed by their lengths, end exactly at `end`: no wrong length leads there by chance,
  /// whatever their values are.
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

  /// A frame that is right as far as the bytes go.
  func beginsFrame(at start: Int, in bytes: Span<UInt8>) -> Bool {
    guard start < limit else { return false }
    let window = bytes.extracting(0..<limit)
    let frame = catalog.frame(at: start, in: window, of: role)
    return frame.isFrame && catalog.isPlausible(frame, in: window)
  }

  /// The end of the JSON object that begins at `start`, by its own brackets; nil where none does, or none that says
  /// anything.
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

  /// As ``objectEnd(at:in:)``, whatever encoding its text has.
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
  /// Shorter ones are found in noise.
  private static let leastObject = 7

  /// `{"aps":{}}` and what else a payload may be is told by its brackets, so a token ends before it.
  static let longestToken = 128
}
