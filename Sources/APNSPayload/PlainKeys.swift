/// What is asked of each key of a plain payload, in one row of a table: which key it is, and which values are ordinary.
struct PlainKey: Sendable, BitwiseCopyable {
  /// The name, at most 24 bytes of it: eight to a word, the first in the lowest byte.
  let name: KeyWords
  /// The place in ``PayloadKey/all``; `KeyTable.none` in a free row.
  let index: UInt8
  let container: PayloadKey.Container
  /// The container that its value is, if an object stands there.
  let opens: PayloadKey.Container?
  let types: PayloadKey.ValueTypes
  let values: Values

  enum Values: UInt8, Sendable, BitwiseCopyable {
    /// Of its types any value will do.
    case any
    /// Whole numbers.
    case count
    /// Arrays of strings.
    case strings
    /// What else its row says.
    case some
  }

  /// A key of nobody's.
  static var other: PlainKey { PlainKey() }

  private init() {
    (name, index, container, opens, types, values) = (KeyWords(), KeyTable.none, .root, nil, .all, .any)
  }

  fileprivate init(_ key: PayloadKey, at index: Int, opens: PayloadKey.Container?) {
    let text = Array(key.name.utf8) + [UInt8](repeating: 0, count: KeyWords.longest)
    name = KeyWords(text.span, 0, count: key.name.utf8.count)
    self.index = UInt8(index)
    container = key.container
    self.opens = opens
    types = key.types
    values =
      switch key.allowed {
      case .any: .any
      case .count: .count
      case .strings: .strings
      case .numbers, .range, .seconds, .words: .some
      }
  }
}

/// A short key's bytes as three numbers, so that keys are compared by them.
struct KeyWords: Sendable, Equatable, BitwiseCopyable {
  private var first: UInt64 = 0
  private var second: UInt64 = 0
  private var third: UInt64 = 0

  static let longest = 24

  init() {}

  /// - Precondition: `count` is at most ``longest``, and so many bytes stand behind `start`, whatever they are.
  @inline(__always)
  init(_ bytes: Span<UInt8>, _ start: Int, count: Int) {
    first = bytes.word(at: start) & Self.mask(count)
    if count > 8 { second = bytes.word(at: start + 8) & Self.mask(count - 8) }
    if count > 16 { third = bytes.word(at: start + 16) & Self.mask(count - 16) }
  }

  /// The lowest bytes of a word.
  @inline(__always)
  private static func mask(_ count: Int) -> UInt64 {
    count >= 8 ? .max : (1 &<< UInt64(count &* 8)) &- 1
  }

  /// Equal for equal keys.
  @inline(__always)
  var hash: UInt64 {
    var hash = first &* 0x9e37_79b9_7f4a_7c15
    hash = (hash ^ hash >> 29 ^ second) &* 0xff51_afd7_ed55_8ccd
    return (hash ^ hash >> 31 ^ third) &* 0x9e37_79b9_7f4a_7c15
  }
}

/// The documented keys by their words; and keys at the root of earlier payloads that look like none of them.
struct PlainKeys: Sendable {
  private var rows: [PlainKey]
  private var own: [KeyWords]

  private static let mask = 255
  private static let standardRows = makeRows()

  init() {
    rows = Self.standardRows
    own = [KeyWords](repeating: KeyWords(), count: Self.mask + 1)
  }

  /// Nil where the key is documented for no object of that name.
  @inline(__always)
  func row(of key: KeyWords, hash: UInt64, in container: PayloadKey.Container) -> PlainKey? {
    var slot = Self.slot(hash, container)
    while true {
      let row = rows[slot]
      if row.index == KeyTable.none { return nil }
      if row.name == key, row.container == container { return row }
      slot = (slot + 1) & Self.mask
    }
  }

  /// Whether a key at the root is surely the app's own.
  @inline(__always)
  mutating func isOwn(_ key: KeyWords, hash: UInt64, _ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    let slot = Self.slot(hash, .root)
    // An empty key is no spelling of anything, and neither is a free slot.
    if own[slot] == key { return true }
    guard !PayloadKey.mayBeSpelling(bytes, range) else { return false }
    own[slot] = key
    return true
  }

  @inline(__always)
  private static func slot(_ hash: UInt64, _ container: PayloadKey.Container) -> Int {
    Int(truncatingIfNeeded: hash >> 56 &+ UInt64(container.rawValue) &* 61) & mask
  }

  private static func makeRows() -> [PlainKey] {
    var rows = [PlainKey](repeating: .other, count: mask + 1)
    for (index, key) in PayloadKey.all.enumerated() where key.name.utf8.count <= KeyWords.longest {
      let row = PlainKey(key, at: index, opens: KeyTable.standard.opens[index])
      var slot = slot(row.name.hash, key.container)
      while rows[slot].index != KeyTable.none { slot = (slot + 1) & mask }
      rows[slot] = row
    }
    return rows
  }
}
