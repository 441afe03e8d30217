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
    /// A single byte that may ask whether the peer still lives.
    let mayBeProbe: Bool
    let origin: Origin.Packet

    var end: Int { position + bytes.count + missing }
  }

  /// Bytes of the stream that are held, uncaptured ones included.
  private(set) var byteCount = 0
  /// About what they take in memory, in bytes: those of the segments, their entries, and the storage of both tables.
  var footprint: Int { heap.isEmpty ? 0 : Self.tables + segments }
  private var segments = 0
  /// The least that a heap and a dictionary allocate.
  private static let tables = 512
  private var heap: [Segment] = []
  /// The longest segment at a position, to know a repeated one.
  private var longest: [Int: Segment] = [:]

  var count: Int { heap.count }
  var isEmpty: Bool { heap.isEmpty }
  var first: Segment? { heap.first }

  mutating func insert(_ segment: Segment) {
    if let known = longest[segment.position] {
      if known.repeats(segment) { return }
      if segment.bytes.count > known.bytes.count { longest[segment.position] = segment }
    } else {
      longest[segment.position] = segment
    }
    byteCount += segment.end - segment.position
    segments += segment.footprint
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
    segments -= removed.footprint
    longest[removed.position] = nil
    // Thousands of directions may have held much once: what one took at its worst is given back.
    if heap.isEmpty { (heap, longest) = ([], [:]) }
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
  /// Whether another segment at the same position brings nothing new. One with other bytes does: both are kept.
  fileprivate func repeats(_ other: Self) -> Bool {
    other.end <= end && other.bytes.count <= bytes.count && bytes.starts(with: other.bytes)
  }

  fileprivate var footprint: Int { bytes.count + 320 }

  /// Of two segments at one position the earlier packet goes first.
  fileprivate func precedes(_ other: Self) -> Bool {
    (position, origin) < (other.position, other.origin)
  }
}
