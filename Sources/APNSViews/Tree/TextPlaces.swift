/// Places in a text, gathered in memory that is used again. Mostly there are one or two, and the first stands beside the
/// list, since it is there that time goes.
struct TextPlaces: Sendable, RandomAccessCollection {
  private(set) var endIndex = 0
  private var head = 0..<0
  private var tail: [Range<Int>] = []

  var startIndex: Int { 0 }

  @inline(__always)
  subscript(index: Int) -> Range<Int> {
    get { index == 0 ? head : tail[index - 1] }
    set { if index == 0 { head = newValue } else { tail[index - 1] = newValue } }
  }

  @inline(__always)
  mutating func append(_ place: Range<Int>) {
    if endIndex == 0 { head = place } else { tail.append(place) }
    endIndex += 1
  }

  @inline(__always)
  mutating func removeAll() {
    if endIndex > 1 { tail.removeAll(keepingCapacity: true) }
    endIndex = 0
  }
}
