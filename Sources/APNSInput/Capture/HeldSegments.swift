/// Segments that arrived ahead of the bytes before them: a heap with the lowest position on top.
///
/// Inserting into a sorted array would move all elements for each segment of a stream captured in reverse; a heap costs
/// the same in any order. Overlaps are resolved on release: the segment that starts first wins.
struct HeldSegments {
  struct Segment {
    let position: Int
    let bytes: [UInt8]
    /// Bytes after `bytes` that were sent but not captured.
    let missing: Int
    let mayBeProbe: Bool
    let origin: Origin.Packet

    var end: Int { position + bytes.count + missing }
  }

  /// Held bytes of the stream, including those that were not captured.
  private(set) var byteCount = 0
  /// At least the size in memory, in bytes: payloads, entries with their storage, and the smallest heap.
  var footprint: Int { heap.isEmpty ? 0 : byteCount + heap.count * 320 + 512 }
  private var heap: [Segment] = []

  var first: Segment? { heap.first }

  mutating func insert(_ segment: Segment) {
    byteCount += segment.end - segment.position
    heap.append(segment)
    siftUp()
  }

  mutating func removeFirst() {
    guard !heap.isEmpty else { return }
    heap.swapAt(0, heap.count - 1)
    let removed = heap.removeLast()
    siftDown()
    byteCount -= removed.end - removed.position
    // Thousands of connections may each have held much once, so an empty heap gives its memory back.
    if heap.isEmpty { heap = [] }
  }

  private mutating func siftUp() {
    var index = heap.count - 1
    while index > 0 {
      let parent = (index - 1) / 2
      guard heap[index].precedes(heap[parent]) else { return }
      heap.swapAt(index, parent)
      index = parent
    }
  }

  private mutating func siftDown() {
    var index = 0
    while true {
      var smallest = index
      for child in (2 * index + 1)...(2 * index + 2) where child < heap.count {
        if heap[child].precedes(heap[smallest]) { smallest = child }
      }
      guard smallest != index else { return }
      heap.swapAt(index, smallest)
      index = smallest
    }
  }
}

extension HeldSegments.Segment {
  /// Lowest position first; at the same position, the earlier packet first.
  fileprivate func precedes(_ other: Self) -> Bool {
    (position, origin) < (other.position, other.origin)
  }
}
