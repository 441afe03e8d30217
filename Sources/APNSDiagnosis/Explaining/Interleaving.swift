import Octets

/// The search for two frames whose pieces alternate: two writers used one connection at the same time. A piece ends at
/// the end of a field, or where a buffer of a common size is full.
struct Interleaving {
  private let window: Window
  private let start: Int
  private let cut: Cut
  private var steps = 0
  private var frames: [(order: Int, bytes: [UInt8])] = []
  private var isMixed = false

  private enum Cut {
    case fields
    case blocks(Int)
    static let all = [Cut.fields, .blocks(16), .blocks(32), .blocks(64), .blocks(100)]
  }

  private static let mostSteps = 1000

  private init(_ window: Window, _ start: Int, _ cut: Cut) {
    (self.window, self.start, self.cut) = (window, start, cut)
  }

  /// The frames that were mixed, as they began, and where the last one ends.
  static func solve(_ window: Window, at start: Int) -> (end: Int, frames: [[UInt8]])? {
    for cut in Cut.all {
      var search = Interleaving(window, start, cut)
      defer { window.spend(256 * search.steps) }
      guard let end = search.step(from: start, search.idle, search.idle, count: 0) else { continue }
      return (end, search.frames.sorted { $0.order < $1.order }.map(\.bytes))
    }
    return nil
  }

  /// The part of a frame that one writer has written.
  private struct Partial {
    var bytes: [UInt8] = []
    /// The number of bytes up to the next cut.
    var wants: Int
    /// The position of the frame among all frames, by their first bytes.
    var order = 0
  }

  /// A writer before its first byte.
  private var idle: Partial {
    switch cut {
    case .fields: Partial(wants: 1)
    case .blocks(let size): Partial(wants: size)
    }
  }

  /// The offset at which all frames are complete. A writer continues as long as possible, because an incorrect choice
  /// shows within a few fields.
  private mutating func step(from place: Int, _ active: Partial, _ other: Partial, count: Int) -> Int? {
    steps += 1
    guard steps < Self.mostSteps, !window.isSpent else { return nil }
    let isIdle = active.bytes.isEmpty && other.bytes.isEmpty
    if isIdle, place > start { return isMixed ? place : nil }
    if let end = write(from: place, active, other, count: count) { return end }
    guard !isIdle else { return nil }
    let wasMixed = isMixed
    if !active.bytes.isEmpty { isMixed = true }
    if let end = write(from: place, other, active, count: count) { return end }
    isMixed = wasMixed
    return nil
  }

  private mutating func write(from place: Int, _ writer: Partial, _ other: Partial, count: Int) -> Int? {
    var (writer, count) = (writer, count)
    let end = min(place + writer.wants, window.bytes.count)
    guard end > place else { return nil }
    if writer.bytes.isEmpty {
      writer.order = count
      count += 1
    }
    writer.bytes += window.bytes[place..<end]
    switch progress(of: writer.bytes) {
    case .impossible: return nil
    case .wants(let wanted):
      writer.wants = wanted
      return step(from: end, writer, other, count: count)
    case .complete:
      frames.append((writer.order, writer.bytes))
      if let found = step(from: end, idle, other, count: count) { return found }
      frames.removeLast()
      return nil
    }
  }

  /// How much of a frame exists, and up to where its writer continues.
  private func progress(of bytes: [UInt8]) -> FrameForm.Progress {
    guard let form = window.forms.first(where: { $0.command == bytes[0] }) else { return .impossible }
    let progress = form.progress(of: bytes)
    guard case .blocks(let size) = cut, case .wants = progress else { return progress }
    let toBlock = size - bytes.count % size
    return .wants(form.size(of: bytes).map { min(toBlock, $0 - bytes.count) } ?? toBlock)
  }
}

extension FrameForm {
  /// How much of a frame some bytes are.
  enum Progress {
    case complete
    /// The number of bytes up to the end of the next field.
    case wants(Int)
    case impossible
  }

  fileprivate func progress(of bytes: [UInt8]) -> Progress {
    var (wanted, seen): (Int, [Int]) = (0, [])
    let end = walk(bytes, from: 0) { part in
      if isImpossible(part, in: bytes) { return false }
      if case .item(let slot?) = part.kind {
        if seen.contains(slot) { return false }
        seen.append(slot)
      }
      wanted = max(0, part.range.upperBound - bytes.count)
      return true
    }
    if wanted > 0 { return .wants(wanted) }
    let hasItems = !isList || slots.indices.allSatisfy { !slots[$0].isRequired || seen.contains($0) }
    return end == bytes.count && hasItems ? .complete : .impossible
  }

  /// Whether no sender writes such a part, as far as it is there.
  private func isImpossible(_ part: Part, in bytes: [UInt8]) -> Bool {
    let range = part.range
    switch part.kind {
    case .spare: return true
    case .item(let slot): return slot == nil && range.lowerBound < bytes.count
    case .length(let slot):
      let number = bytes.number(range.lowerBound, range.count)
      return number.map { number in slots[slot].usual.map { $0 != number } ?? false } ?? false
    case .value(let slot?):
      let slot = slots[slot]
      if let size = slot.size ?? slot.usual, size != range.count { return true }
      if slot.isJSON, range.lowerBound < bytes.count, bytes[range.lowerBound] != UInt8(ascii: "{") { return true }
      guard range.upperBound <= bytes.count else { return false }
      let number = slot.size.flatMap { bytes.number(range.lowerBound, $0) }
      return slot.isJSON && !Evidence.isObject(bytes[range]) || number.map { !slot.isOrdinary($0) } ?? false
    case .command, .listLength, .itemLength, .value: return false
    }
  }

  /// The size of the frame that begins with these bytes, as far as its lengths say.
  fileprivate func size(of bytes: [UInt8]) -> Int? {
    var size: Int?
    _ = walk(bytes, from: 0) { part in
      if part.kind == .listLength {
        size = bytes.number(part.range.lowerBound, listWidth).map { part.range.upperBound + $0 }
      } else if case .value(let slot?) = part.kind, steps.last == .value(slot) {
        size = part.range.upperBound
      }
      return true
    }
    return size
  }
}
