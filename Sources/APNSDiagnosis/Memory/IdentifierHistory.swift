/// The identifiers of a stream's last frames. It remembers more frames whenever it would forget an identifier, until it
/// remembers `window` frames or the budget is used up.
package struct IdentifierHistory {
  private var count = 0
  /// The identifier of each frame, at its index modulo the size, which is a power of two. A frame without one leaves
  /// that of an earlier frame there. Empty before the first identifier, because many streams have none.
  private var ring: [UInt32] = []
  /// The index of the last frame with each identifier, modulo 2^32.
  private var lastFrames: [UInt32: UInt32] = [:]
  /// The last identifier while each was higher than those before it, as most senders count: none of them was sent
  /// before, so `lastFrames` is filled when the first one is not. Nil from then on.
  private var highest: Int? = -1
  private var order = ByteOrderDetector()

  /// In frames. An error response arrives long before that.
  package static let window = 4096
  /// Every stream can remember this many frames, even if the budget is used up.
  package static let least = 16
  /// The memory for each frame: an entry in the ring, and two in a dictionary, which may be half empty.
  package static let entrySize = 5 * MemoryLayout<UInt32>.size

  package init() {}

  /// Adds a frame and compares its identifier with earlier ones. `budget` is the memory left for all streams, in bytes.
  package mutating func see(_ identifier: UInt32?, within budget: inout Int) -> FrameSighting {
    if ring.isEmpty {
      guard identifier != nil else { return FrameSighting() }
      ring = [UInt32](repeating: 0, count: Self.least)
    }
    if let last = highest, identifier.map({ $0 <= last }) ?? true {
      highest = nil
      for frame in max(0, count - ring.count)..<count { note(ring[slot(of: frame)], of: frame) }
    }
    let oldest = ring[slot(of: count)]
    if count >= ring.count, oldest != identifier, highest != nil || lastFrames[oldest] == Self.key(count - ring.count) {
      // In a ring of twice the size, the slot of a frame is its old one or the counterpart in the second half.
      if ring.count < Self.window, ring.count * Self.entrySize <= budget {
        budget -= ring.count * Self.entrySize
        ring += ring
      } else if highest == nil {
        lastFrames[oldest] = nil
      }
    }
    defer { count += 1 }
    guard let identifier else { return FrameSighting() }
    ring[slot(of: count)] = identifier
    var sighting = FrameSighting(byteOrder: order.next(identifier))
    if highest != nil { highest = Int(identifier) } else { sighting.framesAgo = note(identifier, of: count) }
    return sighting
  }

  package mutating func forget(_ budget: inout Int) {
    budget += max(0, ring.count - Self.least) * Self.entrySize
    self = IdentifierHistory()
  }

  private func slot(of frame: Int) -> Int { frame & (ring.count - 1) }

  private static func key(_ frame: Int) -> UInt32 { UInt32(truncatingIfNeeded: frame) }

  /// Notes the last frame with an identifier. Returns how many frames before it the one before is; 0 if there is none.
  @discardableResult
  private mutating func note(_ identifier: UInt32, of frame: Int) -> Int {
    lastFrames.updateValue(Self.key(frame), forKey: identifier).map { Int(Self.key(frame) &- $0) } ?? 0
  }
}
