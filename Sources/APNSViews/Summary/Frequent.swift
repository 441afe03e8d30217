/// The most frequent keys of any number, in bounded memory (Misra and Gries, 1982).
///
/// Up to `limit` different keys everything is exact. Beyond that, a key that finds no place takes one credit from every
/// other, and a key without credit makes room: at the end each tally lacks at most `uncounted` of its additions, and
/// every key with more additions than that is there. `uncounted` is at most the additions divided by `limit + 1`. The
/// walks over all keys are paid for by the credits they take, so the work is linear.
package struct Frequent<Key: Hashable & Sendable, Tally: Sendable>: Sendable {
  private let limit: Int
  private var entries: [Key: Entry] = [:]
  /// Most additions that any tally may lack.
  package private(set) var uncounted = 0

  private struct Entry: Sendable {
    var credit: Int
    var tally: Tally
  }

  package init(limit: Int) {
    self.limit = limit
  }

  package var isExact: Bool { uncounted == 0 }

  /// Different keys; while `isExact` these are all there were.
  package var count: Int { entries.count }

  package mutating func add(_ key: Key, startingWith first: @autoclosure () -> Tally, _ change: (inout Tally) -> Void) {
    if let index = entries.index(forKey: key) {
      entries.values[index].credit += 1
      change(&entries.values[index].tally)
    } else if entries.count < limit {
      var tally = first()
      change(&tally)
      entries[key] = Entry(credit: 1, tally: tally)
    } else {
      takeCredit()
    }
  }

  /// The first `count` in the given order, which has to tell any two keys apart.
  package func top(
    _ count: Int, by isBefore: ((key: Key, tally: Tally), (key: Key, tally: Tally)) -> Bool
  ) -> [(key: Key, tally: Tally)] {
    Array(entries.map { (key: $0.key, tally: $0.value.tally) }.sorted(by: isBefore).prefix(count))
  }

  private mutating func takeCredit() {
    uncounted += 1
    var spent: [Key] = []
    for index in entries.indices {
      entries.values[index].credit -= 1
      if entries.values[index].credit == 0 { spent.append(entries[index].key) }
    }
    for key in spent { entries[key] = nil }
  }
}
