/// The identifiers of a stream's last 32,767 frames. Most providers count up, which is one run however long it is;
/// others rise with gaps, or go into a table.
struct IdentifierHistory {
  /// Frames are counted from 1.
  private var position = 0
  private var current = Run(first: 0, count: 0, start: 0)
  /// Long ones before the current.
  private var runs: [Run] = []
  /// No identifier of `runs` stands outside: what a stream goes on with is above all of them.
  private var bounds: ClosedRange<UInt32> = 0...0
  /// Others that rise.
  private var climb = IdentifierClimb()
  /// All others.
  private var table = IdentifierTable()
  /// The last frame that `runs`, `climb` or `table` know of.
  private var newestKept = 0
  private var order = ByteOrder()

  /// A counter of 16 bits may wrap, signed or not: an error response arrives long before it comes round.
  static let window = 0x7fff
  /// Shorter runs take less in the table.
  private static let leastRun = 4
  private static let mostRuns = 16
  /// Runs are short beside one that is so many times as long.
  private static let alike = 8

  mutating func see(_ identifier: UInt32?, within budget: inout MemoryBudget) -> IdentifierSighting {
    position += 1
    guard let identifier else { return IdentifierSighting() }
    let isKept = newestKept > 0
    if isKept, position - newestKept > Self.window { drop(&budget) }
    let last = isKept ? lastPosition(of: identifier) : current.position(of: identifier)
    if !current.extend(by: identifier, at: position) {
      keep(current, before: identifier, within: &budget)
      current = Run(first: identifier, count: 1, start: position)
    }
    let framesAgo = last > 0 && position - last <= Self.window ? position - last : 0
    return IdentifierSighting(framesAgo: framesAgo, isByteSwapped: order.isDetected(by: identifier))
  }

  /// Gives back what it took of the budget.
  mutating func forget(_ budget: inout MemoryBudget) {
    drop(&budget)
  }

  /// 0 for never.
  private func lastPosition(of identifier: UInt32) -> Int {
    var last = max(
      current.position(of: identifier), climb.position(of: identifier), table.position(of: identifier))
    if bounds.contains(identifier) {
      for run in runs { last = max(last, run.position(of: identifier)) }
    }
    return last
  }

  private var oldest: Int { max(position - Self.window, 1) }

  private mutating func keep(_ run: Run, before identifier: UInt32, within budget: inout MemoryBudget) {
    var run = run
    run.trim(before: oldest)
    // A constant identifier replaces itself.
    guard run.count > 1 || run.count == 1 && run.first != identifier else { return }
    newestKept = run.end - 1
    guard run.count >= Self.leastRun, budget.reserve(MemoryLayout<Run>.stride) else {
      return spill(run, within: &budget)
    }
    bounds = runs.isEmpty ? run.bounds : bounds.joined(run.bounds)
    runs.append(run)
    guard runs.count > Self.mostRuns else { return }
    let first = oldest
    for index in runs.indices { runs[index].trim(before: first) }
    guard let least = runs.map(\.count).min() else { return }
    // The oldest of the short ones, so that what is spilled rises.
    guard let oldest = runs.firstIndex(where: { $0.count <= least * Self.alike }) else { return }
    let removed = runs.remove(at: oldest)
    bounds = runs[0].bounds
    for run in runs { bounds = bounds.joined(run.bounds) }
    budget.release(MemoryLayout<Run>.stride)
    spill(removed, within: &budget)
  }

  /// No identifier is spilled twice, so that this costs each frame a constant.
  private mutating func spill(_ run: Run, within budget: inout MemoryBudget) {
    for index in 0..<run.count {
      let identifier = run.first &+ UInt32(truncatingIfNeeded: index)
      let place = run.start + index
      if climb.append(identifier, at: place, oldest: oldest, within: &budget) { continue }
      // One that nothing rises from does not stand in the way of all others.
      if let single = climb.removeSingle() {
        table.insert(single.identifier, at: single.position, oldest: oldest, newest: position, within: &budget)
        if climb.append(identifier, at: place, oldest: oldest, within: &budget) { continue }
      }
      table.insert(identifier, at: place, oldest: oldest, newest: position, within: &budget)
    }
  }

  private mutating func drop(_ budget: inout MemoryBudget) {
    budget.release(runs.count * MemoryLayout<Run>.stride)
    runs = []
    climb.drop(&budget)
    table.drop(&budget)
    newestKept = 0
  }
}

/// Identifiers of frames behind each other that count up by one.
private struct Run {
  var first: UInt32
  var count: Int
  /// The frame of the first.
  var start: Int

  /// Of the frame behind the last.
  var end: Int { start + count }

  /// All of its identifiers, and others where they come round to 0.
  var bounds: ClosedRange<UInt32> {
    let last = first.addingReportingOverflow(UInt32(truncatingIfNeeded: max(count, 1) - 1))
    return last.overflow ? 0 ... .max : first...last.partialValue
  }

  /// 0 where it is not one of them.
  func position(of identifier: UInt32) -> Int {
    let index = Int(identifier &- first)
    return index < count ? start + index : 0
  }

  mutating func extend(by identifier: UInt32, at position: Int) -> Bool {
    guard position == end, identifier == first &+ UInt32(truncatingIfNeeded: count) else { return false }
    count += 1
    // Long before it has come round to its first identifier.
    if count > 2 * IdentifierHistory.window { trim(before: position - IdentifierHistory.window) }
    return true
  }

  /// Forgets frames before that position.
  mutating func trim(before position: Int) {
    let forgotten = min(max(position - start, 0), count)
    first = first &+ UInt32(truncatingIfNeeded: forgotten)
    start += forgotten
    count -= forgotten
  }
}

/// Tells a provider that copies its own numbers from memory, lowest byte first.
private struct ByteOrder {
  private var last: UInt32 = 0
  private var rising: UInt8 = 0
  private var isReported = false

  /// So many that count up in the first byte are no accident.
  private static let enough: UInt8 = 3
  /// 1234 of Apple's listing.
  private static let listing: UInt32 = 0xd204_0000

  mutating func isDetected(by identifier: UInt32) -> Bool {
    if isReported { return false }
    let number = identifier.byteSwapped
    rising = rising > 0 && number == last &+ 1 ? rising + 1 : 1
    last = number
    isReported = rising == Self.enough || identifier == Self.listing
    return isReported
  }
}

extension ClosedRange<UInt32> {
  fileprivate func joined(_ other: Self) -> Self {
    Swift.min(lowerBound, other.lowerBound)...Swift.max(upperBound, other.upperBound)
  }
}
