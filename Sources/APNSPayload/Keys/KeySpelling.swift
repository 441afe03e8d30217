/// Detects keys that look like documented ones: `content_available`, `Badge`, `alertt`.
extension PayloadKey {
  /// The indices in ``all`` of the keys that differ from `key` at most in case, hyphens and underscores.
  package static func spelt(_ key: [UInt8]) -> [Int] { byLetters[key.compactMap(plain)] ?? [] }

  private static let byLetters = Dictionary(grouping: all.indices) { all[$0].name.utf8.compactMap(plain) }

  /// The index in ``all`` of a key in `container` that differs from `key` by one letter: one that is wrong, missing or
  /// added, or two that are swapped.
  package static func oneLetterOff(_ key: [UInt8], in container: Container) -> Int? {
    guard key.count >= 3 else { return nil }
    return KeyTable.keys.firstIndex { row in
      // One letter is never at both ends. This rejects most keys early.
      row.container == container && abs(row.name.count - key.count) <= 1
        && (row.name.first == key.first || row.name.last == key.last) && key.editDistance(to: row.name) == 1
    }
  }

  /// The byte in lower case; nil for bytes that only separate words.
  private static func plain(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "-"), UInt8(ascii: "_"): nil
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
    default: byte
    }
  }
}

extension [UInt8] {
  /// The least number of insertions, deletions, substitutions and transpositions of neighbours that make the other
  /// text of this one.
  package func editDistance(to other: [UInt8]) -> Int {
    var before: [Int] = []
    var last = [Int](0...other.count)
    for i in indices {
      var row = [i + 1]
      for j in other.indices {
        var least = Swift.min(last[j + 1] + 1, row[j] + 1, last[j] + (self[i] == other[j] ? 0 : 1))
        if i > 0, j > 0, self[i] == other[j - 1], self[i - 1] == other[j] {
          least = Swift.min(least, before[j - 1] + 1)
        }
        row.append(least)
      }
      (before, last) = (last, row)
    }
    return last[other.count]
  }
}
