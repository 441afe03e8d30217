/// The connections of a capture by their endpoints, and in the order in which they were last heard of.
struct ConnectionTable {
  private var slots: [Slot] = []
  private var indices: [EndpointPair: Int] = [:]
  private var vacant: [Int] = []
  private(set) var newest: Int?
  private(set) var oldest: Int?

  private struct Slot {
    var connection: Connection
    var older: Int?
    var newer: Int?
  }

  var count: Int { indices.count }

  /// Those in use, by number.
  var inOrder: [Int] { indices.values.sorted { self[$0].number < self[$1].number } }

  subscript(index: Int) -> Connection {
    get { slots[index].connection }
    _modify { yield &slots[index].connection }
  }

  /// The connection between these endpoints, which was heard of now.
  mutating func find(_ pair: EndpointPair) -> Int? {
    guard let index = indices[pair] else { return nil }
    if newest != index {
      unlink(index)
      link(index)
    }
    return index
  }

  mutating func insert(_ connection: Connection) -> Int {
    let index: Int
    if let reused = vacant.popLast() {
      slots[reused] = Slot(connection: connection)
      index = reused
    } else {
      slots.append(Slot(connection: connection))
      index = slots.count - 1
    }
    indices[connection.pair] = index
    link(index)
    return index
  }

  mutating func remove(_ index: Int) {
    indices[self[index].pair] = nil
    unlink(index)
    vacant.append(index)
  }

  /// The one that was heard of next after this one.
  func newer(than index: Int) -> Int? { slots[index].newer }

  private mutating func link(_ index: Int) {
    slots[index].older = newest
    slots[index].newer = nil
    if let newest { slots[newest].newer = index } else { oldest = index }
    newest = index
  }

  private mutating func unlink(_ index: Int) {
    let (older, newer) = (slots[index].older, slots[index].newer)
    if let older { slots[older].newer = newer } else { oldest = newer }
    if let newer { slots[newer].older = older } else { newest = older }
  }
}
