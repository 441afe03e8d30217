/// What is asked of a key's value in a plain payload.
struct KeyTraits: Sendable, BitwiseCopyable {
  /// The place in ``PayloadKey/all``; `KeyTable.none` for a key of nobody's.
  let index: UInt8
  /// The container that its value is, if an object stands there.
  let opens: PayloadKey.Container?
  let types: PayloadKey.ValueTypes
  let values: Values
  /// The digit that is the only number.
  let digit: UInt8

  enum Values: UInt8, Sendable, BitwiseCopyable {
    /// Of its types any value will do.
    case any
    /// Whole numbers.
    case count
    /// One number, which is a digit.
    case digit
    /// Arrays of strings.
    case strings
    /// What else its row says.
    case some
  }

  @inline(__always)
  static var other: KeyTraits { KeyTraits() }

  private init() {
    (index, opens, types, values, digit) = (KeyTable.none, nil, .all, .any, 0)
  }

  fileprivate init(_ key: PayloadKey, at index: Int, opens: PayloadKey.Container?) {
    self.index = UInt8(index)
    self.opens = opens
    types = key.types
    switch key.allowed {
    case .any: (values, digit) = (.any, 0)
    case .count: (values, digit) = (.count, 0)
    case .strings: (values, digit) = (.strings, 0)
    case .numbers(let numbers) where numbers.count == 1 && 0...9 ~= numbers[0]:
      (values, digit) = (.digit, UInt8(ascii: "0") + UInt8(numbers[0]))
    case .numbers, .range, .seconds, .words, .soundFile: (values, digit) = (.some, 0)
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

  /// The key that begins there, and its bytes; ``longest`` of them where it goes on.
  ///
  /// - Precondition: ``longest`` bytes stand there, whatever they are.
  @inline(__always)
  static func read(_ bytes: Span<UInt8>, at start: Int) -> (key: KeyWords, count: Int) {
    var key = KeyWords()
    var count = take(bytes.word(at: start), &key.first)
    if count < 8 { return (key, count) }
    count = take(bytes.word(at: start + 8), &key.second)
    if count < 8 { return (key, 8 + count) }
    count = take(bytes.word(at: start + 16), &key.third)
    return (key, 16 + count)
  }

  /// The bytes before the first that is not plain, and how many they are.
  @inline(__always)
  private static func take(_ word: UInt64, _ part: inout UInt64) -> Int {
    let ends = word.notPlain
    // The high bit of a byte is set; of no bits, all those below are.
    let end = ends & (0 &- ends)
    part = word & (end >> 7 &- 1)
    return ends.trailingZeroBitCount / 8
  }

  /// Equal for equal keys.
  @inline(__always)
  var hash: UInt64 {
    let hash = (first ^ second &* 0xff51_afd7_ed55_8ccd ^ third) &* 0x9e37_79b9_7f4a_7c15
    return hash ^ hash >> 32
  }
}

/// The documented keys by their words; and keys at the root of earlier payloads that look like none of them.
struct PlainKeys: Sendable {
  private var rows: [Row]
  /// By the slot of each in `rows`.
  private var traits: [KeyTraits]
  private var own: [KeyWords]

  private struct Row: Sendable, BitwiseCopyable {
    var name = KeyWords()
    /// Nil in a free slot.
    var container: PayloadKey.Container?
  }

  private static let mask = 255

  init() {
    var rows = [Row](repeating: Row(), count: Self.mask + 1)
    var traits = [KeyTraits](repeating: .other, count: Self.mask + 1)
    for (index, key) in PayloadKey.all.enumerated() where key.name.utf8.count < KeyWords.longest {
      let text = Array(key.name.utf8) + [UInt8](repeating: 0, count: KeyWords.longest)
      let name = KeyWords.read(text.span, at: 0).key
      var slot = Self.slot(name.hash, key.container)
      while rows[slot].container != nil { slot = (slot + 1) & Self.mask }
      rows[slot] = Row(name: name, container: key.container)
      traits[slot] = KeyTraits(key, at: index, opens: KeyTable.standard.opens[index])
    }
    (self.rows, self.traits) = (rows, traits)
    own = [KeyWords](repeating: KeyWords(), count: Self.mask + 1)
  }

  /// Nil where the key is documented for no object of that name.
  @inline(__always)
  func traits(of key: KeyWords, hash: UInt64, in container: PayloadKey.Container) -> KeyTraits? {
    var slot = Self.slot(hash, container)
    while let other = rows[slot].container {
      if other == container, rows[slot].name == key { return traits[slot] }
      slot = (slot + 1) & Self.mask
    }
    return nil
  }

  /// Whether a key at the root is surely the app's own.
  @inline(__always)
  mutating func isOwn(_ key: KeyWords, hash: UInt64, _ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    // An empty key is no spelling of anything, and neither is a free slot.
    own[Self.slot(hash, .root)] == key || rememberOwn(key, hash, bytes, range)
  }

  @inline(never)
  private mutating func rememberOwn(
    _ key: KeyWords, _ hash: UInt64, _ bytes: Span<UInt8>, _ range: Range<Int>
  ) -> Bool {
    guard !PayloadKey.mayBeSpelling(bytes, range) else { return false }
    own[Self.slot(hash, .root)] = key
    return true
  }

  @inline(__always)
  private static func slot(_ hash: UInt64, _ container: PayloadKey.Container) -> Int {
    (Int(truncatingIfNeeded: hash >> 24) &+ Int(container.rawValue) &* 61) & mask
  }
}
