/// A hash table from identifiers to the last frame that had them. It uses open addressing and grows by doubling.
struct IdentifierTable {
  /// Each slot has the identifier in its upper half and its frame, counted from `base`, in its lower half; 0 is free.
  private var slots: [UInt64] = []
  private var used = 0
  private var base = 0

  private static let least = 16
  private static let slotSize = MemoryLayout<UInt64>.stride
  /// A random multiplier, so that identifiers cannot be chosen to collide.
  private static let seed = UInt64.random(in: .min ... .max) | 1

  /// The last frame with this identifier; 0 if it is not known.
  func position(of identifier: UInt32) -> Int {
    guard !slots.isEmpty else { return 0 }
    let slot = slots[place(of: identifier)]
    return slot == 0 ? 0 : position(in: slot)
  }

  /// - Parameters:
  ///   - oldest: frames before this position may be forgotten.
  ///   - newest: the position of the latest frame.
  mutating func insert(
    _ identifier: UInt32, at position: Int, oldest: Int, newest: Int, within budget: inout MemoryBudget
  ) {
    guard position >= oldest else { return }
    if slots.isEmpty { base = oldest - 1 }
    // Positions are stored in 32 bits.
    if newest - base > Int(UInt32.max) { rebuild(slots.count, from: oldest) }
    if (used + 1) * 4 > slots.count * 3 { makeSpace(oldest: oldest, newest: newest, within: &budget) }
    // Do not add a frame that was just forgotten.
    guard !slots.isEmpty, position > base else { return }
    let index = place(of: identifier)
    if slots[index] == 0 { used += 1 } else if self.position(in: slots[index]) >= position { return }
    slots[index] = UInt64(identifier) << 32 | UInt64(position - base)
  }

  mutating func drop(_ budget: inout MemoryBudget) {
    budget.release(slots.count * Self.slotSize)
    slots = []
    used = 0
  }

  private func position(in slot: UInt64) -> Int { base + Int(UInt32(truncatingIfNeeded: slot)) }

  /// The slot of this identifier, or the free slot where it belongs.
  private func place(of identifier: UInt32) -> Int {
    var hash = (UInt64(identifier) + 1) &* Self.seed
    hash = (hash ^ hash >> 32) &* 0x9e37_79b9_7f4a_7c15
    let mask = slots.count - 1
    var index = Int(truncatingIfNeeded: hash >> 32) & mask
    while slots[index] != 0, slots[index] >> 32 != UInt64(identifier) { index = (index + 1) & mask }
    return index
  }

  /// Makes space for one entry. It forgets frames that are too old. If these are less than half, it grows. If the
  /// budget does not allow that, it forgets the older half.
  private mutating func makeSpace(oldest: Int, newest: Int, within budget: inout MemoryBudget) {
    let doubled = max(slots.count * 2, Self.least)
    if !slots.isEmpty, count(from: oldest) * 2 <= slots.count {
      rebuild(slots.count, from: oldest)
    } else if budget.reserve((doubled - slots.count) * Self.slotSize) {
      rebuild(doubled, from: oldest)
    } else if !slots.isEmpty {
      var from = oldest
      while from <= newest, count(from: from) * 2 > slots.count { from = (from + newest) / 2 + 1 }
      rebuild(slots.count, from: from)
    }
  }

  private func count(from oldest: Int) -> Int {
    slots.count { $0 != 0 && position(in: $0) >= oldest }
  }

  private mutating func rebuild(_ size: Int, from oldest: Int) {
    let (old, oldBase) = (slots, base)
    slots = [UInt64](repeating: 0, count: size)
    base = oldest - 1
    used = 0
    for slot in old where slot != 0 {
      let position = oldBase + Int(UInt32(truncatingIfNeeded: slot))
      guard position >= oldest else { continue }
      slots[place(of: UInt32(truncatingIfNeeded: slot >> 32))] = slot & ~0xffff_ffff | UInt64(position - base)
      used += 1
    }
  }
}
