/// Finds documented keys by their bytes, without an allocation: it is asked for each key of each payload.
struct KeyTable: Sendable {
  static let standard = KeyTable(PayloadKey.all)

  /// Indices of keys by hash; `none` where a slot is free.
  private var slots = [UInt8](repeating: KeyTable.none, count: 256)
  /// The names, one behind the other, and where each begins.
  private var text: [UInt8] = []
  private var starts: [Int] = [0]
  private var containers: [PayloadKey.Container] = []
  /// By key: the container that its value is, if an object stands there.
  private(set) var opens: [PayloadKey.Container?] = []
  private let longest: Int

  static let none = UInt8.max

  private init(_ keys: [PayloadKey]) {
    precondition(keys.count <= 64, "PayloadOutline has a bit for each of 64 keys")
    longest = keys.map(\.name.utf8.count).max() ?? 0
    for key in keys {
      text += Array(key.name.utf8)
      starts.append(text.count)
      containers.append(key.container)
      opens.append(PayloadKey.Container.allCases.first { $0 != .root && $0.path == key.path })
    }
    for (index, key) in keys.enumerated() {
      var hash = KeyHash()
      for byte in key.name.utf8 { hash.add(byte) }
      var slot = Self.slot(hash, key.container)
      while slots[slot] != Self.none { slot = (slot + 1) & 255 }
      slots[slot] = UInt8(index)
    }
  }

  /// The key that `range` spells in `container`, or ``none``. `hash` is of those bytes.
  func index(in container: PayloadKey.Container, _ bytes: Span<UInt8>, _ range: Range<Int>, _ hash: KeyHash) -> UInt8 {
    guard range.count <= longest else { return Self.none }
    var slot = Self.slot(hash, container)
    while slots[slot] != Self.none {
      let index = Int(slots[slot])
      if containers[index] == container, isName(index, bytes, range) { return slots[slot] }
      slot = (slot + 1) & 255
    }
    return Self.none
  }

  private func isName(_ index: Int, _ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    guard starts[index + 1] - starts[index] == range.count else { return false }
    for offset in 0..<range.count where text[starts[index] + offset] != bytes[range.lowerBound + offset] {
      return false
    }
    return true
  }

  private static func slot(_ hash: KeyHash, _ container: PayloadKey.Container) -> Int {
    Int(hash.mixed(with: UInt64(container.rawValue)) >> 56)
  }
}

/// A hash of a key's bytes. Its multiplier is drawn anew by each process, so that no payload can be made whose keys all
/// collide; nothing that is written depends on it.
struct KeyHash: Sendable, Hashable, BitwiseCopyable {
  private(set) var value: UInt64 = 0x9e37_79b9_7f4a_7c15

  private static let multiplier = UInt64.random(in: .min ... .max) | 1
  private let multiplier = KeyHash.multiplier

  mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* multiplier }

  func mixed(with number: UInt64) -> UInt64 {
    let mixed = (value ^ (number &+ 1) &* 0xff51_afd7_ed55_8ccd) &* multiplier
    return mixed ^ mixed >> 29
  }
}
