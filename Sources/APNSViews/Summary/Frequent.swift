/// The most frequent keys of any number, in bounded memory (Misra and Gries, 1982).
///
/// With at most `limit` different keys, all tallies are exact. After that, a new key takes one credit from every stored
/// key, and keys without credit are removed. Each tally then omits at most `uncounted` of its additions, and every key
/// with more additions than that is stored. `uncounted` is at most the number of additions divided by `limit + 1`. Each
/// addition gives one credit and each pass over the keys takes `limit` of them, so the total work is linear.
package struct Frequent<Key: Hashable & Sendable, Tally: Sendable>: Sendable {
  private let limit: Int
  private var entries: [Key: Entry] = [:]
  /// The most additions that a tally may omit.
  package private(set) var uncounted = 0

  private struct Entry: Sendable {
    var credit: Int
    var tally: Tally
  }

  /// `limit`: the most keys that are stored.
  package init(limit: Int) {
    self.limit = limit
  }

  /// Whether no addition was omitted.
  package var isExact: Bool { uncounted == 0 }

  /// The number of stored keys; if `isExact`, the number of different keys added.
  package var count: Int { entries.count }

  /// Adds a key: calls `change` with its tally, which starts as `first`.
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

  /// The first `count` keys in an order. The order is total, so that the result does not depend on hashing.
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
