/// The identifiers of a stream's last 32,767 frames. Most providers count up, which is stored as one run of any length.
/// Other identifiers that rise are kept in `climb`, and the rest in a table.
struct IdentifierHistory {
  /// The number of frames so far.
  private var position = 0
  private var current = Run(first: 0, count: 0, start: 0)
  /// Long runs before the current one.
  private var runs: [Run] = []
  /// A range that contains all identifiers of `runs`. A stream usually continues above it.
  private var bounds: ClosedRange<UInt32> = 0...0
  /// Other identifiers that rise.
  private var climb = IdentifierClimb()
  /// All other identifiers.
  private var table = IdentifierTable()
  /// The last frame that is in `runs`, `climb` or `table`.
  private var newestKept = 0
  private var order = ByteOrderDetector()

  /// The window is small enough that a counter of 16 bits, signed or not, may wrap. An error response arrives long
  /// before that.
  static let window = 0x7fff
  /// Shorter runs use less memory in the table.
  private static let leastRun = 4
  private static let maxRuns = 16
  /// A run is short if another one is this many times as long.
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
    return IdentifierSighting(framesAgo: framesAgo, byteOrder: order.next(identifier))
  }

  /// Returns its memory to the budget.
  mutating func forget(_ budget: inout MemoryBudget) {
    drop(&budget)
  }

  /// The last frame with this identifier; 0 if there is none.
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
    guard runs.count > Self.maxRuns else { return }
    let first = oldest
    for index in runs.indices { runs[index].trim(before: first) }
    guard let least = runs.map(\.count).min() else { return }
    // Choose the oldest of the short runs, so that the spilled identifiers rise.
    guard let oldest = runs.firstIndex(where: { $0.count <= least * Self.alike }) else { return }
    let removed = runs.remove(at: oldest)
    bounds = runs[0].bounds
    for run in runs { bounds = bounds.joined(run.bounds) }
    budget.release(MemoryLayout<Run>.stride)
    spill(removed, within: &budget)
  }

  /// No identifier is spilled twice, so the cost per frame is constant.
  private mutating func spill(_ run: Run, within budget: inout MemoryBudget) {
    for index in 0..<run.count {
      let identifier = run.first &+ UInt32(truncatingIfNeeded: index)
      let place = run.start + index
      if climb.append(identifier, at: place, oldest: oldest, within: &budget) { continue }
      // Move a single identifier to the table if the next one does not rise above it. Otherwise it would block all
      // others.
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

/// Identifiers of consecutive frames that count up by one.
private struct Run {
  var first: UInt32
  var count: Int
  /// The position of the first frame.
  var start: Int

  /// The position after the last frame.
  var end: Int { start + count }

  /// A range that contains all identifiers of the run. It contains others if the run wraps around to 0.
  var bounds: ClosedRange<UInt32> {
    let last = first.addingReportingOverflow(UInt32(truncatingIfNeeded: max(count, 1) - 1))
    return last.overflow ? 0 ... .max : first...last.partialValue
  }

  /// The position of the frame with this identifier; 0 if it is not in the run.
  func position(of identifier: UInt32) -> Int {
    let index = Int(identifier &- first)
    return index < count ? start + index : 0
  }

  mutating func extend(by identifier: UInt32, at position: Int) -> Bool {
    guard position == end, identifier == first &+ UInt32(truncatingIfNeeded: count) else { return false }
    count += 1
    // Trim the run long before it wraps around to its first identifier.
    if count > 2 * IdentifierHistory.window { trim(before: position - IdentifierHistory.window) }
    return true
  }

  /// Forgets frames before this position.
  mutating func trim(before position: Int) {
    let forgotten = min(max(position - start, 0), count)
    first = first &+ UInt32(truncatingIfNeeded: forgotten)
    start += forgotten
    count -= forgotten
  }
}

/// Recognizes identifiers in little-endian order, which a provider writes that copies its own numbers from memory.
///
/// An identifier is judged by itself and by those before it, never by later ones. A number below 256 that is written with
/// its lowest byte first ends in three zeros, which is hardly chance. A longer number counts if those before it count up
/// to it.
private struct ByteOrderDetector {
  private var last: UInt32 = 0
  /// How often in a row the reversed numbers counted up.
  private var confirmations = 0

  /// The identifier 1234 of Apple's sample code, as it is in memory.
  private static let listing: UInt32 = 0xd204_0000
  /// Reversed numbers that count up rise by no more, also if some of them are sent on other connections.
  private static let widestStep: UInt32 = 0xff
  /// Numbers in network order rise by no more. A batch number in the upper half makes them rise by 65536.
  private static let widestGap: UInt32 = 1 << 20
  /// A connection number in the first byte, before a counter, can also seem to count up.
  private static let enough = 3

  mutating func next(_ identifier: UInt32) -> IdentifierSighting.ByteOrder {
    let (number, previous) = (identifier.byteSwapped, last)
    last = identifier
    let isRising = previous > 0 && identifier > previous && identifier - previous <= Self.widestGap
    let isRisingReversed = previous > 0 && 1...Self.widestStep ~= number &- previous.byteSwapped
    confirmations =
      isRisingReversed && (number < identifier || confirmations >= Self.enough) ? confirmations + 1 : 0
    let needed =
      switch number {
      case 1..<0x100: 0
      case 0x100..<0x1_0000: 1
      case 0x1_0000..<0x100_0000: Self.enough
      default: Int.max
      }
    guard !isRising, confirmations >= needed else { return identifier == Self.listing ? .asInListing : .network }
    confirmations = max(confirmations, Self.enough)
    return .reversed
  }
}

extension ClosedRange<UInt32> {
  fileprivate func joined(_ other: Self) -> Self {
    Swift.min(lowerBound, other.lowerBound)...Swift.max(upperBound, other.upperBound)
  }
}
