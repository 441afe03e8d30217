import APNSWire

/// The search for frames whose pieces alternate: two writers used one connection at the same time. A piece ends at the
/// end of a field, or where a buffer of a common size is full.
struct Interleaving {
  private let window: Window
  /// The size of the buffers in bytes; nil if pieces are fields.
  private let buffer: Int?
  private var steps = 0
  private var frames: [Partial] = []

  private static let buffers: [Int?] = [nil, 16, 32, 64, 100]
  private static let mostSteps = 1000
  private static let mostFrames = 4

  /// What one writer has written of a frame, and when it began: frames come out as they began.
  private typealias Partial = (bytes: [UInt8], order: Int)

  /// The frames that were mixed at the start of the window, as they began, and where the last one ends.
  static func solve(_ window: Window) -> (end: Int, frames: [UInt8])? {
    for buffer in buffers {
      var search = Interleaving(window: window, buffer: buffer)
      defer { window.spend(256 * search.steps) }
      guard let end = search.step(from: 0, ([], 0), ([], 0), isMixed: false) else { continue }
      return (end, search.frames.sorted { $0.order < $1.order }.flatMap(\.bytes))
    }
    return nil
  }

  /// The offset at which all frames are complete. A writer continues as long as possible, because an incorrect choice
  /// shows within a few fields.
  private mutating func step(from place: Int, _ active: Partial, _ other: Partial, isMixed: Bool) -> Int? {
    steps += 1
    guard steps < Self.mostSteps, !window.isSpent else { return nil }
    let isIdle = active.bytes.isEmpty && other.bytes.isEmpty
    if isIdle, !frames.isEmpty { return isMixed ? place : nil }
    if let end = write(from: place, active, other, isMixed: isMixed) { return end }
    return isIdle ? nil : write(from: place, other, active, isMixed: isMixed || !active.bytes.isEmpty)
  }

  private mutating func write(from place: Int, _ writer: Partial, _ other: Partial, isMixed: Bool) -> Int? {
    var writer = writer
    if writer.bytes.isEmpty {
      writer.order = frames.count + (other.bytes.isEmpty ? 0 : 1)
      // A buffer holds the head of a frame.
      guard writer.order < Self.mostFrames, place < window.bytes.count,
        buffer == nil || window.mayBeginFrame(at: place)
      else { return nil }
    }
    guard let wanted = piece(after: writer.bytes, at: place), place + wanted <= window.bytes.count else { return nil }
    let end = place + wanted
    writer.bytes += window.bytes[place..<end]
    guard piece(after: writer.bytes, at: end) == 0 else {
      return step(from: end, writer, other, isMixed: isMixed)
    }
    guard window.isPlain(writer.bytes) else { return nil }
    frames.append(writer)
    if let last = step(from: end, ([], 0), other, isMixed: isMixed) { return last }
    frames.removeLast()
    return nil
  }

  /// The size of the next piece of a frame; 0 if the frame is complete, nil if it cannot go on.
  private func piece(after bytes: [UInt8], at place: Int) -> Int? {
    let all = bytes + window.bytes[place...].prefix(Item.headerSize)
    guard let form = window.forms.first(where: { $0.command == all.first }), form.mayBegin(bytes[...]) else {
      return nil
    }
    var (next, isPossible): (FieldRef?, Bool) = (nil, true)
    let frame = form.walk(all) { leaf in
      // What follows may be of another frame.
      if leaf.end > bytes.count { next = leaf }
      if next == nil || leaf.kind == .value { isPossible = Self.isPossible(leaf, form, all, bytes.count) }
      return isPossible && next == nil
    }
    if frame.condition == .complete, frame.end == bytes.count { return isPossible ? 0 : nil }
    guard isPossible, let next else { return nil }
    let (end, last) = (next.start + next.declared, frame.end + frame.needed)
    let knowsLast = form.isList ? bytes.count >= form.listStart : next.kind == .value && end == last
    guard !knowsLast || end <= last else { return nil }
    return buffer.map { min($0 - bytes.count % $0, knowsLast ? last - bytes.count : .max) } ?? end - bytes.count
  }

  /// Whether a documented frame can contain this leaf. Only the first `count` bytes certainly belong to the frame.
  private static func isPossible(_ leaf: FieldRef, _ form: FrameForm, _ bytes: [UInt8], _ count: Int) -> Bool {
    switch leaf.kind {
    case .command, .length, .itemLength: return true
    case .itemID: return leaf.item != FieldRef.none
    case .gap: return false
    case .value:
      guard let slot = form.slot(of: leaf).map({ form.slots[$0] }), leaf.state != .overrun else { return false }
      return slot.size ?? slot.usual ?? leaf.declared == leaf.declared
        && (!slot.isJSON || leaf.start >= count || bytes[leaf.start] == UInt8(ascii: "{"))
    }
  }
}
