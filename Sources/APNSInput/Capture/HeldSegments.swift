/// Segments that came before their turn: a heap with the lowest position on top.
///
/// A sorted array would move all of its elements for each segment of a stream that arrives backwards; here every
/// order costs the same. Overlaps are settled on release, where the segment that starts first wins.
struct HeldSegments {
  struct Segment {
    let position: Int
    let bytes: [UInt8]
    /// Bytes behind `bytes` that were sent but not captured.
    let missing: Int
    let origin: Origin.Packet

    var end: Int { position + bytes.count + missing }
  }

  /// Bytes of the stream that are held, uncaptured ones included.
  private(set) var byteCount = 0
  private var heap: [Segment] = []
  /// How far the longest segment at a position reaches, to know a repeated segment.
  private var ends: [Int: Int] = [:]

  var count: Int { heap.count }
  var isEmpty: Bool { heap.isEmpty }
  var first: Segment? { heap.first }

  mutating func insert(_ segment: Segment) {
    if let end = ends[segment.position], end >= segment.end { return }
    ends[segment.position] = segment.end
    byteCount += segment.end - segment.position
    heap.append(segment)
    rise(from: heap.count - 1)
  }

  mutating func removeFirst() {
    guard let last = heap.popLast() else { return }
    var removed = last
    if !heap.isEmpty {
      swap(&removed, &heap[0])
      sink(from: 0)
    }
    byteCount -= removed.end - removed.position
    ends[removed.position] = nil
  }

  private mutating func rise(from index: Int) {
    var index = index
    while index > 0 {
      let parent = (index - 1) / 2
      guard heap[index].precedes(heap[parent]) else { return }
      heap.swapAt(index, parent)
      index = parent
    }
  }

  private mutating func sink(from index: Int) {
    var index = index
    while true {
      var smallest = index
      let left = 2 * index + 1
      if left < heap.count, heap[left].precedes(heap[smallest]) { smallest = left }
      if left + 1 < heap.count, heap[left + 1].precedes(heap[smallest]) { smallest = left + 1 }
      guard smallest != index else { return }
      heap.swapAt(index, smallest)
      index = smallest
    }
  }
}

extension HeldSegments.Segment {
  /// Of two segments at one position the earlier packet goes first.
  fileprivate func precedes(_ other: Self) -> Bool {
    (position, origin.number) < (other.position, other.origin.number)
  }
}
