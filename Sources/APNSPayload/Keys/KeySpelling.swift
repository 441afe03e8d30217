/// Keys that look like documented ones: `content_available`, `Badge`, `alertt`.
extension PayloadKey {
  /// Whether a key's bytes may be a documented key in another spelling; cheap, for the many that are not.
  public static func mayBeSpelling(_ bytes: Span<UInt8>, _ key: Range<Int>) -> Bool {
    guard key.count <= longestName + 8 else { return false }
    var hash = KeyHash()
    for index in key {
      if let byte = plain(bytes[index]) { hash.add(UInt64(byte)) }
    }
    let set = spellings
    var slot = Int(hash.value >> 56)
    while set[slot] != 0 {
      if set[slot] == hash.value { return true }
      slot = (slot + 1) & 255
    }
    return false
  }

  /// The places in ``all`` of keys that are spelt so but for case, hyphens and underscores.
  public static func spelt(_ key: [UInt8]) -> [Int] { byLetters[key.compactMap(plain)] ?? [] }

  private static let byLetters = Dictionary(grouping: all.indices) { all[$0].name.utf8.compactMap(plain) }

  /// The place in ``all`` of a key of `container` that one letter tells apart: one wrong, missing, too many, or two in
  /// the wrong order.
  public static func oneLetterOff(_ key: [UInt8], in container: Container) -> Int? {
    guard 3...(longestName + 1) ~= key.count else { return nil }
    return names[Int(container.rawValue)].first { isOneLetterOff(key, $0.name) }?.index
  }

  /// By container.
  private static let names = Container.allCases.map { container in
    all.indices.filter { all[$0].container == container }.map { (index: $0, name: Array(all[$0].name.utf8)) }
  }

  /// Lower case, nil for what only joins words.
  private static func plain(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "-"), UInt8(ascii: "_"): nil
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
    default: byte
    }
  }

  private static let longestName = all.map(\.name.utf8.count).max() ?? 0

  private static let spellings: [UInt64] = {
    var slots = [UInt64](repeating: 0, count: 256)
    for key in all {
      var hash = KeyHash()
      for byte in key.name.utf8.compactMap(plain) { hash.add(UInt64(byte)) }
      var slot = Int(hash.value >> 56)
      while slots[slot] != 0, slots[slot] != hash.value { slot = (slot + 1) & 255 }
      slots[slot] = hash.value
    }
    return slots
  }()

  private static func isOneLetterOff(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    guard abs(one.count - other.count) <= 1 else { return false }
    var start = 0
    while start < min(one.count, other.count), one[start] == other[start] { start += 1 }
    // Past the one letter, and its neighbour, nothing may differ.
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
