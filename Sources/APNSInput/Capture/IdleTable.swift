/// Values by key, ordered by last use: for connections, the ones that have been idle longest can be found first.
package struct IdleTable<Key: Hashable, Value> {
  private var slots: [Slot] = []
  private var indices: [Key: Int] = [:]
  private var vacant: [Int] = []
  private var newest: Int?
  /// The index of the longest-idle connection.
  package private(set) var oldest: Int?

  private struct Slot {
    let key: Key
    var value: Value
    var older: Int?
    var newer: Int?
  }

  /// Whether there are as many connections as the table may hold. Finished ones are kept, so that a late retransmission
  /// is not mistaken for a new connection. Each may use a kilobyte until its streams are read.
  package var isFull: Bool { indices.count >= 1 << 14 }

  package init() {}

  /// The indices in use, in no particular order.
  var all: [Int] { Array(indices.values) }

  package subscript(index: Int) -> Value {
    get { slots[index].value }
    _modify { yield &slots[index].value }
  }

  /// The index of the connection with this key, which becomes the most recently used one.
  package mutating func find(_ key: Key) -> Int? {
    guard let index = indices[key] else { return nil }
    if newest != index {
      unlink(index)
      link(index)
    }
    return index
  }

  package mutating func insert(_ value: Value, _ key: Key) -> Int {
    let index = vacant.popLast() ?? slots.count
    let slot = Slot(key: key, value: value)
    if index < slots.count { slots[index] = slot } else { slots.append(slot) }
    indices[key] = index
    link(index)
    return index
  }

  package mutating func remove(_ index: Int) {
    indices[slots[index].key] = nil
    unlink(index)
    vacant.append(index)
  }

  /// The index of the connection that was used next after this one.
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
