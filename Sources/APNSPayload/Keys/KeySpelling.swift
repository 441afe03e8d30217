/// Detects keys that look like documented ones: `content_available`, `Badge`, `alertt`.
extension PayloadKey {
  /// The indices in ``all`` of the keys that differ from `key` at most in case, hyphens and underscores.
  package static func spelt(_ key: [UInt8]) -> [Int] { byLetters[key.compactMap(plain)] ?? [] }

  private static let byLetters = Dictionary(grouping: all.indices) { all[$0].name.utf8.compactMap(plain) }

  /// The index in ``all`` of a key in `container` that differs from `key` by one letter: one that is wrong, missing or
  /// added, or two that are swapped.
  package static func oneLetterOff(_ key: [UInt8], in container: Container) -> Int? {
    guard 3...(longestName + 1) ~= key.count else { return nil }
    return names[Int(container.rawValue)].first { isOneLetterOff(key, $0.name) }?.index
  }

  /// The keys of each container, by its raw value.
  private static let names = Container.allCases.map { container in
    all.indices.filter { all[$0].container == container }.map { (index: $0, name: Array(all[$0].name.utf8)) }
  }

  /// The byte in lower case; nil for bytes that only separate words.
  private static func plain(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "-"), UInt8(ascii: "_"): nil
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
    default: byte
    }
  }

  private static let longestName = all.map(\.name.utf8.count).max() ?? 0

  private static func isOneLetterOff(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    guard abs(one.count - other.count) <= 1 else { return false }
    var start = 0
    while start < min(one.count, other.count), one[start] == other[start] { start += 1 }
    // After that letter and its neighbor nothing may differ. This rejects most keys early.
    if start + 2 < min(one.count, other.count), one.last != other.last { return false }
    let (a, b) = (one[start...], other[start...])
    switch a.count - b.count {
    case 1: return a.dropFirst().elementsEqual(b)
    case -1: return b.dropFirst().elementsEqual(a)
    case 0:
      if a.dropFirst().elementsEqual(b.dropFirst()) { return !a.isEmpty }
      return a.count >= 2 && a.prefix(2).elementsEqual(b.prefix(2).reversed())
        && a.dropFirst(2).elementsEqual(b.dropFirst(2))
    default: return false
    }
  }
}
