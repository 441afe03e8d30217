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
    var (index, length, seen): (Int, Int, [Int]) = (1, 0, [])
    for step in steps {
      switch step {
      case .length(let slot):
        guard let number = bytes.number(index, slots[slot].lengthWidth) else {
          return .wants(index + slots[slot].lengthWidth - bytes.count)
        }
        if let usual = slots[slot].usual, number != usual { return .impossible }
        (length, index) = (number, index + slots[slot].lengthWidth)
      case .listLength:
        guard let number = bytes.number(index, listWidth) else { return .wants(index + listWidth - bytes.count) }
        (length, index) = (number, index + listWidth)
      case .value(let slot):
        let size = slots[slot].size ?? length
        if let short = shortage(bytes, slot, index..<(index + size)) { return short }
        index += size
      case .items:
        let end = index + length
        while index < end {
          guard index < bytes.count else { return .wants(1) }
          guard let slot = slots.firstIndex(where: { $0.item == bytes[index] }), !seen.contains(slot) else {
            return .impossible
          }
          seen.append(slot)
          guard let size = bytes.number(index + 1, 2) else { return .wants(index + 3 - bytes.count) }
          index += 3
          guard index + size <= end, slots[slot].size ?? slots[slot].usual ?? size == size else { return .impossible }
          if let short = shortage(bytes, slot, index..<(index + size)) { return short }
          index += size
        }
        guard slots.indices.allSatisfy({ !slots[$0].isRequired || seen.contains($0) }) else { return .impossible }
      }
    }
    return index == bytes.count ? .complete : .impossible
  }

  /// What is missing of a value, or that it is none; nil if it is complete.
  private func shortage(_ bytes: [UInt8], _ slot: Int, _ range: Range<Int>) -> Progress? {
    if slots[slot].isJSON, range.lowerBound < bytes.count, bytes[range.lowerBound] != UInt8(ascii: "{") {
      return .impossible
    }
    guard range.upperBound <= bytes.count else { return .wants(range.upperBound - bytes.count) }
    if slots[slot].isJSON, !Evidence.isObject(bytes[range]) { return .impossible }
    if let size = slots[slot].size, let number = bytes.number(range.lowerBound, size),
      !slots[slot].isOrdinary(number)
    {
      return .impossible
    }
    return nil
  }

  /// The size of the frame that begins with these bytes, as far as its lengths say.
  fileprivate func size(of bytes: [UInt8]) -> Int? {
    var (size, length) = (1, 0)
    for step in steps {
      switch step {
      case .length(let slot):
        guard let number = bytes.number(size, slots[slot].lengthWidth) else { return nil }
        (length, size) = (number, size + slots[slot].lengthWidth)
      case .listLength:
        guard let number = bytes.number(size, listWidth) else { return nil }
        (length, size) = (number, size + listWidth)
      case .items: size += length
      case .value(let slot): size += slots[slot].size ?? length
      }
    }
    return size
  }
}
