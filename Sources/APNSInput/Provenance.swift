/// Maps offsets of one stream back to packets, or to lines and columns of a text. Entries are dropped once nothing
/// refers to them.
package struct Provenance: Sendable {
  private var packets: [(start: Int, packet: Origin.Packet)] = []
  private var positions: [Origin.TextPosition] = []
  private var firstPosition = 0

  package init() {}

  /// Records that the `count` bytes at `offset` came from `origin`. Offsets must not decrease from call to call.
  package mutating func note(_ origin: Origin, at offset: Int, count: Int) {
    switch origin {
    case .input: break
    case .packet(let packet): packets.append((offset, packet))
    case .text(let more):
      if positions.isEmpty { firstPosition = offset }
      positions += more
    }
  }

  /// Approximate size of the packet entries in memory, in bytes.
  package var footprint: Int { packets.count * MemoryLayout<(start: Int, packet: Origin.Packet)>.stride }

  /// Removes all entries. The next byte must be noted with its origin.
  package mutating func forget() {
    // Keeping a small buffer saves an allocation per packet; a large one is released.
    if packets.capacity <= 4 { packets.removeAll(keepingCapacity: true) } else { packets = [] }
    positions = []
  }

  /// Removes entries that lie entirely before `offset`, once they are half of all: moving the others then costs a
  /// constant time for each.
  package mutating func drop(before offset: Int) {
    if let keep = packet(at: offset), keep * 2 >= packets.count {
      packets.removeFirst(keep)
    }
    let old = min(offset - firstPosition, positions.count)
    if old > 0, old * 2 >= positions.count {
      positions.removeFirst(old)
      firstPosition += old
    }
  }

  /// The packets that carried `range`, in stream order.
  package func packets(in range: Range<Int>) -> [Origin.Packet] {
    guard let first = packet(at: range.lowerBound) else { return [] }
    var found: [Origin.Packet] = []
    for (start, packet) in packets[first...] {
      if start >= max(range.upperBound, range.lowerBound + 1) { break }
      if found.last != packet { found.append(packet) }
    }
    return found
  }

  /// The time at which the byte at `offset` was captured; nil if it is unknown.
  package func time(at offset: Int) -> CaptureTime? {
    packets.isEmpty ? nil : packet(at: offset).flatMap { packets[$0].packet.time }
  }

  /// Index of the packet that carried the byte at `offset`. A binary search: one stream may have a packet per byte.
  private func packet(at offset: Int) -> Int? {
    let next = packets.partitioningIndex(where: { $0.start > offset })
    return next == 0 ? nil : next - 1
  }

  /// Line and column of each byte of `range`; empty if the bytes did not come from a text.
  package func positions(in range: Range<Int>) -> [Origin.TextPosition] {
    let local = (range.lowerBound - firstPosition)..<(range.upperBound - firstPosition)
    guard local.lowerBound >= 0, local.upperBound <= positions.count else { return [] }
    return Array(positions[local])
  }
}

extension Array {
  /// The first index of an element that `isLater` is true of, as it is of all elements after that; the end if there is
  /// none. A binary search.
  package func partitioningIndex(where isLater: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isLater(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
