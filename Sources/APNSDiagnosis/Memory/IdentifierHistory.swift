/// The identifiers of a stream's last frames: a ring with an entry for each frame, and a hash table that finds the last
/// frame with an identifier. Both grow when the ring would lose an identifier, until the ring has `window` entries or
/// the budget is used up.
package struct IdentifierHistory {
  /// The number of frames so far.
  private var position = 0
  /// The identifier of each frame, at its position modulo the size, which is a power of two. Once `slots` is filled,
  /// only entries that it refers to have a meaning.
  private var ring = [UInt32](repeating: 0, count: least)
  /// A table with open addressing, at most half full. Each slot has an index in `ring` plus one; 0 is free.
  private var slots = [UInt16](repeating: 0, count: 2 * least)
  /// The last identifier while each was higher than those before it, as most senders count: none of them was sent
  /// before, so the table is filled when the first one is not. Nil from then on.
  private var highest: Int? = -1
  private var order = ByteOrderDetector()

  /// In frames. An error response arrives long before that.
  package static let window = 4096
  /// Every stream can remember this many frames, even if the budget is used up.
  package static let least = 16
  /// The memory for each frame: an entry and two slots.
  package static let entrySize = MemoryLayout<UInt32>.size + 2 * MemoryLayout<UInt16>.size
  /// A random multiplier, so that identifiers cannot be chosen to collide.
  private static let seed = UInt64.random(in: .min ... .max) | 1

  package init() {}

  /// Adds a frame and compares its identifier with earlier ones.
  package mutating func see(_ identifier: UInt32?, within budget: inout MemoryBudget) -> FrameSighting {
    if let highest {
      if let identifier, identifier > highest {
        if position >= ring.count, ring.count < Self.window, budget.reserve(ring.count * Self.entrySize) { grow() }
        ring[position & (ring.count - 1)] = identifier
        position += 1
        self.highest = Int(identifier)
        return FrameSighting(byteOrder: order.next(identifier))
      }
      self.highest = nil
      for position in max(0, position - ring.count)..<position { note(position & (ring.count - 1)) }
    }
    makeSpace(for: identifier, within: &budget)
    let index = position & (ring.count - 1)
    position += 1
    guard let identifier else { return FrameSighting() }
    let slot = slot(of: identifier)
    let last = Int(slots[slot])
    ring[index] = identifier
    slots[slot] = UInt16(index + 1)
    let framesAgo = last == 0 ? 0 : (index - last) & (ring.count - 1) + 1
    return FrameSighting(framesAgo: framesAgo, byteOrder: order.next(identifier))
  }

  /// Returns its memory to the budget.
  package mutating func forget(_ budget: inout MemoryBudget) {
    budget.release((ring.count - Self.least) * Self.entrySize)
    self = IdentifierHistory()
  }

  /// Makes the next entry of the ring free, unless it already has this identifier.
  private mutating func makeSpace(for identifier: UInt32?, within budget: inout MemoryBudget) {
    let index = position & (ring.count - 1)
    guard ring[index] != identifier else { return }
    let slot = slot(of: ring[index])
    // A later frame may have the same identifier.
    guard slots[slot] == index + 1 else { return }
    if ring.count < Self.window, budget.reserve(ring.count * Self.entrySize) { grow() } else { free(slot) }
  }

  private mutating func grow() {
    let (size, references) = (ring.count, slots)
    // A frame's new index is its old one or its counterpart in the second half.
    ring += ring
    slots = [UInt16](repeating: 0, count: 2 * ring.count)
    for reference in references where reference > 0 {
      let framesAgo = (position - Int(reference)) & (size - 1) + 1
      let index = (position - framesAgo) & (ring.count - 1)
      note(index)
    }
  }

  /// Refers to an entry of the ring.
  private mutating func note(_ index: Int) { slots[slot(of: ring[index])] = UInt16(index + 1) }

  /// Frees a slot, and moves later ones that are then nearer to where their search begins.
  private mutating func free(_ slot: Int) {
    let ring = ring
    let mask = slots.count - 1
    var (free, next) = (slot, (slot + 1) & mask)
    while slots[next] > 0 {
      let start = Self.start(of: ring[Int(slots[next]) - 1]) & mask
      if (next - start) & mask >= (next - free) & mask {
        slots[free] = slots[next]
        free = next
      }
      next = (next + 1) & mask
    }
    slots[free] = 0
  }

  /// The slot of this identifier, or the free slot where it belongs.
  private func slot(of identifier: UInt32) -> Int {
    let (ring, slots) = (ring.span, slots.span)
    let mask = slots.count - 1
    var slot = Self.start(of: identifier) & mask
    while slots[slot] > 0, ring[Int(slots[slot]) - 1] != identifier { slot = (slot + 1) & mask }
    return slot
  }

  /// The slot where the search for this identifier begins, modulo their number.
  private static func start(of identifier: UInt32) -> Int {
    let product = (UInt64(identifier) + 1) &* seed
    let hash = (product ^ product >> 32) &* 0x9e37_79b9_7f4a_7c15
    return Int(hash >> 32)
  }
}
