/// Identifiers that rise from frame to frame, with gaps between them. A provider writes such identifiers if its
/// notifications go out on several connections. An identifier above all others is new and needs no search.
struct IdentifierClimb {
  /// Each entry has the identifier in its upper half and its frame, counted from `base`, in its lower half. Both rise.
  private var entries: [UInt64] = []
  /// Entries before this index are forgotten.
  private var first = 0
  private var base = 0
  /// The number of entries that the budget covers.
  private var capacity = 0

  private static let least = 16
  /// A larger gap is usually damage. If it were accepted, no other identifier would rise above it.
  private static let widestGap: UInt32 = 1 << 20
  private static let entrySize = MemoryLayout<UInt64>.stride

  /// The position of the frame with this identifier; 0 if it is not known.
  func position(of identifier: UInt32) -> Int {
    guard let last = entries.last, identifier <= Self.identifier(in: last) else { return 0 }
    var (low, high) = (first, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if Self.identifier(in: entries[middle]) < identifier { low = middle + 1 } else { high = middle }
    }
    return low < entries.count && Self.identifier(in: entries[low]) == identifier ? position(in: entries[low]) : 0
  }

  /// Appends an identifier. Returns false if it does not rise above the others.
  ///
  /// - Parameter oldest: frames before this position may be forgotten.
  mutating func append(
    _ identifier: UInt32, at position: Int, oldest: Int, within budget: inout MemoryBudget
  ) -> Bool {
    while first < entries.count, self.position(in: entries[first]) < oldest { first += 1 }
    if first < entries.count, let last = entries.last {
      let highest = Self.identifier(in: last)
      guard identifier > highest, identifier - highest <= Self.widestGap, position > self.position(in: last) else {
        return false
      }
    } else {
      entries.removeAll(keepingCapacity: true)
      (first, base) = (0, position - 1)
    }
    guard position - base <= Int(UInt32.max) else { return false }
    if entries.count == capacity, !makeSpace(&budget) { return false }
    entries.append(UInt64(identifier) << 32 | UInt64(position - base))
    return true
  }

  /// Removes and returns the remaining identifier if there is exactly one.
  mutating func removeSingle() -> (identifier: UInt32, position: Int)? {
    guard first + 1 == entries.count, let entry = entries.last else { return nil }
    entries.removeAll(keepingCapacity: true)
    first = 0
    return (Self.identifier(in: entry), position(in: entry))
  }

  mutating func drop(_ budget: inout MemoryBudget) {
    budget.release(capacity * Self.entrySize)
    self = IdentifierClimb()
  }

  /// Makes space for one entry. It reuses the space of forgotten entries. If that is less than half, it grows. If the
  /// budget does not allow that, it forgets the older half.
  private mutating func makeSpace(_ budget: inout MemoryBudget) -> Bool {
    if first * 2 < entries.count || entries.isEmpty {
      let doubled = max(capacity * 2, Self.least)
      if budget.reserve((doubled - capacity) * Self.entrySize) {
        capacity = doubled
        entries.reserveCapacity(capacity)
        return true
      }
      first = max(first, (entries.count + 1) / 2)
    }
    entries.removeSubrange(..<first)
    first = 0
    return entries.count < capacity
  }

  private static func identifier(in entry: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: entry >> 32) }

  private func position(in entry: UInt64) -> Int { base + Int(UInt32(truncatingIfNeeded: entry)) }
}
